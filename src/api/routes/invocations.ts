import { getInvocation, invokeAgent, listInvocations } from '../../contract/invocations';
import type { BodyOf } from '../../contract/operation';
import type { InvokeEngine } from '../../engine/invoke';
import { canonicalJson } from '../../kit/json/canonical-json';
import type { InvocationView, InvocationViews } from '../../services/calls/invocation-views';
import { prepareInput } from '../../services/calls/invocations';
import { payerOf } from '../../services/mandates/mandate-use';
import type { Mandates } from '../../services/mandates/mandates';
import { answerCall } from '../answers/answer-call';
import { clientGone } from '../requests/client-gone';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import { listPage } from '../requests/list-page';
import { HANDLED, type RouteBinder } from '../binding/route';

export interface InvocationRouteDeps {
  engine: InvokeEngine;
  mandates: Mandates;
  invocationViews: InvocationViews;
}

const INVOCATION_ID = /^inv_[0-9a-f]{32}$/;

/** POST /v1/agents/{agent_id}/invoke, GET /v1/invocations[/{invocation_id}]. */
export function invocationRoutes(binder: RouteBinder, deps: InvocationRouteDeps): void {
  const prepare = ({ input, ...rest }: BodyOf<typeof invokeAgent>) => ({
    ...rest,
    input: prepareInput(input),
    canonicalInput: rest.mandate?.proof === undefined ? '' : canonicalJson(input),
  });
  binder.bindPrepared(invokeAgent, prepare, async ({ params, body, principal, traceId, hops, req, res }) => {
    const idempotencyKey = idempotencyKeyOf(req, body.idempotency_key);
    const mandate =
      body.mandate &&
      (await deps.mandates.admit({
        mandate: body.mandate,
        agentId: params.agent_id,
        callerUserId: principal.userId,
        idempotencyKey: idempotencyKey ?? null,
        canonicalInput: () => body.canonicalInput,
      }));
    const call = await deps.engine.invoke({
      ...payerOf(principal, mandate),
      agentId: params.agent_id,
      surface: 'invoke',
      input: body.input,
      maxCostCredits: body.max_cost_credits ?? null,
      idempotencyKey: idempotencyKey === undefined ? null : `k:${idempotencyKey}`,
      traceId,
      hops,
      gone: clientGone(res),
    });
    answerCall(res, call);
    return HANDLED;
  });

  binder.bind(listInvocations, ({ query, principal: { userId } }) => {
    const { agent_id: agentId, status } = query;
    const scope = `invocations/${userId}/${agentId}/${status}`;
    return listPage(scope, query, INVOCATION_ID, async (beforeId, limit) => ({
      ...(await deps.invocationViews.list({ buyerUserId: userId, agentId, status, beforeId, limit })),
      idOf: (call: InvocationView) => call.invocation_id,
      view: (call: InvocationView) => call,
    }));
  });

  binder.bind(getInvocation, ({ params, principal }) =>
    deps.invocationViews.get(principal.userId, params.invocation_id),
  );
}
