import type { Knex } from 'knex';
import { PAYOUT_METHODS, type Rail, RAILS } from '../../domain/payouts/rails';

const UNITS_PER_CREDIT = 100;

/** The rails as rows of the table `payout_rails`. */
export const PAYOUT_RAIL_ROWS = PAYOUT_METHODS.map((method) => {
  const { channel, currency, minimumCredits, minorPerCredit, rate }: Rail = RAILS[method];
  return {
    method,
    channel,
    currency,
    minimum_units: minimumCredits * UNITS_PER_CREDIT,
    minor_per_credit: minorPerCredit,
    rate_quote: rate?.split('/')[1] ?? null,
  };
});

/**
 * Writes the rails into the table, where it exists, and has Postgres check that every payout method is one of them. A
 * rail that is gone stays, because payout methods name it.
 */
export async function writePayoutRails(trx: Knex.Transaction): Promise<void> {
  if (!(await trx.schema.hasTable('payout_rails'))) return;
  await trx('payout_rails').insert(PAYOUT_RAIL_ROWS).onConflict('method').merge();
  await trx.raw('ALTER TABLE payout_methods VALIDATE CONSTRAINT payout_methods_rail');
}
