import { type Db, onlyRow } from '../db';

/**
 * How old an id is when its hold is listed as that of a long call, in ms. A call is accepted within moments of its id.
 */
const YOUNG_MS = 10_000;

/**
 * Lists the open holds that are no longer young, so that calls in flight are counted from the young ones and these
 * (docs/internals/statements.md#calls-in-flight). Several processes may call it.
 */
export async function findLongCalls(db: Db, youngMs = YOUNG_MS): Promise<void> {
  const { since } = onlyRow(
    await db.query<{ since: string | null }>('SELECT long_calls_find($1) AS since', [youngMs]),
  );
  // A second transaction: a count that sees the time must see the list.
  if (since !== null) await db.query('SELECT long_calls_begin($1)', [since]);
}
