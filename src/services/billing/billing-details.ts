import { type BillingDetails, changedDetails } from '../../domain/billing/billing-details';
import { MarketError } from '../../domain/errors';
import { checkDigitsFit } from '../../kit/tax/check-digits';
import {
  lockBillingDetails,
  readBillingDetails,
  storeBillingDetails,
} from '../../stores/billing/billing-details';
import { type DbPool, withTransaction } from '../../stores/db';

/** What the invoices of an account name it by. */
export function createBillingDetails(pool: DbPool) {
  return {
    details: (userId: string): Promise<BillingDetails> => readBillingDetails(pool, userId),

    /**
     * Changes the details that `change` has, for the invoices that follow. Throws `validation_failed`, such as for a
     * tax number whose form or check digits are not those of its country.
     */
    changeDetails: (userId: string, change: Partial<BillingDetails>): Promise<BillingDetails> =>
      withTransaction(pool, async (tx) => {
        const { details, problems } = changedDetails(
          await lockBillingDetails(tx, userId),
          change,
          checkDigitsFit,
        );
        if (problems.length > 0) throw new MarketError('validation_failed', { detail: problems });
        await storeBillingDetails(tx, userId, details);
        return details;
      }),
  };
}
