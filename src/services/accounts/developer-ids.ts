/** Unique developer ids, `dev_<slug of the name>` with a number where the slug is taken. */
import { randomInt } from 'node:crypto';
import { developerIdCandidate } from '../../domain/accounts/developer-id';
import { countDeveloperIds } from '../../stores/accounts/users';
import { type Db, type DbPool, uniqueViolation, withTransaction } from '../../stores/db';

const MAX_ATTEMPTS = 8;
/** Later suffixes are random, because the next numbers may be taken by concurrent registrations or by display names. */
const COUNTED_ATTEMPTS = 4;

/** Runs `write` in a transaction with a developer id for the name, and again with another one while the id is taken. */
export async function withDeveloperId<T>(
  pool: DbPool,
  displayName: string,
  write: (tx: Db, developerId: string) => Promise<T>,
): Promise<T> {
  let suffix = 1;
  for (let attempt = 1; ; attempt += 1) {
    const developerId = developerIdCandidate(displayName, suffix);
    try {
      return await withTransaction(pool, (tx) => write(tx, developerId));
    } catch (error) {
      const isTaken = uniqueViolation(error) === 'users_developer_id_key';
      if (!isTaken || attempt >= MAX_ATTEMPTS) throw error;
      suffix =
        attempt < COUNTED_ATTEMPTS
          ? Math.max(suffix, await countDeveloperIds(pool, developerIdCandidate(displayName, 1))) + 1
          : randomInt(100_000, 1_000_000_000);
    }
  }
}
