import type { Db, DbPool } from '../db';

/** A transaction that reads one snapshot. */
export interface Snapshot {
  /** When the snapshot was taken. */
  at: Date;
  /**
   * Reads a statement to its end, `page` rows at a time, each as a line of JSON with its columns in their order. Times
   * are UTC.
   */
  lines(sql: string, values: readonly unknown[], page: number): AsyncGenerator<string>;
}

/** Longer than any page takes. The clients of the pool have no shorter limit. */
const PAGE_TIMEOUT = '60s';
/** The first page of a list may wait for a sort of all its rows. */
const FIRST_PAGE_TIMEOUT = '30min';
/**
 * Settings of the transaction. Its plans follow the indexes of the owner's rows, which are in the order of the lists,
 * so that the first page does not wait for a sort of all rows.
 */
export const SNAPSHOT_SETTINGS = [
  `SET LOCAL TimeZone = 'UTC'`,
  `SET LOCAL statement_timeout = '${PAGE_TIMEOUT}'`,
  'SET LOCAL cursor_tuple_fraction = 0.1',
  'SET LOCAL enable_seqscan = off',
  'SET LOCAL enable_bitmapscan = off',
] as const;

/**
 * Runs `work` in one repeatable-read transaction, so that all its reads see the same state while everything changes.
 * Memory does not grow with the rows: they are read through cursors.
 */
export async function withSnapshot<T>(pool: DbPool, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    for (const setting of SNAPSHOT_SETTINGS) await client.query(setting);
    const { rows } = await client.query<{ at: Date }>('SELECT now() AS at');
    const result = await work({
      at: rows[0]?.at ?? new Date(),
      lines: (sql, values, page) => linesOf(client, sql, values, page),
    });
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    // The connection is closed, and with it the transaction.
    client.release(error as Error);
    throw error;
  }
}

let cursors = 0;

async function* linesOf(
  db: Db,
  sql: string,
  values: readonly unknown[],
  page: number,
): AsyncGenerator<string> {
  cursors += 1;
  const name = `export_${cursors}`;
  await db.query(`DECLARE ${name} NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM (${sql}) t`, [
    ...values,
  ]);
  await db.query(`SET LOCAL statement_timeout = '${FIRST_PAGE_TIMEOUT}'`);
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await db.query<{ line: string }>(`FETCH ${page} FROM ${name}`);
    if (isFirst) await db.query(`SET LOCAL statement_timeout = '${PAGE_TIMEOUT}'`);
    for (const { line } of rows) yield line;
    if (rows.length < page) break;
  }
  await db.query(`CLOSE ${name}`);
}
