import { Pool, type PoolClient, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';

/** Anything that can run a statement: the pool or a transaction's client. Use named statements on hot paths. */
export interface Db {
  query<R extends QueryResultRow = QueryResultRow>(
    query: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<R>>;
}

export interface DbPool extends Db {
  connect(): Promise<PoolClient>;
  end(): Promise<void>;
}

export interface PoolOptions {
  connectionString: string;
  max: number;
  applicationName: string;
  onError: (error: Error) => void;
}

/**
 * A pool whose waits are all bounded: 3 s to connect, 4 s per statement (4.5 s when the server is silent). A connection
 * that is open stays so.
 */
export function createPool(options: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: options.connectionString,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: 3_000,
    statement_timeout: 4_000,
    query_timeout: 4_500,
    idleTimeoutMillis: 0,
    keepAlive: true,
  });
  pool.on('error', options.onError);
  return pool;
}

/**
 * Opens all connections of a pool, where Postgres lets it: opening one takes several turns of the event loop, which under
 * large bodies may take longer than its time-out.
 */
export async function openAll(pool: Pool): Promise<void> {
  const opening = Array.from({ length: pool.options.max }, () => pool.connect());
  for (const opened of await Promise.allSettled(opening)) {
    if (opened.status === 'fulfilled') opened.value.release();
  }
}

/** Runs `work` in one transaction; never do anything but SQL inside. */
export async function withTransaction<T>(pool: DbPool, work: (tx: Db) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

const UNREACHABLE_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT']);
/** Connections that fail, a server that ends, no connection left, and 57014: no answer within the statement's time. */
const UNREACHABLE_SQLSTATES = /^(08|57P0|57014|53300)/;

/** True when the error says that Postgres is away or does not answer in time (not that a statement was wrong). */
export function isDatabaseUnavailable(error: unknown): boolean {
  // By shape: an error that Node makes for a socket is of another realm than a test's own `Error`.
  if (typeof error !== 'object' || error === null || !('message' in error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (UNREACHABLE_CODES.has(code) || UNREACHABLE_SQLSTATES.test(code)) return true;
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
    String(error.message),
  );
}

/** The violated constraint's name when the error is a unique violation (23505). */
export function uniqueViolation(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && error.code === '23505' && 'constraint' in error) {
    return String(error.constraint);
  }
  return undefined;
}

/** Exactly one row, or a fault. */
export function onlyRow<R extends QueryResultRow>(result: QueryResult<R>): R {
  const row = result.rows[0];
  if (!row || result.rows.length !== 1) throw new Error(`expected one row, got ${result.rows.length}`);
  return row;
}
