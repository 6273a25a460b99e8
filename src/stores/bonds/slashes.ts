/** Slashes: queries, and calls of the SQL functions in `migrations/functions/bonds`, which also move the money. */
import { unitsFromDatabase } from '../../domain/ledger/money';
import type {
  SlashDecision,
  SlashMoved,
  SlashRefund,
  SlashResolution,
  SlashStatus,
  TopUpOutcome,
} from '../../domain/bonds/slash';
import { onlyRow, type Db } from '../db';
import { countRows } from '../list-total';

export interface SlashCall {
  invocationId: string;
  /** Refund of the call's buyer; null until the slash is final. */
  refundUnits: number | null;
}

export interface SlashRow {
  slashId: string;
  developerUserId: string;
  agentId: string;
  status: SlashStatus;
  resolution: SlashResolution | null;
  requestedUnits: number;
  /**
   * The amount that left the bond. For a final slash, the part that came back because the calls had been refunded
   * otherwise is subtracted.
   */
  amountUnits: number;
  refund: SlashRefund;
  explanation: string;
  evidence: unknown;
  calls: SlashCall[];
  /** Buyers of the month of a broken warranty; 0 for any other slash. */
  buyers: number;
  appliedBy: string;
  appliedAt: Date;
  counterBy: Date;
  counteredAt: Date | null;
  /** The developer's counter-argument. */
  statement: string | null;
  counterEvidence: unknown;
  resolvedAt: Date | null;
  resolvedBy: string | null;
  /** The operator's reason. */
  decisionReason: string | null;
  /** Deadline of the top-up, if this slash left a shortfall. */
  topUpBy: Date | null;
  /** True while the shortfall of this slash is not covered and its deadline has not passed. */
  awaitsTopUp: boolean;
}

export interface NewSlash {
  slashId: string;
  /** The operator's idempotency key; null if the order has none. */
  idempotencyKey: string | null;
  /** SHA-256 of the canonical JSON of the order. */
  requestSha256: string;
  operatorUserId: string;
  agentId: string;
  units: number;
  refund: SlashRefund;
  explanation: string;
  evidence: unknown;
  invocationIds: readonly string[];
  counterWindowMs: number;
  topUpWindowMs: number;
  traceId: string;
  asOf: Date;
}

export type OrderOutcome =
  'applied' | 'replayed' | 'key_reused' | 'no_agent' | 'unknown_calls' | 'nothing_charged' | 'no_bond';

/**
 * `unknown`: ids that are not calls of the agent. `made`: the slash of this order, or of an earlier one with its key.
 */
export interface Ordered {
  outcome: OrderOutcome;
  unknown: string[] | null;
  made: string | null;
}

/** Takes the amount from the bond, once per idempotency key. */
export async function orderSlash(db: Db, slash: NewSlash): Promise<Ordered> {
  const result = await db.query<Ordered>({
    name: 'slash-order',
    text: `SELECT outcome, unknown, made
           FROM slash_order($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, $11, $12, $13, $14)`,
    values: [
      slash.idempotencyKey,
      slash.requestSha256,
      slash.slashId,
      slash.operatorUserId,
      slash.agentId,
      slash.units,
      slash.refund,
      slash.explanation,
      JSON.stringify(slash.evidence),
      slash.invocationIds,
      slash.counterWindowMs,
      slash.topUpWindowMs,
      slash.traceId,
      slash.asOf,
    ],
  });
  return onlyRow(result);
}

/** Records the developer's counter-argument and returns the new status of the slash. */
export async function counterSlash(
  db: Db,
  slashId: string,
  textId: string,
  asOf: Date,
): Promise<SlashStatus> {
  const result = await db.query<{ status: SlashStatus }>({
    name: 'slash-counter',
    text: 'SELECT slash_counter($1, $2, $3) AS status',
    values: [slashId, textId, asOf],
  });
  return onlyRow(result).status;
}

/** Resolves a slash: by an operator's decision, or because the developer did not answer in time. */
export async function resolveSlash(
  db: Db,
  slashId: string,
  end: {
    decision: SlashDecision | 'developer_silent';
    textId: string | null;
    operatorUserId: string | null;
    asOf: Date;
  },
): Promise<SlashMoved> {
  const result = await db.query<{ status: SlashStatus; top_up_by: Date | null }>({
    name: 'slash-resolve',
    text: 'SELECT status, top_up_by FROM slash_resolve($1, $2, $3, $4, $5)',
    values: [slashId, end.decision, end.textId, end.operatorUserId, end.asOf],
  });
  const { status, top_up_by: topUpBy } = onlyRow(result);
  return { status, topUpByMs: topUpBy?.getTime() ?? null };
}

/** Ends the top-up window of a slash. */
export async function endTopUp(db: Db, slashId: string, asOf: Date): Promise<TopUpOutcome> {
  const result = await db.query<{ outcome: TopUpOutcome }>({
    name: 'slash-end-top-up',
    text: 'SELECT slash_end_top_up($1, $2) AS outcome',
    values: [slashId, asOf],
  });
  return onlyRow(result).outcome;
}

export async function insertSlashText(
  db: Db,
  text: { textId: string; slashId: string; authorUserId: string; body: string; evidence?: unknown },
): Promise<void> {
  await db.query(
    'INSERT INTO slash_texts (text_id, slash_id, author_user_id, body, evidence) VALUES ($1, $2, $3, $4, $5::jsonb)',
    [
      text.textId,
      text.slashId,
      text.authorUserId,
      text.body,
      text.evidence === undefined ? null : JSON.stringify(text.evidence),
    ],
  );
}

export async function markSlashStarted(db: Db, slashId: string): Promise<void> {
  await db.query('UPDATE slashes SET workflow_started_at = now() WHERE slash_id = $1', [slashId]);
}

const AWAITS_TOP_UP = `EXISTS (SELECT FROM bonds b WHERE b.developer_user_id = s.developer_user_id
  AND b.shortfall_slash_id = s.slash_id AND b.shortfall_ended_at IS NULL)`;
const SLASH = `SELECT s.*, c.body AS statement, c.evidence AS counter_evidence, r.body AS decision_reason,
    ${AWAITS_TOP_UP} AS awaits_top_up,
    (SELECT json_agg(json_build_object('invocationId', k.invocation_id, 'refundUnits', k.refund_units)
       ORDER BY k.invocation_id) FROM slash_calls k WHERE k.slash_id = s.slash_id) AS calls,
    (SELECT count(*)::int FROM slash_buyers b WHERE b.slash_id = s.slash_id) AS buyers
  FROM slashes s LEFT JOIN slash_texts c ON c.text_id = s.counter_id
  LEFT JOIN slash_texts r ON r.text_id = s.decision_id`;

export async function readSlash(db: Db, slashId: string): Promise<SlashRow | undefined> {
  const result = await db.query<RawSlash>({
    name: 'slash-read',
    text: `${SLASH} WHERE s.slash_id = $1`,
    values: [slashId],
  });
  return result.rows[0] && toSlash(result.rows[0]);
}

/** Takes unfinished slashes whose workflow was not confirmed lately, or never, as `claimUnconfirmedDisputes` does. */
export async function claimUnconfirmedSlashes(
  db: Db,
  limit: number,
  confirmedForMs: number,
): Promise<string[]> {
  const { rows } = await db.query<{ slash_id: string }>(
    `WITH undecided AS (SELECT slash_id FROM slashes WHERE status IN ('applied', 'contested')
         AND coalesce(workflow_started_at, '-infinity') < now() - $2 * interval '1 millisecond'
       ORDER BY coalesce(workflow_started_at, '-infinity') LIMIT $1 FOR UPDATE SKIP LOCKED),
     short AS (SELECT s.slash_id FROM bonds b JOIN slashes s ON s.slash_id = b.shortfall_slash_id
       WHERE b.shortfall_slash_id IS NOT NULL AND b.shortfall_ended_at IS NULL
         AND coalesce(s.workflow_started_at, '-infinity') < now() - $2 * interval '1 millisecond'
       ORDER BY s.workflow_started_at NULLS FIRST LIMIT $1 FOR UPDATE OF s SKIP LOCKED)
     UPDATE slashes SET workflow_started_at = now()
     WHERE slash_id = ANY (ARRAY (SELECT slash_id FROM undecided UNION SELECT slash_id FROM short)) RETURNING slash_id`,
    [limit, confirmedForMs],
  );
  return rows.map(({ slash_id }) => slash_id);
}

export interface SlashFilter {
  developerUserId?: string | undefined;
  agentId?: string | undefined;
  statuses?: readonly SlashStatus[] | undefined;
  /** Only slashes older than this id. */
  beforeId?: string | undefined;
  limit: number;
}

/** Lists slashes, newest first, with the total of the filter. */
export async function listSlashes(db: Db, filter: SlashFilter): Promise<{ rows: SlashRow[]; total: number }> {
  const where = `($1::text IS NULL OR s.developer_user_id = $1) AND ($2::text[] IS NULL OR s.status = ANY ($2))
    AND ($3::text IS NULL OR s.agent_id = $3)`;
  const values = [filter.developerUserId ?? null, filter.statuses ?? null, filter.agentId ?? null];
  const rows = await db.query<RawSlash>(
    `${SLASH} WHERE ${where} AND ($4::text IS NULL OR s.slash_id < $4) ORDER BY s.slash_id DESC LIMIT $5`,
    [...values, filter.beforeId ?? null, filter.limit],
  );
  const ofAgent = filter.agentId === undefined ? 'true' : 's.agent_id = $3';
  const key = filter.developerUserId === undefined ? ofAgent : 's.developer_user_id = $1';
  const list = { from: 'slashes s', key, filter: where, order: 's.slash_id DESC' };
  return { rows: rows.rows.map(toSlash), total: await countRows(db, list, values) };
}

interface RawSlash {
  slash_id: string;
  developer_user_id: string;
  agent_id: string;
  status: SlashStatus;
  resolution: SlashResolution | null;
  requested_units: string;
  amount_units: string;
  returned_units: string;
  refund: SlashRefund;
  explanation: string;
  evidence: unknown;
  calls: SlashCall[] | null;
  buyers: number;
  applied_by: string;
  applied_at: Date;
  counter_by: Date;
  countered_at: Date | null;
  statement: string | null;
  counter_evidence: unknown;
  resolved_at: Date | null;
  resolved_by: string | null;
  decision_reason: string | null;
  top_up_by: Date | null;
  awaits_top_up: boolean;
}

function toSlash(row: RawSlash): SlashRow {
  return {
    slashId: row.slash_id,
    developerUserId: row.developer_user_id,
    agentId: row.agent_id,
    status: row.status,
    resolution: row.resolution,
    requestedUnits: unitsFromDatabase(row.requested_units),
    amountUnits: unitsFromDatabase(row.amount_units) - unitsFromDatabase(row.returned_units),
    refund: row.refund,
    explanation: row.explanation,
    evidence: row.evidence,
    calls: row.calls ?? [],
    buyers: row.buyers,
    appliedBy: row.applied_by,
    appliedAt: row.applied_at,
    counterBy: row.counter_by,
    counteredAt: row.countered_at,
    statement: row.statement,
    counterEvidence: row.counter_evidence,
    resolvedAt: row.resolved_at,
    resolvedBy: row.resolved_by,
    decisionReason: row.decision_reason,
    topUpBy: row.top_up_by,
    awaitsTopUp: row.awaits_top_up,
  };
}
