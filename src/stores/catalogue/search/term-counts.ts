import type { Db } from '../../db';

/** Counts in how many agents each term stands, for the weights of the search by intent, once an hour. */
export async function countSearchTerms(db: Db): Promise<void> {
  await db.query('SELECT search_terms_count()');
}
