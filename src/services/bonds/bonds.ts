/**
 * Bonds (contract, "Bonds and slashing"): deposits from the wallet, withdrawals with notice, and what developers read.
 * Each movement is one SQL function call. A notice ends when the workflow `bond-withdrawal/<id>` says so.
 */
import type { WithdrawalInput, WithdrawalStatus } from '../../domain/bonds/bond';
import { MarketError } from '../../domain/errors';
import { sha256Hex } from '../../kit/json/canonical-json';
import { newId } from '../../kit/ids/ids';
import { uniqueViolation, type Db } from '../../stores/db';
import * as store from '../../stores/bonds/bonds';
import { listDeveloperNotices } from '../../stores/bonds/developer-notices';
import { requireThawed } from '../../stores/billing/frozen-wallets';

export type Withdrawal = store.WithdrawalRow;

/** A bond with the withdrawals from it, newest first. */
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
  /** Null: every request is a deposit of its own. */
  idempotencyKey: string | null;
}

export interface NoticeEndRecord {
  withdrawalId: string;
  /** ISO time of the workflow's clock. */
  asOf: string;
}

export interface BondsDeps {
  pool: Db;
  /** How long before it is paid a withdrawal is announced: setting BOND_NOTICE_MS. A notice keeps what it began with. */
  noticeMs: number;
}

const SHOWN_WITHDRAWALS = 100;
const SWEEP_LIMIT = 100;
/** A notice is confirmed again so often: an engine that lost its state gets its workflows back. */
const CONFIRMED_FOR_MS = 3_600_000;

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
     * Wallet → bond. A deposit that covers a shortfall ends it at once. A repetition of the same key moves nothing.
     * Throws `insufficient_credits`; `idempotency_key_reused` for a key of another amount.
     */
    async deposit({
      idempotencyKey,
      ...request
    }: DepositRequest): Promise<{ bond: BondView; replayed: boolean }> {
      await requireThawed(pool, request.userId);
      const replayed = await depositOnce(pool, request, depositIdOf(request.userId, idempotencyKey));
      return { bond: await read(request.userId), replayed };
    },

    /** Gives notice. Throws `insufficient_credits` when the bond holds less than is under notice then. */
    async withdraw({ userId, ...request }: BondRequest): Promise<Withdrawal> {
      await requireThawed(pool, userId);
      const id = newId('bwd');
      const outcome = await store.withdrawBond(pool, { ...request, id, developerUserId: userId }, noticeMs);
      if (outcome === 'insufficient')
        throw new MarketError('insufficient_credits', {
          message: 'The bond holds too few credits, less what is under notice already.',
        });
      return store.readWithdrawal(pool, id);
    },

    /** Pays a withdrawal, or has it wait for a slash; a repetition returns what became of it. */
    recordNoticeEnd: ({ withdrawalId, asOf }: NoticeEndRecord): Promise<WithdrawalStatus> =>
      store.endWithdrawalNotice(pool, withdrawalId, new Date(asOf)),

    /** What the service has told a developer about bond and slashes, newest first. */
    notices: (userId: string, page: { limit: number; beforeId?: string | undefined }) =>
      listDeveloperNotices(pool, userId, page),

    /** Notices whose workflow must be started or confirmed. */
    listUnconfirmed: () => store.listUnconfirmedWithdrawals(pool, SWEEP_LIMIT, CONFIRMED_FOR_MS),
    markStarted: (withdrawalId: string) => store.markWithdrawalStarted(pool, withdrawalId),
  };
}

export type Bonds = ReturnType<typeof createBonds>;

/** The same for the same key, so that the ledger's own reference keeps a deposit from being made twice. */
function depositIdOf(userId: string, key: string | null): string {
  return key === null ? newId('bdp') : `bdp_${sha256Hex(`${userId}/${key}`).slice(0, 32)}`;
}

/** True when the deposit had been made before. */
async function depositOnce(pool: Db, { userId, ...request }: BondRequest, id: string): Promise<boolean> {
  let earlier = await store.readDeposit(pool, id);
  if (earlier === undefined) {
    try {
      const outcome = await store.depositBond(pool, { ...request, id, developerUserId: userId });
      if (outcome === 'deposited') return false;
      const message = 'The wallet holds too few credits for this deposit.';
      throw new MarketError('insufficient_credits', { message });
    } catch (error) {
      if (uniqueViolation(error) !== 'transactions_reference') throw error;
      earlier = await store.readDeposit(pool, id);
    }
  }
  if (earlier === request.units) return true;
  const message = 'This idempotency key was used for a deposit of another amount.';
  throw new MarketError('idempotency_key_reused', { message });
}

/** What the workflow of a withdrawal starts with. */
export function withdrawalInputOf({ withdrawalId, dueAt }: Withdrawal): WithdrawalInput {
  return { withdrawalId, dueAtMs: dueAt.getTime() };
}
