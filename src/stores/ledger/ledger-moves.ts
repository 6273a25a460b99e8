import type {
  CaptureOutcome,
  ClawbackOutcome,
  HoldOutcome,
  LedgerResult,
  RegistrationOutcome,
  TopupOutcome,
  VoidOutcome,
} from '../../domain/ledger/ledger';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

/**
 * Calls of the ledger's SQL functions (`migrations/functions/ledger`). Each is one statement: arrays in, one result
 * per item out, in order. All are idempotent: the business reference identifies a movement, and a repetition returns
 * `already_…`.
 */
export interface HoldRequest {
  invocationId: string;
  buyerUserId: string;
  developerUserId: string;
  agentId: string;
  versionId: string;
  /** A whole number of credits, in units. 0 creates a hold without entries. */
  amountUnits: number;
  leaseUntil: Date;
  traceId: string | null;
}

export function hold(db: Db, items: readonly HoldRequest[]): Promise<LedgerResult<HoldOutcome>[]> {
  return move(db, 'ledger-hold', 'ledger_hold($1, $2, $3, $4, $5, $6, $7, $8)', [
    items.map((item) => item.invocationId),
    items.map((item) => item.buyerUserId),
    items.map((item) => item.developerUserId),
    items.map((item) => item.agentId),
    items.map((item) => item.versionId),
    items.map((item) => item.amountUnits),
    items.map((item) => item.leaseUntil),
    items.map((item) => item.traceId),
  ]);
}

export interface CaptureRequest {
  invocationId: string;
  /** A whole number of credits, in units; at most the hold. */
  grossUnits: number;
  /** When the lot becomes payable. */
  maturesAt: Date;
}

export function capture(db: Db, items: readonly CaptureRequest[]): Promise<LedgerResult<CaptureOutcome>[]> {
  return move(db, 'ledger-capture', 'ledger_capture($1, $2, $3)', [
    items.map((item) => item.invocationId),
    items.map((item) => item.grossUnits),
    items.map((item) => item.maturesAt),
  ]);
}

export interface VoidRequest {
  invocationId: string;
  /** Resolves the hold as `disputed` instead of `voided`. */
  disputed: boolean;
}

export function voidHold(db: Db, items: readonly VoidRequest[]): Promise<LedgerResult<VoidOutcome>[]> {
  return move(db, 'ledger-void', 'ledger_void($1, $2)', [
    items.map((item) => item.invocationId),
    items.map((item) => item.disputed),
  ]);
}

/** Takes charges back. `parts`: what each buyer gets at most, in units; null, or without it, the whole charge. */
export function clawback(
  db: Db,
  invocationIds: readonly string[],
  parts?: readonly (number | null)[],
): Promise<LedgerResult<ClawbackOutcome>[]> {
  return move(db, 'ledger-clawback', 'ledger_clawback($1, $2)', [invocationIds, parts ?? null]);
}

export function payRegistration(
  db: Db,
  items: readonly { userId: string; traceId: string | null }[],
): Promise<LedgerResult<RegistrationOutcome>[]> {
  return move(db, 'ledger-pay-registration', 'ledger_pay_registration($1, $2)', [
    items.map((item) => item.userId),
    items.map((item) => item.traceId),
  ]);
}

export function completeTopups(db: Db, topupIds: readonly string[]): Promise<LedgerResult<TopupOutcome>[]> {
  return move(db, 'billing-complete-topups', 'billing_complete_topups($1)', [topupIds]);
}

/** Rolls pending credits up into at most `maxAccounts` hot accounts. Returns the number of credits rolled up. */
export async function rollUp(db: Db, maxAccounts: number): Promise<number> {
  const { rows } = await db.query<{ rolled: string }>({
    name: 'ledger-roll-up',
    text: 'SELECT ledger_roll_up($1) AS rolled',
    values: [maxAccounts],
  });
  return Number(rows[0]?.rolled);
}

interface ResultRow<Outcome> {
  outcome: Outcome;
  transaction_id: string | null;
  amount_units: string | null;
  wallet_units: string | null;
}

async function move<Outcome extends string>(
  db: Db,
  name: string,
  call: string,
  values: unknown[],
): Promise<LedgerResult<Outcome>[]> {
  const { rows } = await db.query<ResultRow<Outcome>>({
    name,
    text: `SELECT outcome, transaction_id, amount_units, wallet_units FROM ${call} ORDER BY ordinality`,
    values,
  });
  return rows.map((row) => ({
    outcome: row.outcome,
    transactionId: row.transaction_id,
    amountUnits: unitsFromDatabase(row.amount_units ?? 0),
    walletUnits: row.wallet_units === null ? null : unitsFromDatabase(row.wallet_units),
  }));
}
