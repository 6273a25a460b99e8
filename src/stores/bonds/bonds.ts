/** Bonds and withdrawals from them: queries, and calls of the SQL functions in `migrations/functions/bonds`. */
import type { BondTier, WithdrawalStatus } from '../../domain/bonds/bond';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';

/** The tier of a developer's bond, which caps the badges of the agents. Null without a bond. */
export async function heldTier(db: Db, developerUserId: string): Promise<BondTier | null> {
  const { rows } = await db.query<{ tier: BondTier | null }>({
    name: 'bond-tier',
    text: 'SELECT tier FROM bonds WHERE developer_user_id = $1',
    values: [developerUserId],
  });
  return rows[0]?.tier ?? null;
}

export interface Shortfall {
  slashId: string;
  /** Amount that the bond must reach. */
  minimumUnits: number;
  since: Date;
  topUpBy: Date;
  /** End of the top-up window, once it has passed; the agents are out of search since then. */
  endedAt: Date | null;
}

export interface BondRow {
  bondUnits: number;
  /** Amount taken by undecided slashes. */
  heldUnits: number;
  tier: BondTier | null;
  shortfall: Shortfall | null;
}

interface RawBond {
  bond_units: string;
  held_units: string;
  tier: BondTier | null;
  shortfall_slash_id: string | null;
  shortfall_minimum_units: string;
  shortfall_since: Date;
  shortfall_deadline: Date;
  shortfall_ended_at: Date | null;
}

export async function readBond(db: Db, developerUserId: string): Promise<BondRow> {
  const result = await db.query<RawBond>({
    name: 'bond-read',
    text: `SELECT b.balance_units AS bond_units, h.balance_units AS held_units, s.*
             FROM accounts b JOIN accounts h ON h.user_id = b.user_id AND h.kind = 'slash_hold'
             LEFT JOIN bonds s ON s.developer_user_id = b.user_id
            WHERE b.user_id = $1 AND b.kind = 'bond'`,
    values: [developerUserId],
  });
  const row = onlyRow(result);
  return {
    bondUnits: unitsFromDatabase(row.bond_units),
    heldUnits: unitsFromDatabase(row.held_units),
    tier: row.tier,
    shortfall:
      row.shortfall_slash_id === null
        ? null
        : {
            slashId: row.shortfall_slash_id,
            minimumUnits: unitsFromDatabase(row.shortfall_minimum_units),
            since: row.shortfall_since,
            topUpBy: row.shortfall_deadline,
            endedAt: row.shortfall_ended_at,
          },
  };
}

export interface BondMove {
  /** `bdp_…` of a deposit, `bwd_…` of a withdrawal. */
  id: string;
  developerUserId: string;
  units: number;
  traceId: string;
  asOf: Date;
}

export async function depositBond(db: Db, move: BondMove): Promise<'deposited' | 'insufficient'> {
  const result = await db.query<{ outcome: 'deposited' | 'insufficient' }>({
    name: 'bond-deposit',
    text: 'SELECT bond_deposit($1, $2, $3, $4, $5) AS outcome',
    values: [move.id, move.developerUserId, move.units, move.traceId, move.asOf],
  });
  return onlyRow(result).outcome;
}

/** The amount of a deposit, in units; undefined if it does not exist. */
export async function readDeposit(db: Db, id: string): Promise<number | undefined> {
  const { rows } = await db.query<{ amount_units: string }>(
    `SELECT e.amount_units FROM transaction_references r CROSS JOIN LATERAL ledger_lines(r.transaction_id) e
      WHERE r.reference = 'bond/' || $1 || '/deposit' AND e.amount_units > 0`,
    [id],
  );
  return rows[0] && unitsFromDatabase(rows[0].amount_units);
}

/** Starts the notice period of a withdrawal. */
export async function withdrawBond(
  db: Db,
  move: BondMove,
  noticeMs: number,
): Promise<'noticed' | 'insufficient'> {
  const result = await db.query<{ outcome: 'noticed' | 'insufficient' }>({
    name: 'bond-withdraw',
    text: 'SELECT bond_withdraw($1, $2, $3, $4, $5, $6) AS outcome',
    values: [move.id, move.developerUserId, move.units, noticeMs, move.traceId, move.asOf],
  });
  return onlyRow(result).outcome;
}

/** Ends the notice period of a withdrawal and returns its new status. */
export async function endWithdrawalNotice(
  db: Db,
  withdrawalId: string,
  asOf: Date,
): Promise<WithdrawalStatus> {
  const result = await db.query<{ status: WithdrawalStatus }>({
    name: 'bond-withdraw-end',
    text: 'SELECT bond_withdraw_end($1, $2) AS status',
    values: [withdrawalId, asOf],
  });
  return onlyRow(result).status;
}

export interface WithdrawalRow {
  withdrawalId: string;
  developerUserId: string;
  requestedUnits: number;
  status: WithdrawalStatus;
  paidUnits: number | null;
  requestedAt: Date;
  dueAt: Date;
  completedAt: Date | null;
}

interface RawWithdrawal {
  withdrawal_id: string;
  developer_user_id: string;
  requested_units: string;
  status: WithdrawalStatus;
  paid_units: string | null;
  requested_at: Date;
  due_at: Date;
  completed_at: Date | null;
}

/** Lists a developer's withdrawals, newest first. */
export async function listWithdrawals(
  db: Db,
  developerUserId: string,
  limit: number,
): Promise<WithdrawalRow[]> {
  const { rows } = await db.query<RawWithdrawal>(
    'SELECT * FROM bond_withdrawals WHERE developer_user_id = $1 ORDER BY withdrawal_id DESC LIMIT $2',
    [developerUserId, limit],
  );
  return rows.map(toWithdrawal);
}

export async function readWithdrawal(db: Db, withdrawalId: string): Promise<WithdrawalRow> {
  const result = await db.query<RawWithdrawal>('SELECT * FROM bond_withdrawals WHERE withdrawal_id = $1', [
    withdrawalId,
  ]);
  return toWithdrawal(onlyRow(result));
}

/**
 * Takes withdrawals under notice whose workflow was not confirmed lately, or never, as `claimUnconfirmedDisputes` does.
 */
export async function claimUnconfirmedWithdrawals(
  db: Db,
  limit: number,
  confirmedForMs: number,
): Promise<WithdrawalRow[]> {
  const { rows } = await db.query<RawWithdrawal>(
    `UPDATE bond_withdrawals SET workflow_started_at = now() WHERE withdrawal_id = ANY (ARRAY (
       SELECT withdrawal_id FROM bond_withdrawals WHERE status = 'noticed'
         AND coalesce(workflow_started_at, '-infinity') < now() - $2 * interval '1 millisecond'
       ORDER BY coalesce(workflow_started_at, '-infinity') LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING *`,
    [limit, confirmedForMs],
  );
  return rows.map(toWithdrawal);
}

export async function markWithdrawalStarted(db: Db, withdrawalId: string): Promise<void> {
  await db.query('UPDATE bond_withdrawals SET workflow_started_at = now() WHERE withdrawal_id = $1', [
    withdrawalId,
  ]);
}

function toWithdrawal(row: RawWithdrawal): WithdrawalRow {
  return {
    withdrawalId: row.withdrawal_id,
    developerUserId: row.developer_user_id,
    requestedUnits: unitsFromDatabase(row.requested_units),
    status: row.status,
    paidUnits: row.paid_units === null ? null : unitsFromDatabase(row.paid_units),
    requestedAt: row.requested_at,
    dueAt: row.due_at,
    completedAt: row.completed_at,
  };
}
