/**
 * The SQL functions that move invocations. Each is one statement and one transaction. Each takes an array and returns
 * one row per item, in order, so that batches of any size use the same code. The rules are in
 * `migrations/functions/calls`. Statements are named because this is the hot path.
 */
import type { ErrorCode } from '../../domain/errors';
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { MandateReason } from '../../domain/mandates/mandate-refusal';
import type { Db } from '../db';
import type { MandateItem } from '../mandates/mandates';

export interface AcceptItem {
  invocation_id: string;
  buyer_user_id: string;
  agent_id: string;
  version_id: string;
  surface: 'invoke' | 'chat' | 'use' | 'mcp' | 'a2a';
  max_cost_credits: number | null;
  /** Minimum cost of the call, unless it is free. */
  least_cost_credits: number;
  idempotency_key: string | null;
  input_sha256: string;
  input_bytes: number;
  owner: string;
  trace_id: string;
  max_in_flight_buyer: number;
  max_in_flight_agent: number;
  /**
   * Calls in flight of a buyer beside which a call is accepted that costs nothing and that the wallet could not pay.
   */
  max_in_flight_unpaid: number;
  /** The buyer's API key that authenticated the call. Its credit cap limits the call. */
  key_id: string | null;
  /** The buyer's mandate that another caller uses. Its budget limits the call. */
  mandate: MandateItem | null;
}

/** `attach` and `replay` return the earlier call with the same key. Error codes are refusals, which write nothing. */
export interface AcceptResult {
  outcome: 'accepted' | 'attach' | 'replay' | AcceptRefusal | 'wallet_frozen';
  invocationId: string;
  /** Amount that the call holds. */
  priceUnits: number;
  /** True for a call in the free tier, which costs nothing whatever its usage. */
  free: boolean;
  /** What a refused call lacks; null if nothing is known about it. */
  refusal: RefusalFacts | null;
}

/** The facts about a refusal for want of credits or by a mandate. */
export interface RefusalFacts {
  /**
   * Credit units left of the wallet, of the key's cap or of the mandate's budget; null if the refusal is about none.
   */
  left_units: number | null;
  /** Why the mandate does not pay (`migrations/functions/mandates/mandate_judge.sql`). */
  reason?: MandateReason;
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

/** The verdict about a call whose idempotency key an earlier call of the buyer holds. */
export interface EarlierCall {
  invocationId: string;
  outcome: 'attach' | 'replay' | 'already_disputed' | 'idempotency_key_reused';
}

/** The state of a call in the database. Every step reads it first. */
export interface CallState {
  status: InvocationStatus;
  errorCode: ErrorCode | null;
}

export interface StateRow {
  outcome: string;
  status: InvocationStatus;
  error_code: ErrorCode | null;
}

/** The earlier call that holds the idempotency key of a new one. Undefined when the key is free. */
export async function judgeEarlier(
  db: Db,
  call: Pick<AcceptItem, 'buyer_user_id' | 'idempotency_key' | 'agent_id' | 'input_sha256' | 'mandate'>,
): Promise<EarlierCall | undefined> {
  const result = await db.query<{ earlier_id: string | null; outcome: EarlierCall['outcome'] }>({
    name: 'invocation-earlier',
    text: 'SELECT earlier_id, outcome FROM invocation_earlier($1, $2, $3, $4, $5)',
    values: [
      call.buyer_user_id,
      call.idempotency_key,
      call.agent_id,
      call.input_sha256,
      call.mandate && JSON.stringify(call.mandate),
    ],
  });
  const row = result.rows[0];
  return row?.earlier_id ? { invocationId: row.earlier_id, outcome: row.outcome } : undefined;
}

interface AcceptRow {
  outcome: AcceptResult['outcome'];
  invocation_id: string;
  price_units: string;
  free: boolean;
  refusal: RefusalFacts | null;
}

export async function acceptInvocations(db: Db, items: AcceptItem[]): Promise<AcceptResult[]> {
  const result = await db.query<AcceptRow>({
    name: 'invocation-accept',
    text: 'SELECT outcome, invocation_id, price_units, free, refusal FROM invocation_accept($1::jsonb) ORDER BY ord',
    values: [JSON.stringify(items)],
  });
  return result.rows.map(toAccepted);
}

/** A call that is forwarded as soon as it is accepted. */
export interface ForwardedItem extends AcceptItem {
  /** Time until the hold lapses, in ms from its acceptance. */
  lease_ms: number;
}

/**
 * Accepts calls, and places their holds with the permits to forward them, in one transaction. The caller forwards the
 * calls at once, because the leases of their holds run from now on.
 */
export async function acceptAndPermit(db: Db, items: ForwardedItem[]): Promise<AcceptResult[]> {
  const result = await db.query<AcceptRow>({
    name: 'invocation-accept-permit',
    text: `SELECT outcome, invocation_id, price_units, free, refusal FROM invocation_accept_permit($1::jsonb)
           ORDER BY ord`,
    values: [JSON.stringify(items)],
  });
  return result.rows.map(toAccepted);
}

function toAccepted(row: AcceptRow): AcceptResult {
  return {
    outcome: row.outcome,
    invocationId: row.invocation_id,
    priceUnits: unitsFromDatabase(row.price_units),
    free: row.free,
    refusal: row.refusal,
  };
}

/** Places holds. `held` is true if the hold is open; otherwise the state is that of the row. */
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

/** `holdInvocations` for one call, then `permitForward`, in one transaction. `permit` is null if there is no hold. */
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

/** Requests the permit to call the agent. Only `granted` permits it, and is given once (docs/life-of-a-call.md). */
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

/** Requests the permit to deliver the first piece of a streamed answer. False when the call was decided before. */
export async function permitDelivery(db: Db, invocationId: string): Promise<boolean> {
  const result = await db.query<{ permitted: boolean }>({
    name: 'invocation-deliver',
    text: 'SELECT invocation_deliver($1) AS permitted',
    values: [invocationId],
  });
  return result.rows[0]?.permitted ?? false;
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

/** Fails a call that is still `pending`. Returns its new state, which is `running` if the hold was placed first. */
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

/** Lists calls that no process drives, longest abandoned first, without those in `aside`. */
export async function listAbandoned(
  db: Db,
  pendingLeaseMs: number,
  limit: number,
  aside: readonly string[] = [],
): Promise<string[]> {
  const result = await db.query<{ invocation_id: string }>(
    'SELECT invocation_id FROM invocation_abandoned($1, $2, $3) AS a(invocation_id)',
    [pendingLeaseMs, limit, aside],
  );
  return result.rows.map((row) => row.invocation_id);
}

/**
 * Ends those of these calls that no process drives: voids holds with an expired lease and fails pending calls that got
 * no hold in time. Returns their ids.
 */
export async function sweepInvocations(
  db: Db,
  pendingLeaseMs: number,
  ids: readonly string[],
): Promise<string[]> {
  const result = await db.query<{ invocation_id: string }>(
    'SELECT invocation_id FROM invocation_sweep($1, $2) AS s(invocation_id)',
    [pendingLeaseMs, ids],
  );
  return result.rows.map((row) => row.invocation_id);
}

export function toState(row: StateRow): CallState {
  return { status: row.status, errorCode: row.error_code };
}
