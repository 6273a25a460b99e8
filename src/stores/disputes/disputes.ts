/**
 * Disputes: queries, and calls of the SQL functions in `migrations/functions/disputes`, which also move the money.
 */
import type { DeveloperDecision, OfferTerms, OperatorDecision } from '../../domain/disputes/dispute-case';
import type { DisputeReason, DisputeResolution, DisputeStatus } from '../../domain/disputes/dispute-state';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';
import { countRows } from '../list-total';
import { NEWEST_OFFER, type OfferRow, type RawOffer, toOffer } from './offers';

export interface DisputeRow {
  disputeId: string;
  invocationId: string;
  buyerUserId: string;
  developerUserId: string;
  agentId: string;
  reason: DisputeReason;
  description: string;
  status: DisputeStatus;
  resolution: DisputeResolution | null;
  refundedUnits: number;
  /** What the call cost; null for a call in progress, and once its month is detached. */
  chargedUnits: number | null;
  /** The display name of the agent in the version that was called. */
  agentName: string;
  openedAt: Date;
  /** Null for a dispute of a call in progress. */
  respondBy: Date | null;
  respondedAt: Date | null;
  /** The developer's statement, after a response. */
  statement: string | null;
  resolvedAt: Date | null;
  resolvedBy: string | null;
  /** The operator's reason. */
  decisionReason: string | null;
  /** The newest offer of the developer; null without any. */
  offer: OfferRow | null;
}

export interface NewDispute {
  disputeId: string;
  invocationId: string;
  buyerUserId: string;
  reason: DisputeReason;
  description: string;
  /** Window for calls without earnings. Calls with earnings may be disputed until the earnings mature. */
  disputeWindowMs: number;
  responseWindowMs: number;
  asOf: Date;
  traceId: string;
}

export type OpenOutcome =
  'refunded' | 'opened' | 'delivering' | 'not_found' | 'already_disputed' | 'call_failed' | 'window_closed';

/** Opens a dispute. `closesAt`: the end of the window in which the call may be disputed. */
export async function openDispute(
  db: Db,
  dispute: NewDispute,
): Promise<{ outcome: OpenOutcome; closesAt: Date | null }> {
  const result = await db.query<{ outcome: OpenOutcome; closes_at: Date | null }>({
    name: 'dispute-open',
    text: 'SELECT outcome, closes_at FROM dispute_open($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [
      dispute.disputeId,
      dispute.invocationId,
      dispute.buyerUserId,
      dispute.reason,
      dispute.description,
      dispute.disputeWindowMs,
      dispute.responseWindowMs,
      dispute.asOf,
      dispute.traceId,
    ],
  });
  const { outcome, closes_at: closesAt } = onlyRow(result);
  return { outcome, closesAt };
}

/** Records the developer's answer, or the end of the window for it. Returns the new status of the case. */
export async function respondToDispute(
  db: Db,
  disputeId: string,
  response: {
    decision: DeveloperDecision | 'silence';
    textId: string | null;
    asOf: Date;
    offer?: OfferTerms;
  },
): Promise<DisputeStatus> {
  const result = await db.query<{ status: DisputeStatus }>({
    name: 'dispute-respond',
    text: 'SELECT status FROM dispute_respond($1, $2, $3, $4, $5, $6)',
    values: [
      disputeId,
      response.decision,
      response.textId,
      response.asOf,
      response.offer?.offerId ?? null,
      response.offer?.units ?? null,
    ],
  });
  return onlyRow(result).status;
}

/** Records the operator's decision of a contested case. Returns the new status of the case. */
export async function resolveDispute(
  db: Db,
  disputeId: string,
  ruling: {
    decision: OperatorDecision;
    textId: string;
    operatorUserId: string;
    asOf: Date;
    partUnits?: number;
  },
): Promise<DisputeStatus> {
  const result = await db.query<{ status: DisputeStatus }>({
    name: 'dispute-resolve',
    text: 'SELECT status FROM dispute_resolve($1, $2, $3, $4, $5, $6)',
    values: [
      disputeId,
      ruling.decision,
      ruling.textId,
      ruling.operatorUserId,
      ruling.asOf,
      ruling.partUnits ?? null,
    ],
  });
  return onlyRow(result).status;
}

export async function insertDisputeText(
  db: Db,
  text: { textId: string; disputeId: string; authorUserId: string; body: string },
): Promise<void> {
  await db.query(
    'INSERT INTO dispute_texts (text_id, dispute_id, author_user_id, body) VALUES ($1, $2, $3, $4)',
    [text.textId, text.disputeId, text.authorUserId, text.body],
  );
}

export async function markDisputeStarted(db: Db, disputeId: string): Promise<void> {
  await db.query('UPDATE disputes SET workflow_started_at = now() WHERE dispute_id = $1', [disputeId]);
}

/** The dispute of a call, as its buyer's view of the call names it. */
export interface DisputeOfCall {
  disputeId: string;
  status: DisputeStatus;
  openedAt: Date;
  respondBy: Date | null;
  resolvedAt: Date | null;
  refundedUnits: number;
}

export async function readDisputeOfCall(db: Db, invocationId: string): Promise<DisputeOfCall | undefined> {
  const { rows } = await db.query<{
    dispute_id: string;
    status: DisputeStatus;
    opened_at: Date;
    respond_by: Date | null;
    resolved_at: Date | null;
    refunded_units: string;
  }>({
    name: 'dispute-of-call',
    text: `SELECT dispute_id, status, opened_at, respond_by, resolved_at, refunded_units FROM disputes
            WHERE invocation_id = $1`,
    values: [invocationId],
  });
  const row = rows[0];
  return (
    row && {
      disputeId: row.dispute_id,
      status: row.status,
      openedAt: row.opened_at,
      respondBy: row.respond_by,
      resolvedAt: row.resolved_at,
      refundedUnits: unitsFromDatabase(row.refunded_units),
    }
  );
}

/** The call is read in the list of columns, and not joined, so that a list reads the calls of its page alone. */
const DISPUTE = `SELECT d.*, s.body AS statement, r.body AS decision_reason,
  (SELECT ARRAY[i.charged_units::text, v.display_name] FROM invocations i
    LEFT JOIN agent_versions v ON v.version_id = i.version_id WHERE i.invocation_id = d.invocation_id) AS call,
  ${NEWEST_OFFER} AS offer
  FROM disputes d
  LEFT JOIN dispute_texts s ON s.text_id = d.statement_id LEFT JOIN dispute_texts r ON r.text_id = d.decision_id`;

export async function readDispute(db: Db, disputeId: string): Promise<DisputeRow | undefined> {
  const result = await db.query<RawDispute>({
    name: 'dispute-read',
    text: `${DISPUTE} WHERE d.dispute_id = $1`,
    values: [disputeId],
  });
  return result.rows[0] && toDispute(result.rows[0]);
}

/**
 * Takes undecided cases whose workflow was not confirmed lately, or never: the one that has waited longest first. A
 * claimed dispute can be claimed again after `confirmedForMs`, by any worker.
 */
export async function claimUnconfirmedDisputes(
  db: Db,
  limit: number,
  confirmedForMs: number,
): Promise<DisputeRow[]> {
  const taken = await db.query<{ dispute_id: string }>(
    `UPDATE disputes SET workflow_started_at = now() WHERE dispute_id = ANY (ARRAY (
         SELECT dispute_id FROM disputes WHERE status IN ('open', 'contested')
           AND coalesce(workflow_started_at, '-infinity') < now() - $2 * interval '1 millisecond'
         ORDER BY coalesce(workflow_started_at, '-infinity') LIMIT $1 FOR UPDATE SKIP LOCKED))
       RETURNING dispute_id`,
    [limit, confirmedForMs],
  );
  if (taken.rows.length === 0) return [];
  // A statement of its own, since it reads calls by their ids (docs/internals/statements.md#row-locks).
  const ids = taken.rows.map(({ dispute_id }) => dispute_id);
  const result = await db.query<RawDispute>(`${DISPUTE} WHERE d.dispute_id = ANY ($1)`, [ids]);
  return result.rows.map(toDispute);
}

export interface DisputeFilter {
  /** Only disputes of calls that this user paid for. */
  buyerUserId?: string | undefined;
  /** Only disputes of this developer's agents. With `buyerUserId`, disputes that match either. */
  developerUserId?: string | undefined;
  statuses?: readonly DisputeStatus[] | undefined;
  /** Only disputes older than this id. */
  beforeId?: string | undefined;
  limit: number;
}

const ROLE = '(($1::text IS NULL AND $2::text IS NULL) OR d.buyer_user_id = $1 OR d.developer_user_id = $2)';

/** Lists disputes, newest first, with the total of the filter. */
export async function listDisputes(
  db: Db,
  filter: DisputeFilter,
): Promise<{ rows: DisputeRow[]; total: number }> {
  const where = `${ROLE} AND ($3::text[] IS NULL OR d.status = ANY ($3))`;
  const values = [filter.buyerUserId ?? null, filter.developerUserId ?? null, filter.statuses ?? null];
  const rows = await db.query<RawDispute>(
    `${DISPUTE} WHERE ${where} AND ($4::text IS NULL OR d.dispute_id < $4) ORDER BY d.dispute_id DESC LIMIT $5`,
    [...values, filter.beforeId ?? null, filter.limit],
  );
  const list = { from: 'disputes d', key: ROLE, filter: where, order: 'd.dispute_id DESC' };
  return { rows: rows.rows.map(toDispute), total: await countRows(db, list, values) };
}

interface RawDispute {
  dispute_id: string;
  invocation_id: string;
  buyer_user_id: string;
  developer_user_id: string;
  agent_id: string;
  reason: DisputeReason;
  description: string;
  status: DisputeStatus;
  resolution: DisputeResolution | null;
  refunded_units: string;
  /** What the call cost, and the name of the agent; null once the month of the call is detached. */
  call: [string | null, string | null] | null;
  opened_at: Date;
  respond_by: Date | null;
  responded_at: Date | null;
  statement: string | null;
  resolved_at: Date | null;
  resolved_by: string | null;
  decision_reason: string | null;
  offer: RawOffer | null;
}

function toDispute(row: RawDispute): DisputeRow {
  const [chargedUnits, agentName] = row.call ?? [null, null];
  return {
    disputeId: row.dispute_id,
    invocationId: row.invocation_id,
    buyerUserId: row.buyer_user_id,
    developerUserId: row.developer_user_id,
    agentId: row.agent_id,
    reason: row.reason,
    description: row.description,
    status: row.status,
    resolution: row.resolution,
    refundedUnits: unitsFromDatabase(row.refunded_units),
    agentName: agentName ?? row.agent_id,
    chargedUnits: chargedUnits === null ? null : unitsFromDatabase(chargedUnits),
    openedAt: row.opened_at,
    respondBy: row.respond_by,
    respondedAt: row.responded_at,
    statement: row.statement,
    resolvedAt: row.resolved_at,
    resolvedBy: row.resolved_by,
    decisionReason: row.decision_reason,
    offer: row.offer && toOffer(row.offer),
  };
}
