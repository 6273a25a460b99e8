/**
 * Bonds (contract, "Bonds and slashing"): deposits from the wallet, withdrawals after a notice period, and the views
 * for developers. Each movement is one SQL function call. The workflow `bond-withdrawal/<id>` ends a notice period.
 * `slashes.ts` has what follows a slash: fourteen days to top up.
 */
import type { WithdrawalInput, WithdrawalStatus } from '../../domain/bonds/bond';
import { MarketError } from '../../domain/errors';
import { creditText } from '../../domain/ledger/money';
import { sha256Hex } from '../../kit/json/canonical-json';
import { newId } from '../../kit/ids/ids';
import { uniqueViolation, type Db } from '../../stores/db';
import * as store from '../../stores/bonds/bonds';
import { readWalletBalance } from '../../stores/ledger/ledger-reads';
import { listDeveloperNotices } from '../../stores/bonds/developer-notices';
import { requireThawed } from '../../stores/billing/frozen-wallets';

export type Withdrawal = store.WithdrawalRow;

/** A bond with its withdrawals, newest first. */
export interface BondView extends store.BondRow {
  withdrawals: Withdrawal[];
}

export interface BondRequest {
  userId: string;
  units: number;
  traceId: string;
  asOf: Date;
}

export interface DepositRequest extends BondRequest {
  /** Null makes every request a separate deposit. */
  idempotencyKey: string | null;
}

export interface NoticeEndRecord {
  withdrawalId: string;
  /** ISO 8601 time of the workflow's clock. */
  asOf: string;
}

export interface BondsDeps {
  pool: Db;
  /** Notice period of withdrawals, in ms (BOND_NOTICE_MS). A withdrawal keeps the period with which it began. */
  noticeMs: number;
}

const SHOWN_WITHDRAWALS = 100;
const SWEEP_LIMIT = 100;
/**
 * A workflow that was confirmed longer ago may be lost. The sweep runs each 15 s and takes the oldest, so it confirms
 * 300 open cases within 45 s; with more of them, the turn of each comes later, and the load on Temporal stays the same.
 */
const CONFIRMED_FOR_MS = 30_000;

export function createBonds({ pool, noticeMs }: BondsDeps) {
  async function read(userId: string): Promise<BondView> {
    const [bond, withdrawals] = await Promise.all([
      store.readBond(pool, userId),
      store.listWithdrawals(pool, userId, SHOWN_WITHDRAWALS),
    ]);
    return { ...bond, withdrawals };
  }

  return {
    read,

    /**
     * Moves credits from the wallet to the bond. Covering a shortfall ends it at once. Repeating an idempotency key
     * moves nothing. Throws `insufficient_credits`, `idempotency_key_reused` for a different amount, or `forbidden` for
     * a frozen wallet.
     */
    async deposit({
      idempotencyKey,
      ...request
    }: DepositRequest): Promise<{ bond: BondView; replayed: boolean }> {
      await requireThawed(pool, request.userId);
      const replayed = await depositOnce(pool, request, depositIdOf(request.userId, idempotencyKey));
      return { bond: await read(request.userId), replayed };
    },

    /**
     * Starts the notice period of a withdrawal. Throws `insufficient_credits` if the bond, less amounts already under
     * notice, is too small, or `forbidden` for a frozen wallet.
     */
    async withdraw({ userId, ...request }: BondRequest): Promise<Withdrawal> {
      await requireThawed(pool, userId);
      const id = newId('bwd');
      const outcome = await store.withdrawBond(pool, { ...request, id, developerUserId: userId }, noticeMs);
      if (outcome === 'insufficient')
        throw new MarketError('insufficient_credits', {
          message:
            'The bond, less withdrawals under notice, holds too few credits. Withdraw a smaller amount.',
        });
      return store.readWithdrawal(pool, id);
    },

    /** Pays a withdrawal, or defers it while a slash is undecided. A repeated call returns the recorded status. */
    recordNoticeEnd: ({ withdrawalId, asOf }: NoticeEndRecord): Promise<WithdrawalStatus> =>
      store.endWithdrawalNotice(pool, withdrawalId, new Date(asOf)),

    /** Lists the notices to a developer about bond and slashes, newest first. */
    notices: (userId: string, page: { limit: number; beforeId?: string | undefined }) =>
      listDeveloperNotices(pool, userId, page),

    /** Takes withdrawals whose workflow must be started or confirmed. */
    claimUnconfirmed: () => store.claimUnconfirmedWithdrawals(pool, SWEEP_LIMIT, CONFIRMED_FOR_MS),
    markStarted: (withdrawalId: string) => store.markWithdrawalStarted(pool, withdrawalId),
  };
}

export type Bonds = ReturnType<typeof createBonds>;

/** Derives the id from the key, so that the ledger's unique reference prevents a second deposit. */
function depositIdOf(userId: string, key: string | null): string {
  return key === null ? newId('bdp') : `bdp_${sha256Hex(`${userId}/${key}`).slice(0, 32)}`;
}

/** Makes a deposit. Returns true if it had been made before. */
async function depositOnce(pool: Db, { userId, ...request }: BondRequest, id: string): Promise<boolean> {
  let earlier = await store.readDeposit(pool, id);
  if (earlier === undefined) {
    try {
      const outcome = await store.depositBond(pool, { ...request, id, developerUserId: userId });
      if (outcome === 'deposited') return false;
      const { availableUnits } = await readWalletBalance(pool, userId);
      const message = `This deposit needs ${creditText(request.units)} in the wallet; it has ${creditText(availableUnits)}. Top it up (POST /v1/billing/topup), then repeat the deposit.`;
      throw new MarketError('insufficient_credits', { message });
    } catch (error) {
      if (uniqueViolation(error) !== 'transactions_reference') throw error;
      earlier = await store.readDeposit(pool, id);
    }
  }
  if (earlier === request.units) return true;
  const message = 'This idempotency key was used for a deposit of another amount. Use a new key.';
  throw new MarketError('idempotency_key_reused', { message });
}

/** The input of the workflow of a withdrawal. */
export function withdrawalInputOf({ withdrawalId, dueAt }: Withdrawal): WithdrawalInput {
  return { withdrawalId, dueAtMs: dueAt.getTime(), dueAt: dueAt.toISOString() };
}
