import { setTimeout as sleep } from 'node:timers/promises';
import {
  // eslint-disable-next-line no-restricted-syntax -- openPool is here
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import { createFairSlots, type FairSlots } from '../kit/concurrency/fair-slots';
import { currentLane, OverloadError } from '../kit/concurrency/lanes';
import { ExactClient, resultTypes } from './stored-time';

/** Runs SQL statements: the pool, or the client of a transaction. Use named statements on hot paths. */
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
  /** How many statements of one lane may wait for a connection; default: 16 for each connection. */
  waitingPerLane?: number;
  /** False sends named statements without their names, for poolers that know none; default true. */
  prepared?: boolean;
}

/** A pool whose connections are shared fairly between lanes. */
export type FairPool = Pool & {
  readonly share: {
    /** Statements that wait for a connection. */
    waiting(): number;
    /** Statements that got no connection because all were busy, since the process started. */
    refused(): number;
  };
};

const CONNECT_TIMEOUT_MS = 3_000;
const WAITING_PER_CONNECTION = 16;

/**
 * Creates a pool with bounded waits: 3 s to connect, 4 s per statement (4.5 s if the server does not respond).
 * Connections are never closed for being idle. When all are busy, lanes take turns, and a statement that gets none
 * throws `OverloadError`; without any progress within 3 s, Postgres counts as unreachable.
 */
export function createPool(options: PoolOptions): FairPool {
  const pool = openPool({
    ...(options.prepared === false && { Client: UnnamedClient }),
    connectionString: options.connectionString,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: 4_000,
    query_timeout: 4_500,
    idleTimeoutMillis: 0,
    keepAlive: true,
    onError: options.onError,
  });
  return shareFairly(pool, options);
}

/**
 * Opens a pool of clients that outlive the end of their connection. `onError` gets failures of idle connections, which
 * the pool replaces.
 */
export function openPool({ onError, ...config }: PoolConfig & Pick<PoolOptions, 'onError'>): Pool {
  const pool = new Pool({ Client: ExactClient, types: resultTypes, ...config });
  pool.on('error', onError);
  return pool;
}

/** A client whose statements have no names: a pooler may give each transaction another connection to Postgres. */
class UnnamedClient extends ExactClient {
  override query(...args: unknown[]): never {
    const [first, ...rest] = args;
    const isNamed = typeof first === 'object' && first !== null && 'name' in first && 'text' in first;
    return super.query(isNamed ? { ...first, name: undefined } : first, ...rest);
  }
}

/** Lets each connection be taken in the turn of its lane. The pool itself then never has to queue. */
function shareFairly(
  pool: Pool,
  { max, waitingPerLane = max * WAITING_PER_CONNECTION }: PoolOptions,
): FairPool {
  let refused = 0;
  const overload = () => {
    refused += 1;
    return new OverloadError('all database connections are busy');
  };
  const slots = createFairSlots({
    slots: max,
    patienceMs: CONNECT_TIMEOUT_MS,
    mostWaiting: waitingPerLane,
    crowded: overload,
    late: (moved) => (moved ? overload() : new Error('timeout exceeded when trying to connect')),
  });
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const acquire = async () => connectIn(slots, connect);
  type Done = (error: Error | undefined, client?: PoolClient, release?: PoolClient['release']) => void;
  const connectFairly = (done?: Done) => {
    if (!done) return acquire();
    acquire().then(
      (client) => done(undefined, client, client.release),
      (error: Error) => done(error),
    );
    return undefined;
  };
  return Object.assign(pool, {
    connect: connectFairly as Pool['connect'],
    share: { waiting: () => slots.waiting + pool.waitingCount, refused: () => refused },
  });
}

/** Takes a connection in the turn of the current lane. Releasing it gives the turn to the next. */
async function connectIn(slots: FairSlots, connect: () => Promise<PoolClient>): Promise<PoolClient> {
  await slots.acquire(currentLane());
  try {
    const client = await connect();
    const release = client.release.bind(client);
    client.release = (error) => {
      release(error);
      slots.give(!error);
    };
    return client;
  } catch (error) {
    slots.give(false);
    throw error;
  }
}

/**
 * Opens all connections of a pool, as far as Postgres allows. Opening a connection takes several turns of the event
 * loop; while large bodies are processed, that may exceed the connection timeout.
 */
export async function connectAll(pool: Pool): Promise<void> {
  const connecting = Array.from({ length: pool.options.max }, () => pool.connect());
  for (const opened of await Promise.allSettled(connecting)) {
    if (opened.status === 'fulfilled') opened.value.release();
  }
}

/** Runs `work` in one transaction. `work` must only execute SQL, never wait for a network. */
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
/** Connection failures, server shutdown, too many connections, and 57014 (statement timeout). */
const UNREACHABLE_SQLSTATES = /^(08|57P0|57014|53300)/;

/**
 * Returns true if the error means that Postgres is unreachable, too slow or has no connection free (`OverloadError`),
 * rather than that a statement is wrong.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  // Checked by shape: in tests, socket errors of Node come from another realm, so `instanceof Error` fails.
  if (typeof error !== 'object' || error === null || !('message' in error)) return false;
  if (error instanceof OverloadError) return true;
  const code = 'code' in error ? String(error.code) : '';
  if (UNREACHABLE_CODES.has(code) || UNREACHABLE_SQLSTATES.test(code)) return true;
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error/.test(
    String(error.message),
  );
}

const AWAY_PAUSE_MS = 200;

/** Repeats a statement while Postgres is unreachable, until `isOver`. Throws every other error. */
export async function whileAway<T>(isOver: () => boolean, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isOver() || !isDatabaseUnavailable(error)) throw error;
      await sleep(AWAY_PAUSE_MS);
    }
  }
}

/** Returns the name of the violated constraint if the error is a unique violation (23505). */
export function uniqueViolation(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && error.code === '23505' && 'constraint' in error) {
    return String(error.constraint);
  }
  return undefined;
}

/** Returns the only row of a result. Throws `Error` if there is not exactly one. */
export function onlyRow<R extends QueryResultRow>(result: QueryResult<R>): R {
  const row = result.rows[0];
  if (!row || result.rows.length !== 1) throw new Error(`expected one row, got ${result.rows.length}`);
  return row;
}
