import {
  applySlash,
  counterSlash,
  getOperatorSlash,
  getSlash,
  listOperatorSlashes,
  listSlashes,
  resolveSlash,
} from '../../contract/slashes';
import { evidenceProblems } from '../../domain/bonds/request-problems';
import { MarketError } from '../../domain/errors';
import type { SlashStatus } from '../../domain/bonds/slash';
import type { BondCases } from '../../engine/bonds';
import type { Slashes } from '../../services/bonds/slashes';
import { unitsOf } from '../requests/amounts';
import { idempotencyKeyOf } from '../requests/request-fields';
import { idPosition, listPage } from '../requests/list-page';
import { operatorSlashView, slashView } from '../views/slashes';
import { replayable } from '../answers/replayed';
import type { RouteBinder } from '../binding/route';

export interface SlashRouteDeps {
  slashes: Slashes;
  bondCases: BondCases;
}

const SLASH_POSITION = idPosition('slh');
const UNDECIDED: readonly SlashStatus[] = ['applied', 'contested'];

/** /v1/billing/developer/slashes for developers, /v1/operator/slashes (contract, "Bonds and slashing"). */
export function slashRoutes(binder: RouteBinder, deps: SlashRouteDeps): void {
  routesOfDevelopers(binder, deps);
  routesOfOperators(binder, deps);
}

function routesOfDevelopers(binder: RouteBinder, { slashes, bondCases }: SlashRouteDeps): void {
  binder.bind(listSlashes, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['slashes', userId, query.status], position: SLASH_POSITION, query },
      ([beforeId], limit) =>
        slashes.list({
          developerUserId: userId,
          statuses: query.status && [query.status],
          beforeId,
          limit,
        }),
      { position: ({ slashId }) => [slashId], view: slashView },
    ),
  );

  binder.bind(getSlash, async ({ params, principal }) =>
    slashView(await slashes.get(principal.userId, params.slash_id)),
  );

  binder.bind(counterSlash, async ({ params, body: { statement, evidence }, principal }) => {
    if (evidence !== undefined) requireStorable(evidence);
    const { userId } = principal;
    return slashView(await bondCases.counter({ userId, slashId: params.slash_id, statement, evidence }));
  });
}

function routesOfOperators(binder: RouteBinder, { slashes, bondCases }: SlashRouteDeps): void {
  binder.bind(applySlash, async ({ body, principal, traceId, req }) => {
    requireStorable(body.evidence);
    const { slash, replayed } = await bondCases.applySlash({
      idempotencyKey: idempotencyKeyOf(req, undefined) ?? null,
      operatorUserId: principal.userId,
      agentId: body.agent_id,
      units: unitsOf(body),
      refund: body.refund,
      explanation: body.explanation,
      evidence: body.evidence,
      invocationIds: body.invocation_ids,
      traceId,
      asOf: new Date(),
    });
    return replayable(operatorSlashView(slash), replayed);
  });

  binder.bind(listOperatorSlashes, ({ query }) =>
    listPage(
      {
        list: ['operator-slashes', query.status, query.agent_id, query.developer_user_id],
        position: SLASH_POSITION,
        query,
      },
      ([beforeId], limit) =>
        slashes.list({
          statuses: statusesOf(query),
          agentId: query.agent_id,
          developerUserId: query.developer_user_id,
          beforeId,
          limit,
        }),
      { position: ({ slashId }) => [slashId], view: operatorSlashView },
    ),
  );

  binder.bind(getOperatorSlash, async ({ params }) => operatorSlashView(await slashes.read(params.slash_id)));

  binder.bind(resolveSlash, async ({ params, body: { decision, reason }, principal }) => {
    const operatorUserId = principal.userId;
    const ruling = { operatorUserId, slashId: params.slash_id, decision, reason };
    return operatorSlashView(await bondCases.resolve(ruling));
  });
}

/** The states that an operator asks for: without one, those of a subject are all, and of everything the undecided. */
function statusesOf(query: {
  status?: SlashStatus | 'all';
  agent_id?: string;
  developer_user_id?: string;
}): readonly SlashStatus[] | undefined {
  if (query.status === 'all') return undefined;
  if (query.status !== undefined) return [query.status];
  return query.agent_id === undefined && query.developer_user_id === undefined ? UNDECIDED : undefined;
}

/** Throws 422 for evidence that is too long or that Postgres cannot store. */
function requireStorable(evidence: unknown): void {
  const detail = evidenceProblems(evidence);
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
}
