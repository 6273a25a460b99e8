import type { Request } from 'express';
import { useAgent } from '../../contract/use';
import { MarketError } from '../../domain/errors';
import type { InvokeEngine } from '../../engine/invoke';
import { canonicalJson } from '../../kit/json/canonical-json';
import { prepareInput, type PreparedInput, prepareVerbatim } from '../../services/calls/invocations';
import { payerOf } from '../../services/mandates/mandate-use';
import type { Mandates } from '../../services/mandates/mandates';
import type { ServingVersion, ServingVersions } from '../../services/catalogue/serving-version-cache';
import { answerCall } from '../answers/answer-call';
import { isJsonUtf8, parseJsonBody } from '../requests/body';
import { clientGone } from '../requests/client-gone';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import { withBodyPaths } from '../requests/input-paths';
import { onBody } from '../requests/large-bodies';
import { mandateFromHeader } from '../requests/mandate-header';
import { maxCostOf } from '../requests/max-cost';
import { HANDLED, type RouteBinder } from '../binding/route';

export interface UseRouteDeps {
  engine: InvokeEngine;
  servingVersions: ServingVersions;
  mandates: Mandates;
}

/** POST /v1/agents/{owner}/{slug}/use. */
export function useRoutes(binder: RouteBinder, deps: UseRouteDeps): void {
  binder.bind(useAgent, async ({ params, principal, traceId, hops, readBytes, req, res }) => {
    const idempotencyKey = idempotencyKeyOf(req, undefined);
    const maxCostCredits = maxCostOf(req, undefined);
    const version = await deps.servingVersions.ofOwner(params.owner, params.slug, principal.userId);
    const bytes = await readBytes();
    const { input, canonical } = await onBody(bytes.length, () => inputOf(version, req, bytes));
    try {
      const presented = mandateFromHeader(req);
      const mandate =
        presented &&
        (await deps.mandates.admit({
          mandate: presented,
          agentId: version.agentId,
          callerUserId: principal.userId,
          idempotencyKey: idempotencyKey ?? null,
          canonicalInput: canonical,
        }));
      const call = await deps.engine.invoke({
        ...payerOf(principal, mandate),
        agentId: version.agentId,
        surface: 'use',
        input,
        maxCostCredits,
        idempotencyKey: idempotencyKey === undefined ? null : `k:${idempotencyKey}`,
        traceId,
        hops,
        gone: clientGone(res),
      });
      answerCall(res, call);
      return HANDLED;
    } catch (error) {
      throw error instanceof MarketError ? withBodyPaths(error) : error;
    }
  });
}

/**
 * Self-hosted agents get the bytes; the others' body is their input, in JSON. The proof of a mandate is over that
 * input; over bytes, it is over their SHA-256 in hexadecimal.
 */
function inputOf(
  { kind }: ServingVersion,
  req: Request,
  bytes: Buffer,
): { input: PreparedInput; canonical: () => string } {
  const contentType = req.headers['content-type'];
  if (kind === 'http') {
    const input = prepareVerbatim(bytes, typeOf(contentType));
    return { input, canonical: () => JSON.stringify(input.sha256) };
  }
  if (!isJsonUtf8(contentType)) throw new MarketError('unsupported_media_type');
  const { value } = parseJsonBody(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const detail = [{ loc: ['body'], msg: 'must be an object', type: 'type' }];
    throw new MarketError('validation_failed', { detail });
  }
  const canonical = req.get('x-mandate') === undefined ? '' : canonicalJson(value);
  return { input: prepareInput(value), canonical: () => canonical };
}

/** What the body is, as the buyer says; a body that nobody named is bytes. */
function typeOf(contentType: string | undefined): string {
  if (contentType === undefined) return 'application/octet-stream';
  if (/^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(contentType)) return contentType;
  throw new MarketError('invalid_header', {
    message: 'Content-Type takes 1 to 255 visible ASCII characters.',
  });
}
