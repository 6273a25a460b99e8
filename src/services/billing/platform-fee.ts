import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import { readFeePercent, replaceFeePercent } from '../../stores/billing/platform-settings';
import { withTransaction, type DbPool } from '../../stores/db';
import { asAction, type OperatorCommand } from '../accounts/operator-actions';

/**
 * The rate of the platform's fee: 3% until an operator changes it (ADR 0050). Each version keeps the rate with which it
 * went live. The first rate is in `migrations/0008_billing.sql`; `ledger_post_charge` in
 * `migrations/functions/ledger/ledger_post_charge.sql` takes the fee from a charge.
 */
export function createPlatformFee({ pool }: { pool: DbPool }) {
  return {
    /** The percentage of each charge for versions that go live now. */
    read: (): Promise<number> => readFeePercent(pool),

    /**
     * Changes the rate and writes the audit log entry. Versions that are live keep the rate that they went live with.
     */
    change: (percent: number, command: OperatorCommand): Promise<{ from: number }> =>
      withTransaction(pool, async (tx) => {
        const from = await replaceFeePercent(tx, percent);
        const details = { from_percent: from, to_percent: percent };
        await recordOperatorAction(tx, {
          ...asAction(command),
          action: 'fee.change',
          subject: 'platform',
          details,
        });
        return { from };
      }),
  };
}
