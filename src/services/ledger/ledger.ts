import type { LedgerResult, RegistrationOutcome } from '../../domain/ledger/ledger';
import type { Db, DbPool } from '../../stores/db';
import * as moves from '../../stores/ledger/ledger-moves';
import * as reads from '../../stores/ledger/ledger-reads';

/** Maximum number of hot accounts per roll-up. */
const ROLL_UP_ACCOUNTS = 500;

/**
 * The ledger. Each movement is one SQL function call in its own transaction. Invocations use the same functions from
 * SQL, inside their transactions (`migrations/functions/calls`).
 */
export interface LedgerServiceDeps {
  pool: DbPool;
  reads?: Db;
  /** Time after which earnings from new buyers mature for a developer who was never paid (PAYOUT_RESERVE_MS). */
  reserveMs?: number;
  disputeWindowMs?: number;
}

export function createLedgerService(deps: LedgerServiceDeps) {
  const { pool, reads: replica = pool, reserveMs = 0 } = deps;
  const disputeWindowMs = reserveMs > 0 ? deps.disputeWindowMs : undefined;
  return {
    hold: (items: readonly moves.HoldRequest[]) => moves.hold(pool, items),
    capture: (items: readonly moves.CaptureRequest[]) => moves.capture(pool, items),
    voidHold: (items: readonly moves.VoidRequest[]) => moves.voidHold(pool, items),
    clawback: (invocationIds: readonly string[], parts?: readonly (number | null)[]) =>
      moves.clawback(pool, invocationIds, parts),
    async payRegistration(userId: string, traceId: string): Promise<LedgerResult<RegistrationOutcome>> {
      const [result] = await moves.payRegistration(pool, [{ userId, traceId }]);
      if (!result) throw new Error('ledger_pay_registration returned no row');
      return result;
    },

    /**
     * Rolls pending credits of hot accounts (fees, payable, …) up into their balances. Call it about every second;
     * several processes may. Balances are correct without it, but slower to read. Returns how many credits were
     * rolled up.
     */
    rollUp: () => moves.rollUp(pool, ROLL_UP_ACCOUNTS),

    walletBalance: (userId: string) => reads.readWalletBalance(pool, userId),
    /** The balance; `reserveMs` is 0 once the developer was paid. */
    async developerBalance(userId: string, asOf: Date) {
      const balance = await reads.readDeveloperBalance(pool, userId, asOf);
      return { ...balance, reserveMs: balance.wasPaid ? 0 : reserveMs };
    },
    lines: (filter: Omit<reads.LineFilter, 'disputeWindowMs'>) =>
      reads.listLines(replica, { ...filter, disputeWindowMs }),
    /** The wallet lines of one call of this user, newest first. */
    linesOfCall: (userId: string, invocationId: string) =>
      reads.listWalletLinesOfCall(pool, userId, invocationId),
    transactionIds: (invocationId: string) => reads.listTransactionIds(pool, invocationId),
  };
}

export type LedgerService = ReturnType<typeof createLedgerService>;
