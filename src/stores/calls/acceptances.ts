/** The tests of calls (`migrations/0178_acceptance.sql`), by whom they were set and how they ended. */
import { ACCEPTANCE_RECORD, type AcceptanceRecord, BUYERS_WHO_DIFFER } from '../../domain/calls/acceptance';
import { type Db, onlyRow } from '../db';

/** How many of the last answers that an account has had tested failed. Reads at most 100 rows. */
export async function readAcceptanceRecord(db: Db, userId: string): Promise<AcceptanceRecord> {
  const { rows } = await db.query<{ judged: number; failed: number }>({
    name: 'acceptance-record',
    text: `SELECT count(*)::int AS judged, count(*) FILTER (WHERE NOT passed)::int AS failed FROM (
             SELECT passed FROM call_acceptances WHERE author_user_id = $1 AND passed IS NOT NULL
                AND judged_at > now() - $3 * interval '1 day' ORDER BY invocation_id DESC LIMIT $2) last`,
    values: [userId, ACCEPTANCE_RECORD.calls, ACCEPTANCE_RECORD.days],
  });
  return rows[0] ?? { judged: 0, failed: 0 };
}

/** Whether the tests of enough different buyers failed at an agent, with those of `userId`, to count against it. */
export async function failsManyBuyers(db: Db, agentId: string, userId: string): Promise<boolean> {
  const result = await db.query<{ many: boolean }>({
    name: 'acceptance-fails-many',
    text: 'SELECT acceptance_buyers_differ($1, $2, $3) AS many',
    values: [agentId, userId, BUYERS_WHO_DIFFER],
  });
  return onlyRow(result).many;
}
