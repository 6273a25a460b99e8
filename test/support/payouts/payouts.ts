/** Developers with earnings of a known age, for tests of payouts. */
import type { Pool } from 'pg';
import { newId } from '../../../src/kit/ids/ids';
import type { TestLedger } from '../ledger/ledger';
import { holdRequest } from '../ledger/ledger';

export const MONDAY = new Date('2026-11-16T00:00:00.000Z');
/** Before MONDAY. */
export const MATURE = new Date('2026-11-12T00:00:00.000Z');

export const DETAILS = {
  ach: {
    account_holder_name: 'Ada Lovelace',
    routing_number: '021000021',
    account_number: '123456789',
    account_type: 'checking',
  },
  swift: {
    account_holder_name: 'Ada and Sons (London)',
    bic: 'NWBKGB2L',
    iban: 'GB29NWBK60161331926819',
    town: 'London',
    country: 'GB',
  },
  upi: { account_holder_name: 'Ada Lovelace', vpa: 'ada.l@okbank' },
} as const;

/** Charges of `credits` each, captured and maturing at `maturesAt`; their invocation ids. */
export async function earn(
  ledger: Pick<TestLedger, 'ledger'>,
  names: { buyer: string; developer: string },
  credits: readonly number[],
  maturesAt = MATURE,
): Promise<string[]> {
  const requests = credits.map((amount) => holdRequest(names.buyer, names.developer, amount));
  await ledger.ledger.hold(requests);
  await ledger.ledger.capture(
    requests.map(({ invocationId, amountUnits }) => ({ invocationId, grossUnits: amountUnits, maturesAt })),
  );
  return requests.map(({ invocationId }) => invocationId);
}

/** Loads a rate that counts for MONDAY. */
export async function loadRate(pool: Pool, rate = '84.123456'): Promise<void> {
  await pool.query(
    `INSERT INTO fx_rates (base, quote, rate, observed_at, source, loaded_by)
     VALUES ('USD', 'INR', $1, '2026-11-15T12:00:00Z', 'test', $2)`,
    [rate, newId('usr')],
  );
}
