import type { Db } from '../db';

/**
 * No caller of this process waits for the call any more. With `allServed`, the stored answer of an agent that retains
 * nothing goes, unless callers wait in other processes.
 */
export async function markServed(
  db: Db,
  invocationId: string,
  owner: string,
  allServed: boolean,
): Promise<void> {
  await db.query({
    name: 'invocation-served',
    text: 'SELECT invocation_served($1, $2, $3)',
    values: [invocationId, owner, allServed],
  });
}

export interface Purged {
  /** Encrypted answers past their time. */
  answers: number;
  /** Marks of processes that are gone. */
  waiters: number;
}

/** Deletes at most `most` of each. */
export async function purgeExpired(db: Db, most: number): Promise<Purged> {
  const { rows } = await db.query<Purged>('SELECT answers, waiters FROM retention_purge($1)', [most]);
  return rows[0] ?? { answers: 0, waiters: 0 };
}
