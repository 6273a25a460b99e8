import { admittedCallOf } from '../../services/calls/invocations';
import { cancelInvocation, getInvocation, invokeAgent, listInvocations } from '../../contract/invocations';
import { listJobPieces } from '../../contract/job-pieces';
import type { InvokeEngine } from '../../engine/invoke';
import type { TaskEngine } from '../../engine/tasks';
import type { CallWaits } from '../../services/calls/call-waits';
import type { JobPieces } from '../../services/jobs/job-pieces';
import type { InvocationViews } from '../../services/calls/invocation-views';
import type { CallGate } from '../../services/calls/call-gate';
import type { InputCheck } from '../../services/calls/agent/input-check';
import type { Mandates } from '../../services/mandates/mandates';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import { agentVisits, answerVisit, refuseOfAccounts, type VisitorDeps } from '../x402/visitor';
import { callByPreference } from '../answers/call-by-preference';
import { holdJsonFor } from '../answers/large-pieces';
import { prepareInvocation } from '../bodies/prepares';
import { agentGate, inputProblemsOf } from '../requests/call-gates';
import { clientGone } from '../identity/context';
import { acceptOf, idempotencyKeyOf, metadataOf, quoteInBody, readEvery } from '../requests/request-fields';
import { optionalInstantOf } from '../requests/instant';
import { idPosition, listPage } from '../requests/list-page';
import { invocationDetailView, invocationView, pieceView } from '../views/calls';
import type { RouteBinder } from '../binding/route';

export interface InvocationRouteDeps extends VisitorDeps {
  engine: InvokeEngine;
  servingVersions: Pick<ServingVersions, 'ofAgent'>;
  callGate: CallGate;
  inputCheck: InputCheck;
  mandates: Mandates;
  invocationViews: InvocationViews;
  callWaits: CallWaits;
  taskEngine: Pick<TaskEngine, 'stop'>;
  jobPieces: Pick<JobPieces, 'list'>;
}

const INVOCATION_POSITION = idPosition('inv');
const PIECE_POSITION = [/^[1-9][0-9]{0,5}$/];

/** POST /v1/agents/{agent_id}/invoke, GET /v1/invocations, GET and DELETE /v1/invocations/{invocation_id}. */
export function invocationRoutes(binder: RouteBinder, deps: InvocationRouteDeps): void {
  const { inputCheck } = deps;
  const first = {
    prepare: prepareInvocation,
    gate: agentGate(deps.callGate),
    visitorGate: agentVisits(deps),
    inputProblems: inputProblemsOf(inputCheck),
  };
  binder.bindPrepared(invokeAgent, first, async ({ params, body, caller, traceId, hops, req, res }) => {
    const refused = { agentId: params.agent_id, userId: caller?.userId ?? '', input: body.input.body };
    const { idempotencyKey, metadata, accept } = await readEvery(
      {
        idempotencyKey: () => idempotencyKeyOf(req, body.idempotency_key),
        metadata: () => metadataOf(req, body.metadata),
        accept: () => acceptOf(req, body.accept, ['body', 'accept']),
      },
      () => inputCheck.ofAgent(refused),
    );
    const call = {
      agentId: params.agent_id,
      surface: 'invoke' as const,
      input: body.input,
      maxCostCredits: body.max_cost_credits ?? null,
      idempotencyKey,
      metadata,
      accept,
      traceId,
      hops,
      gone: clientGone(res),
    };
    if (!caller) {
      refuseOfAccounts({ mandate: body.mandate, quote_id: body.quote_id });
      return answerVisit(deps, { req, res }, call);
    }
    const request = await admittedCallOf(deps.mandates, {
      ...call,
      principal: caller,
      canonicalInput: () => body.canonicalInput,
      quote: quoteInBody(body.quote_id),
      mandate: body.mandate,
    });
    return callByPreference(deps, request, { req, res, userId: caller.userId });
  });

  bindList(binder, deps);

  binder.bind(getInvocation, async ({ params, query, principal, res }) => {
    const waitMs = (query.wait ?? 0) * 1_000;
    if (waitMs > 0) {
      const wait = { waitMs, gone: clientGone(res), knownQuestion: query.known_question };
      await deps.callWaits.untilEnd(principal.userId, params.invocation_id, wait);
    }
    const call = await deps.invocationViews.get(principal.userId, params.invocation_id);
    return invocationDetailView(call, holdJsonFor(res));
  });

  binder.bind(cancelInvocation, async ({ params, principal, res }) => {
    const { userId } = principal;
    const isTask = await deps.callWaits.cancel(userId, params.invocation_id);
    if (isTask) await deps.taskEngine.stop(params.invocation_id);
    return invocationDetailView(
      await deps.invocationViews.get(userId, params.invocation_id),
      holdJsonFor(res),
    );
  });

  bindPieces(binder, deps);
}

function bindPieces(binder: RouteBinder, { jobPieces }: InvocationRouteDeps): void {
  binder.bind(listJobPieces, ({ params: { invocation_id: invocationId }, query, principal }) =>
    listPage(
      { list: ['job-pieces', invocationId], position: PIECE_POSITION, query },
      ([after = '0'], limit) =>
        jobPieces.list(principal.userId, invocationId, { after: Number(after), limit }),
      { position: ({ number }) => [String(number)], view: pieceView },
    ),
  );
}

function bindList(
  binder: RouteBinder,
  { invocationViews }: Pick<InvocationRouteDeps, 'invocationViews'>,
): void {
  binder.bind(listInvocations, ({ query, principal: { userId } }) => {
    const { agent_id: agentId, status, key_id: keyId, input_required: asks, tag } = query;
    const since = optionalInstantOf('since', query.since);
    const until = optionalInstantOf('until', query.until);
    const list = ['invocations', userId, agentId, status, keyId, query.since, query.until, asks, tag];
    const filter = {
      buyerUserId: userId,
      agentId,
      status,
      keyId,
      isAsked: asks !== undefined,
      tag,
      since,
      until,
    };
    return listPage(
      { list, position: INVOCATION_POSITION, query },
      async ([beforeId], limit) => {
        const { scannedTo, ...found } = await invocationViews.list({ ...filter, beforeId, limit });
        return { ...found, reached: scannedTo === undefined ? undefined : [scannedTo] };
      },
      { position: ({ invocationId }) => [invocationId], view: invocationView },
    );
  });
}
