import type { Response } from 'express';
import { getInvocation, invokeAgent, listInvocations } from '../../contract/invocations';
import type { BodyOf } from '../../contract/operation';
import { MarketError } from '../../domain/errors';
import type { CompletedCall, InvokeEngine } from '../../engine/invoke';
import type { InvocationViews } from '../../services/invocation-views';
import { prepareInput } from '../../services/invocations';
import { idempotencyKeyOf } from '../idempotency-key';
import { reportDelivery } from '../delivery';
import { HANDLED, type RouteBinder } from '../route';

export interface InvocationRouteDeps {
  engine: InvokeEngine;
  invocationViews: InvocationViews;
}

const CURSOR = /^inv_[0-9a-f]{32}$/;

/** POST /v1/agents/{agent_id}/invoke, GET /v1/invocations[/{invocation_id}]. */
export function invocationRoutes(binder: RouteBinder, deps: InvocationRouteDeps): void {
  const prepare = ({ input, ...rest }: BodyOf<typeof invokeAgent>) => ({
    ...rest,
    input: prepareInput(input),
  });
  binder.bindPrepared(invokeAgent, prepare, async ({ params, body, principal, traceId, hops, req, res }) => {
    const idempotencyKey = idempotencyKeyOf(req, body.idempotency_key);
    const call = await deps.engine.invoke({
      buyerUserId: principal.userId,
      keyId: principal.key?.keyId ?? null,
      agentId: params.agent_id,
      surface: 'invoke',
      input: body.input,
      maxCostCredits: body.max_cost_credits ?? null,
      idempotencyKey: idempotencyKey === undefined ? null : `k:${idempotencyKey}`,
      traceId,
      hops,
    });
    answerCall(res, call);
    return HANDLED;
  });

  binder.bind(listInvocations, async ({ query, principal }) => {
    const { cursor } = query;
    if (cursor !== undefined && !CURSOR.test(cursor)) {
      const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
      throw new MarketError('validation_failed', { detail });
    }
    return deps.invocationViews.list({
      buyerUserId: principal.userId,
      agentId: query.agent_id,
      status: query.status,
      beforeId: cursor,
      limit: query.limit ?? 20,
    });
  });

  binder.bind(getInvocation, ({ params, principal }) =>
    deps.invocationViews.get(principal.userId, params.invocation_id),
  );
}

/** The output is JSON text already: it is written between the other fields instead of being parsed once more. */
function answerCall(res: Response, call: CompletedCall): void {
  const usage = {
    tokens_in: call.usage.tokensIn,
    tokens_out: call.usage.tokensOut,
    duration_ms: call.usage.durationMs,
    credits_charged: call.usage.chargedCredits,
  };
  const rest = JSON.stringify({
    usage,
    trace_id: call.traceId,
    invocation_id: call.invocationId,
    ...(call.output === null ? { output_expired: true } : {}),
  });
  const output = call.output ?? Buffer.from('null');
  reportDelivery(res, call);
  if (call.replayed) res.set('Idempotent-Replayed', 'true');
  res.status(200).type('application/json');
  res.end(Buffer.concat([Buffer.from('{"output":'), output, Buffer.from(`,${rest.slice(1)}`)]));
}
