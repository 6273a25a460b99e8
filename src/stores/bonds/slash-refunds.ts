import { unitsFromDatabase } from '../../domain/ledger/money';
import { type Db, onlyRow } from '../db';

/** What slashes returned to the buyer of a call, in units. */
export async function readSlashRefunds(db: Db, invocationId: string): Promise<number> {
  const result = await db.query<{ refunded: string }>({
    name: 'slash-refunds-of-call',
    text: `SELECT coalesce(sum(refund_units), 0) AS refunded FROM slash_calls
            WHERE invocation_id = $1 AND refund_units > 0`,
    values: [invocationId],
  });
  return unitsFromDatabase(onlyRow(result).refunded);
}
