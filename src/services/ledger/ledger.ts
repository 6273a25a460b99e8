import type { LedgerResult, RegistrationOutcome } from '../../domain/ledger/ledger';
import type { DbPool } from '../../stores/db';
import * as moves from '../../stores/ledger/ledger-moves';
import * as reads from '../../stores/ledger/ledger-reads';

/** Hot accounts that one roll-up looks at. */
const ROLL_UP_ACCOUNTS = 500;

/**
 * The ledger as the rest of the service sees it. Each movement is one SQL function call, a transaction of its own;
 * invocations use the same functions from SQL, inside theirs (migrations 03xx).
 */
export function createLedgerService(deps: { pool: DbPool }) {
  const { pool } = deps;
  return {
    hold: (items: readonly moves.HoldRequest[]) => moves.hold(pool, items),
    capture: (items: readonly moves.CaptureRequest[]) => moves.capture(pool, items),
    voidHold: (items: readonly moves.VoidRequest[]) => moves.voidHold(pool, items),
    clawback: (invocationIds: readonly string[]) => moves.clawback(pool, invocationIds),
    async payRegistration(userId: string, traceId: string): Promise<LedgerResult<RegistrationOutcome>> {
      const [result] = await moves.payRegistration(pool, [{ userId, traceId }]);
      if (!result) throw new Error('ledger_pay_registration answered nothing');
      return result;
    },

    /**
     * Adds the waiting credits of hot accounts (fees, payable, …) to their balances. Call it every second or so from
     * any number of processes; balances are right without it, only slower to read.
     * @returns how many credits were added.
     */
    rollUp: () => moves.rollUp(pool, ROLL_UP_ACCOUNTS),

    walletBalance: (userId: string) => reads.readWalletBalance(pool, userId),
    developerBalance: (userId: string, asOf: Date) => reads.readDeveloperBalance(pool, userId, asOf),
    lines: (filter: reads.LineFilter) => reads.listLines(pool, filter),
    transactionIds: (invocationId: string) => reads.listTransactionIds(pool, invocationId),
  };
}

export type LedgerService = ReturnType<typeof createLedgerService>;
