/**
 * The SQL functions that move an invocation. Each is one statement and one transaction; each takes an array and
 * returns one row per item, in order, so that a batch of one and a batch of fifty are the same code. The rules are
 * in migrations/03*.js; statements are named, because this is the hot path.
 */
import type { ErrorCode } from '../../domain/errors';
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';
import type { MandateItem } from '../mandates/mandates';

export interface AcceptItem {
  invocation_id: string;
  buyer_user_id: string;
  agent_id: string;
  version_id: string;
  surface: 'invoke' | 'chat' | 'use' | 'mcp' | 'a2a';
  max_cost_credits: number | null;
  /** What the call costs at least, unless it is free. */
  least_cost_credits: number;
  idempotency_key: string | null;
  input_sha256: string;
  owner: string;
  trace_id: string;
  max_in_flight_buyer: number;
  max_in_flight_agent: number;
  /** The buyer's API key by which the call came: its credit cap bounds the call. */
  key_id: string | null;
  /** The mandate of the buyer under which somebody calls: its budget bounds the call. */
  mandate: MandateItem | null;
}

/** `attach` and `replay` name the earlier call with the same key; codes are refusals that wrote nothing. */
export interface AcceptResult {
  outcome: 'accepted' | 'attach' | 'replay' | AcceptRefusal | 'wallet_frozen';
  invocationId: string;
  /** What the call holds. */
  priceUnits: number;
  /** A call of the free tier: it costs nothing, whatever it uses. */
  free: boolean;
}
export type AcceptRefusal = Extract<
  ErrorCode,
  | 'not_found'
  | 'insufficient_credits'
  | 'max_cost_exceeded'
  | 'concurrency_limited'
  | 'credit_cap_exceeded'
  | 'mandate_invalid'
  | 'mandate_exceeded'
  | 'not_authenticated'
  | 'idempotency_key_reused'
  | 'already_disputed'
>;

/** The state of a call as its rows say it; every step reads this first. */
export interface CallState {
  status: InvocationStatus;
  errorCode: ErrorCode | null;
}

interface StateRow {
  outcome: string;
  status: InvocationStatus;
  error_code: ErrorCode | null;
}

export async function acceptInvocations(db: Db, items: AcceptItem[]): Promise<AcceptResult[]> {
  const result = await db.query<{
    outcome: AcceptResult['outcome'];
    invocation_id: string;
    price_units: string;
    free: boolean;
  }>({
    name: 'invocation-accept',
    text: 'SELECT outcome, invocation_id, price_units, free FROM invocation_accept($1::jsonb) ORDER BY ord',
    values: [JSON.stringify(items)],
  });
  return result.rows.map((row) => ({
    outcome: row.outcome,
    invocationId: row.invocation_id,
    priceUnits: unitsFromDatabase(row.price_units),
    free: row.free,
  }));
}

/** `held`: the hold is open. Anything else: the state that the rows had, or have now. */
export async function holdInvocations(
  db: Db,
  ids: string[],
  leaseMs: number,
): Promise<(CallState & { held: boolean })[]> {
  const result = await db.query<StateRow>({
    name: 'invocation-hold',
    text: 'SELECT outcome, status, error_code FROM invocation_hold($1::text[], $2) ORDER BY ord',
    values: [ids, leaseMs],
  });
  return result.rows.map((row) => ({ ...toState(row), held: row.outcome === 'held' }));
}

/** `holdInvocations` of one call and `permitForward`, in one transaction; `permit` is null when nothing is held. */
export async function holdAndPermit(
  db: Db,
  invocationId: string,
  leaseMs: number,
): Promise<CallState & { held: boolean; permit: ForwardPermit | null }> {
  const result = await db.query<StateRow & { permit: ForwardPermit | null }>({
    name: 'invocation-hold-forward',
    text: 'SELECT outcome, status, error_code, permit FROM invocation_hold_forward($1, $2)',
    values: [invocationId, leaseMs],
  });
  const row = result.rows[0];
  if (!row) throw new Error(`no invocation ${invocationId}`);
  return { ...toState(row), held: row.outcome === 'held', permit: row.permit };
}

export type ForwardPermit = 'granted' | 'already_forwarded' | 'lapsed' | 'resolved';

/** Nothing may be sent to an agent without `granted`, which is given once (engine.md §2, "Guard"). */
export async function permitForward(
  db: Db,
  invocationId: string,
  leaseMs: number,
  repeatable: boolean,
): Promise<CallState & { permit: ForwardPermit }> {
  const result = await db.query<StateRow>({
    name: 'invocation-forward',
    text: 'SELECT outcome, status, error_code FROM invocation_forward($1, $2, $3)',
    values: [invocationId, leaseMs, repeatable],
  });
  const row = result.rows[0];
  if (!row) throw new Error(`no invocation ${invocationId}`);
  return { ...toState(row), permit: row.outcome as ForwardPermit };
}

export interface SettleItem {
  invocation_id: string;
  charged_units: number;
  output_sha256: string;
  tokens_in: number;
  tokens_out: number;
  duration_ms: number;
  /** Encrypted answer in base64, kept for `answer_ttl_ms`; null when no later reader needs it. */
  answer: string | null;
  answer_ttl_ms: number;
  /** When the earnings become payable: the length of the dispute window. */
  matures_after_ms: number;
}

/** `captured`: this call or an earlier attempt of it took the money. */
export async function settleInvocations(db: Db, items: SettleItem[]): Promise<CallState[]> {
  const result = await db.query<StateRow>({
    name: 'invocation-settle',
    text: 'SELECT outcome, status, error_code FROM invocation_settle($1::jsonb) ORDER BY ord',
    values: [JSON.stringify(items)],
  });
  return result.rows.map(toState);
}

export interface RefundItem {
  invocation_id: string;
  error_code: ErrorCode;
  duration_ms: number | null;
}

export async function refundInvocations(db: Db, items: RefundItem[]): Promise<CallState[]> {
  const result = await db.query<StateRow>({
    name: 'invocation-refund',
    text: 'SELECT outcome, status, error_code FROM invocation_refund($1::jsonb) ORDER BY ord',
    values: [JSON.stringify(items)],
  });
  return result.rows.map(toState);
}

/** Fails a call that is still `pending`; returns the state it has now (`running` when the hold won the race). */
export async function failPending(db: Db, invocationId: string, code: ErrorCode): Promise<CallState> {
  const result = await db.query<StateRow>({
    name: 'invocation-fail-pending',
    text: 'SELECT outcome, status, error_code FROM invocation_fail_pending($1, $2)',
    values: [invocationId, code],
  });
  const row = result.rows[0];
  if (!row) throw new Error(`no invocation ${invocationId}`);
  return toState(row);
}

/** Voids holds past their lease and fails pending rows that never got one; returns their ids. */
export async function sweepInvocations(db: Db, pendingLeaseMs: number, limit: number): Promise<string[]> {
  const result = await db.query<{ invocation_id: string }>(
    'SELECT invocation_id FROM invocation_sweep($1, $2)',
    [pendingLeaseMs, limit],
  );
  return result.rows.map((row) => row.invocation_id);
}

function toState(row: StateRow): CallState {
  return { status: row.status, errorCode: row.error_code };
}
