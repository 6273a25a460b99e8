import type { Db } from '../db';

/**
 * Records that no caller of this process waits for the call any more. With `allServed`, the stored answer of an agent
 * with zero retention is deleted, unless callers wait in other processes.
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
  /** Expired encrypted answers. */
  answers: number;
  /** Registrations of waiting processes that no longer exist. */
  waiters: number;
  /** Counters of free calls of past months. */
  counters: number;
}

/** The result of `unconfirmed_accounts_purge`. `last`: where the next batch begins; null at the end. */
export interface PurgedAccounts {
  deleted: number;
  last: string | null;
}

/**
 * Looks at up to `most` accounts without a confirmed address after the id `after`, and deletes those that nothing
 * refers to.
 */
export async function purgeUnconfirmed(db: Db, after: string, most: number): Promise<PurgedAccounts> {
  const { rows } = await db.query<PurgedAccounts>(
    'SELECT deleted, last_id AS last FROM unconfirmed_accounts_purge($1, $2)',
    [after, most],
  );
  return rows[0] ?? { deleted: 0, last: null };
}

/** Deletes up to `most` rows of each. */
export async function purgeExpired(db: Db, most: number): Promise<Purged> {
  const { rows } = await db.query<Purged>('SELECT answers, waiters, counters FROM retention_purge($1)', [
    most,
  ]);
  return rows[0] ?? { answers: 0, waiters: 0, counters: 0 };
}
