import {
  applySlash,
  counterSlash,
  getOperatorSlash,
  getSlash,
  listOperatorSlashes,
  listSlashes,
  resolveSlash,
} from '../../contract/slashes';
import { MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import type { SlashStatus } from '../../domain/bonds/slash';
import type { BondCases } from '../../engine/bonds';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import type { Slash, Slashes } from '../../services/bonds/slashes';
import { secondsUntil, unitsOf } from '../requests/amounts';
import { idempotencyKeyOf } from '../requests/idempotency-key';
import { Answer, type RouteBinder } from '../binding/route';

export interface SlashRouteDeps {
  slashes: Slashes;
  bondCases: BondCases;
}

const SLASH_ID = /^slh_[0-9a-f]{32}$/;
const DEFAULT_LIMIT = 20;
const UNDECIDED: readonly SlashStatus[] = ['applied', 'contested'];
const MAX_EVIDENCE_CHARACTERS = 32_768;
/** What the database's JSON cannot hold: NUL, and half of a pair of surrogates. */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/;

/** /v1/billing/developer/slashes for developers, /v1/operator/slashes (contract, "Bonds and slashing"). */
export function slashRoutes(binder: RouteBinder, deps: SlashRouteDeps): void {
  routesOfDevelopers(binder, deps);
  routesOfOperators(binder, deps);
}

function routesOfDevelopers(binder: RouteBinder, { slashes, bondCases }: SlashRouteDeps): void {
  binder.bind(listSlashes, ({ query, principal: { userId } }) =>
    listPage(slashes, ['slashes', userId], query, {
      developerUserId: userId,
      statuses: query.status && [query.status],
      view: toView,
    }),
  );

  binder.bind(getSlash, async ({ params, principal }) =>
    toView(await slashes.get(principal.userId, params.slash_id)),
  );

  binder.bind(counterSlash, async ({ params, body: { statement, evidence }, principal }) => {
    if (evidence !== undefined) requireStorable(evidence);
    const { slash, textId } = await slashes.prepareCounter(
      principal.userId,
      params.slash_id,
      statement,
      evidence,
    );
    await bondCases.counter(slash, { textId }, `${statement}\n${JSON.stringify(evidence)}`);
    return toView(await slashes.read(slash.slashId));
  });
}

function routesOfOperators(binder: RouteBinder, { slashes, bondCases }: SlashRouteDeps): void {
  binder.bind(applySlash, async ({ body, principal, traceId, req }) => {
    requireStorable(body.evidence);
    const { slash, replayed } = await slashes.apply({
      idempotencyKey: idempotencyKeyOf(req, undefined) ?? null,
      operatorUserId: principal.userId,
      agentId: body.agent_id,
      units: unitsOf(body),
      explanation: body.explanation,
      evidence: body.evidence,
      invocationIds: body.invocation_ids,
      traceId,
      asOf: new Date(),
    });
    if (!replayed) await bondCases.startSlash(slash);
    return new Answer(toOperatorView(slash), replayed ? { headers: { 'Idempotent-Replayed': 'true' } } : {});
  });

  binder.bind(listOperatorSlashes, ({ query }) =>
    listPage(slashes, ['operator-slashes'], query, {
      statuses: query.status ? [query.status] : UNDECIDED,
      view: toOperatorView,
    }),
  );

  binder.bind(getOperatorSlash, async ({ params }) => toOperatorView(await slashes.read(params.slash_id)));

  binder.bind(resolveSlash, async ({ params, body: { decision, reason }, principal }) => {
    const operatorUserId = principal.userId;
    const { slash, textId } = await slashes.prepareRuling(operatorUserId, params.slash_id, decision, reason);
    await bondCases.resolve(slash, { decision, textId, operatorUserId }, reason);
    return toOperatorView(await slashes.read(slash.slashId));
  });
}

interface Found<View> {
  developerUserId?: string;
  statuses: readonly SlashStatus[] | undefined;
  view: (slash: Slash) => View;
}

async function listPage<View>(
  slashes: Slashes,
  list: readonly string[],
  query: { limit?: number; cursor?: string; status?: SlashStatus },
  { view, ...filter }: Found<View>,
) {
  const scope = [...list, query.status].join('/');
  const limit = query.limit ?? DEFAULT_LIMIT;
  const beforeId = positionOf(scope, query.cursor);
  const { rows, total } = await slashes.list({ ...filter, beforeId, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(view),
    next_cursor: last ? encodeCursor(scope, [last.slashId]) : null,
    total,
  };
}

function positionOf(scope: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(scope, cursor, [SLASH_ID]);
  if (position) return position[0];
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}

/** Throws 422 for evidence that is too long or that the database cannot hold. */
function requireStorable(evidence: unknown): void {
  const json = JSON.stringify(evidence);
  const fits = json.length <= MAX_EVIDENCE_CHARACTERS;
  if (fits && !UNSTORABLE.test(json)) return;
  const msg = fits
    ? 'holds a NUL or half of a pair of surrogates'
    : `is longer than ${MAX_EVIDENCE_CHARACTERS} characters of JSON`;
  const detail = [{ loc: ['body', 'evidence'], msg, type: fits ? 'text' : 'maxLength' }];
  throw new MarketError('validation_failed', { detail });
}

function toView(slash: Slash) {
  return {
    slash_id: slash.slashId,
    agent_id: slash.agentId,
    status: slash.status,
    resolution: slash.resolution,
    credits: unitsToCredits(slash.amountUnits),
    requested_credits: unitsToCredits(slash.requestedUnits),
    explanation: slash.explanation,
    evidence: slash.evidence,
    calls: slash.calls.map(({ invocationId, refundUnits }) => ({
      invocation_id: invocationId,
      refunded_credits: refundUnits === null ? null : unitsToCredits(refundUnits),
    })),
    counter_argument:
      slash.counteredAt === null
        ? null
        : {
            statement: slash.statement ?? '',
            evidence: slash.counterEvidence,
            created_at: slash.counteredAt.toISOString(),
          },
    decision_reason: slash.decisionReason,
    applied_at: slash.appliedAt.toISOString(),
    counter_by: slash.counterBy.toISOString(),
    resolved_at: slash.resolvedAt?.toISOString() ?? null,
    top_up_by: slash.topUpBy?.toISOString() ?? null,
    remaining_seconds: remainingSeconds(slash),
  };
}

/** Which deadline runs is what has been written, whatever the clock says. */
function remainingSeconds({ status, counterBy, topUpBy, awaitsTopUp }: Slash): number | null {
  if (status === 'applied') return secondsUntil(counterBy);
  return awaitsTopUp && topUpBy ? secondsUntil(topUpBy) : null;
}

function toOperatorView(slash: Slash) {
  return {
    ...toView(slash),
    developer_user_id: slash.developerUserId,
    applied_by: slash.appliedBy,
    resolved_by: slash.resolvedBy,
  };
}
