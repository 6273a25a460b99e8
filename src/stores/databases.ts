import { createPool, type Db, type DbPool, type FairPool, openPool } from './db';
import { createReadDb } from './read-db';

/** The settings of a process's connections to Postgres, by their names. */
export interface DatabaseSettings {
  DATABASE_URL: string;
  DATABASE_READ_URL: string;
  DATABASE_SESSION_URL: string;
  DATABASE_PREPARED_STATEMENTS: boolean;
  DATABASE_POOL_SIZE: number;
  MAX_IN_FLIGHT_PER_BUYER: number;
}

/** The connections of a process. */
export interface Databases {
  /** The primary: all that writes, and all that must see what was just written. */
  pool: FairPool;
  /** The replica, or the primary if there is none: what may be some seconds old. */
  reads: Db;
  /** Connections without short limits for long reads of one snapshot, opened when they are needed. */
  bulk: { replica: DbPool; primary: DbPool };
  /** Connections that keep their session, for LISTEN. */
  sessions: DbPool;
  close: () => Promise<void>;
}

/** Connections for LISTEN: one for each kind of notice, and one to spare. */
const SESSIONS = 4;

/** Connections for long work of one process: two exports, and an erasure beside them. */
const BULK = 3;

/** Opens the pools of a process. `warn` gets failed idle connections and moves of reads, with details and a message. */
export function connectDatabases(
  settings: DatabaseSettings,
  warn: (details: object, message: string) => void,
): Databases {
  const max = settings.DATABASE_POOL_SIZE;
  const open = (connectionString: string, most: number) =>
    createPool({
      connectionString,
      max: most,
      applicationName: 'market',
      prepared: settings.DATABASE_PREPARED_STATEMENTS,
      // A buyer's calls in flight all fit, and some more.
      waitingPerLane: Math.max(16 * max, 2 * settings.MAX_IN_FLIGHT_PER_BUYER),
      onError: (error) => warn({ err: error }, 'idle database connection failed'),
    });
  const pool = open(settings.DATABASE_URL, max);
  const sessions = settings.DATABASE_SESSION_URL ? open(settings.DATABASE_SESSION_URL, SESSIONS) : pool;
  const replica = settings.DATABASE_READ_URL ? open(settings.DATABASE_READ_URL, max) : undefined;
  const openBulk = (connectionString: string) =>
    openPool({
      connectionString,
      max: BULK,
      application_name: 'market-bulk',
      connectionTimeoutMillis: 3_000,
      onError: (error) => warn({ err: error }, 'idle database connection failed'),
    });
  const primary = openBulk(settings.DATABASE_URL);
  const bulk = {
    primary,
    replica: settings.DATABASE_READ_URL ? openBulk(settings.DATABASE_READ_URL) : primary,
  };
  const reads =
    replica &&
    createReadDb({
      primary: pool,
      replica,
      onMove: (to, reason) => warn({ reason }, `reads that may be old go to the ${to} now`),
    });
  return {
    pool,
    reads: reads ?? pool,
    sessions,
    bulk,
    async close() {
      reads?.close();
      await Promise.all(
        [...new Set([pool, sessions, ...(replica ? [replica] : []), bulk.primary, bulk.replica])].map((one) =>
          one.end(),
        ),
      );
    },
  };
}
