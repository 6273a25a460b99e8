/**
 * The further steps of a call: one SQL function each, which is one statement and one transaction. The rules are in
 * `migrations/functions/calls`. Statements are named because this is the hot path.
 */
import { type FailureRecord, failureValues } from './call-failures';
import type { ErrorCode } from '../../domain/errors';
import { type Db, onlyRow } from '../db';
import { type AcceptItem, type CallState, type StateRow, toState } from './call-batches';

/** The verdict about a call whose idempotency key an earlier call of the buyer holds. */
export interface EarlierCall {
  invocationId: string;
  outcome: 'attach' | 'replay' | 'already_disputed' | 'idempotency_key_reused';
}

/** The earlier call that holds the idempotency key of a new one. Undefined when the key is free. */
export async function judgeEarlier(
  db: Db,
  call: Pick<
    AcceptItem,
    'buyer_user_id' | 'idempotency_key' | 'agent_id' | 'input_sha256' | 'accept_sha256' | 'mandate'
  >,
): Promise<EarlierCall | undefined> {
  const result = await db.query<{ earlier_id: string | null; outcome: EarlierCall['outcome'] }>({
    name: 'invocation-earlier',
    text: 'SELECT earlier_id, outcome FROM invocation_earlier($1, $2, $3, $4, $5, $6)',
    values: [
      call.buyer_user_id,
      call.idempotency_key,
      call.agent_id,
      call.input_sha256,
      call.mandate && JSON.stringify(call.mandate),
      call.accept_sha256 ?? null,
    ],
  });
  const row = result.rows[0];
  return row?.earlier_id ? { invocationId: row.earlier_id, outcome: row.outcome } : undefined;
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

/**
 * Refunds one call, and notes what is known about its failure. Both are one transaction, so who is
 * notified of the end reads why.
 */
export async function refundFailed(db: Db, item: RefundItem, failure: FailureRecord): Promise<CallState[]> {
  const result = await db.query<StateRow>({
    name: 'invocation-refund-failed',
    text: `SELECT outcome, status, error_code, call_failure_record($2, $3, $4, $5, $6, $7, $8)
             FROM invocation_refund($1::jsonb)`,
    values: [JSON.stringify([item]), ...failureValues(failure)],
  });
  return result.rows.map(toState);
}

/** `answered`: the agent of the job has called its end back, which counts. */
export type CancelOutcome = 'canceled' | 'delivering' | 'answered' | 'over';

/** Ends a call that its buyer cancels, with a refund. `over`: it has ended before. */
export async function cancelInvocation(db: Db, invocationId: string): Promise<CancelOutcome> {
  const result = await db.query<{ outcome: CancelOutcome }>('SELECT invocation_cancel($1) AS outcome', [
    invocationId,
  ]);
  return onlyRow(result).outcome;
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
