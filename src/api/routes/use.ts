import type { Request } from 'express';
import { useAgent } from '../../contract/use';
import { MarketError } from '../../domain/errors';
import type { InvokeEngine } from '../../engine/invoke';
import { canonicalJson } from '../../kit/json/canonical-json';
import { prepareInput, type PreparedInput, prepareVerbatim } from '../../services/calls/invocations';
import type { Mandates } from '../../services/mandates/mandates';
import type { ServingVersion, ServingVersions } from '../../services/catalogue/serving-version-cache';
import { answerCall } from '../answers/answer-call';
import { isJsonUtf8, parseJsonBody } from '../requests/body';
import { admittedCallOf } from '../requests/call-request';
import { clientGone } from '../requests/client-gone';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import { withBodyPaths } from '../requests/input-paths';
import { onBody } from '../requests/large-bodies';
import { requireKnownTool, type NamedTool, type ToolLists } from '../requests/known-tool';
import { mandateFromHeader } from '../requests/mandate-header';
import { maxCostOf } from '../requests/max-cost';
import { HANDLED, type RouteBinder } from '../binding/route';
import { isRecord } from '../../domain/json-value';

export interface UseRouteDeps {
  engine: InvokeEngine;
  servingVersions: ServingVersions;
  mandates: Mandates;
  mcpTools: ToolLists;
}

/** POST /v1/agents/{owner}/{slug}/use. */
export function useRoutes(binder: RouteBinder, deps: UseRouteDeps): void {
  binder.bind(useAgent, async ({ params, principal, traceId, hops, readBytes, req, res }) => {
    const idempotencyKey = idempotencyKeyOf(req, undefined);
    const maxCostCredits = maxCostOf(req, undefined);
    const version = await deps.servingVersions.ofOwner(params.owner, params.slug, principal.userId);
    const bytes = await readBytes();
    const { input, canonical, tool } = await onBody(bytes.length, () => inputOf(version, req, bytes));
    const named = tool === undefined ? undefined : { version, name: tool, hops };
    try {
      if (named) await requireKnownTool(deps.mcpTools, named, { cached: true });
      const request = await admittedCallOf(deps.mandates, {
        principal,
        agentId: version.agentId,
        surface: 'use',
        input,
        canonicalInput: canonical,
        maxCostCredits,
        idempotencyKey,
        mandate: mandateFromHeader(req),
        traceId,
        hops,
        gone: clientGone(res),
      });
      const call = await deps.engine.invoke(request);
      answerCall(res, call);
      return HANDLED;
    } catch (error) {
      if (!(error instanceof MarketError)) throw error;
      throw withBodyPaths(named ? await aboutTool(deps, named, error) : error);
    }
  });
}

/** The failure of a tool call; if its server has no such tool, the error that says so. */
async function aboutTool(
  { mcpTools }: UseRouteDeps,
  tool: NamedTool,
  error: MarketError,
): Promise<MarketError> {
  if (error.code !== 'agent_error') return error;
  const { invocationId } = error;
  const refuse = requireKnownTool(mcpTools, tool, { cached: false, invocationId });
  return refuse.then(
    () => error,
    (unknown: unknown) => (unknown instanceof MarketError ? unknown : error),
  );
}

/**
 * Self-hosted agents get the bytes of the body. For other agents the body is their input, in JSON. A mandate's proof
 * covers that input; for bytes, it covers their SHA-256 in hexadecimal.
 */
function inputOf(
  { kind }: ServingVersion,
  req: Request,
  bytes: Buffer,
): { input: PreparedInput; canonical: () => string; tool?: string } {
  const contentType = req.headers['content-type'];
  if (kind === 'http') {
    const input = prepareVerbatim(bytes, typeOf(contentType));
    return { input, canonical: () => JSON.stringify(input.sha256) };
  }
  if (!isJsonUtf8(contentType)) throw new MarketError('unsupported_media_type');
  const { value } = parseJsonBody(bytes);
  if (!isRecord(value)) {
    const detail = [{ loc: ['body'], msg: 'must be an object', type: 'type' }];
    throw new MarketError('validation_failed', { detail });
  }
  const canonical = req.get('x-mandate') === undefined ? '' : canonicalJson(value);
  const tool = kind === 'mcp' && typeof value['tool'] === 'string' ? value['tool'] : undefined;
  return { input: prepareInput(value), canonical: () => canonical, ...(tool !== undefined && { tool }) };
}

/** The content type that the buyer sent; bytes without one are `application/octet-stream`. Throws `invalid_header`. */
function typeOf(contentType: string | undefined): string {
  if (contentType === undefined) return 'application/octet-stream';
  if (/^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(contentType)) return contentType;
  throw new MarketError('invalid_header', {
    message: 'Content-Type takes 1 to 255 visible ASCII characters.',
  });
}
