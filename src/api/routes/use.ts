import type { Request } from 'express';
import { useAgent } from '../../contract/use';
import { MarketError } from '../../domain/errors';
import type { InvokeEngine } from '../../engine/invoke';
import { prepareInput, type PreparedInput, prepareVerbatim } from '../../services/invocations';
import type { ServingVersion, ServingVersions } from '../../services/serving-version-cache';
import { answerCall } from '../answer-call';
import { isJsonUtf8, parseJsonBody } from '../body';
import { idempotencyKeyOf } from '../idempotency-key';
import { withBodyPaths } from '../input-paths';
import { onBody } from '../large-bodies';
import { HANDLED, type RouteBinder } from '../route';

export interface UseRouteDeps {
  engine: InvokeEngine;
  servingVersions: ServingVersions;
}

const MAX_CEILING_CREDITS = 1_000_000;

/** POST /v1/agents/{owner}/{slug}/use. */
export function useRoutes(binder: RouteBinder, deps: UseRouteDeps): void {
  binder.bind(useAgent, async ({ params, principal, traceId, hops, readBytes, req, res }) => {
    const idempotencyKey = idempotencyKeyOf(req, undefined);
    const maxCostCredits = maxCostOf(req);
    const version = await deps.servingVersions.ofOwner(params.owner, params.slug);
    const bytes = await readBytes();
    const input = await onBody(bytes.length, () => inputOf(version, req, bytes));
    try {
      const call = await deps.engine.invoke({
        buyerUserId: principal.userId,
        keyId: principal.key?.keyId ?? null,
        agentId: version.agentId,
        surface: 'use',
        input,
        maxCostCredits,
        idempotencyKey: idempotencyKey === undefined ? null : `k:${idempotencyKey}`,
        traceId,
        hops,
      });
      answerCall(res, call);
      return HANDLED;
    } catch (error) {
      throw error instanceof MarketError ? withBodyPaths(error) : error;
    }
  });
}

/** Self-hosted agents get the bytes; the others' body is their input, in JSON. */
function inputOf({ kind }: ServingVersion, req: Request, bytes: Buffer): PreparedInput {
  const contentType = req.headers['content-type'];
  if (kind === 'http') return prepareVerbatim(bytes, typeOf(contentType));
  if (!isJsonUtf8(contentType)) throw new MarketError('unsupported_media_type');
  const { value } = parseJsonBody(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const detail = [{ loc: ['body'], msg: 'must be an object', type: 'type' }];
    throw new MarketError('validation_failed', { detail });
  }
  return prepareInput(value);
}

/** What the body is, as the buyer says; a body that nobody named is bytes. */
function typeOf(contentType: string | undefined): string {
  if (contentType === undefined) return 'application/octet-stream';
  if (/^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(contentType)) return contentType;
  throw new MarketError('invalid_header', {
    message: 'Content-Type takes 1 to 255 visible ASCII characters.',
  });
}

function maxCostOf(req: Request): number | null {
  const header = req.get('x-max-cost-credits');
  if (header === undefined) return null;
  const credits = /^\d{1,7}$/.test(header) ? Number(header) : Infinity;
  if (credits <= MAX_CEILING_CREDITS) return credits;
  throw new MarketError('invalid_header', {
    message: `X-Max-Cost-Credits takes a whole number from 0 to ${MAX_CEILING_CREDITS}.`,
  });
}
