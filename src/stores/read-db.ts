import { type Db, isDatabaseUnavailable } from './db';
import { createReplicaFreshness } from './replica-freshness';
import { OverloadError } from '../kit/concurrency/lanes';

export interface ReadDbOptions {
  primary: Db;
  replica: Db;
  /** Called when statements move to the primary, with the reason, and when they return to the replica. */
  onMove: (to: 'primary' | 'replica', reason: string) => void;
  now?: () => number;
}

export interface ReadDb extends Db {
  /** Looks how far the replica is behind. Called each second. */
  look: () => Promise<void>;
  close: () => void;
}

const LOOK_EVERY_MS = 1_000;
/** A replica that is further behind is not read. */
export const MOST_BEHIND_MS = 5_000;

const POSITION = `SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END)::text AS position`;

/**
 * Statements that only read and may be some seconds old: they run on the replica while it answers and is at most 5 s
 * behind, otherwise on the primary. A statement that fails on the replica is repeated on the primary. While the primary
 * is away, the replica is read as it is (ADR 0122).
 */
export function createReadDb(options: ReadDbOptions): ReadDb {
  const { primary, replica, onMove, now = Date.now } = options;
  const freshness = createReplicaFreshness();
  let fault: string | undefined = 'the replica has not answered yet';

  const move = (reason: string | undefined) => {
    const was = fault;
    fault = reason;
    if (!was !== !reason)
      onMove(reason ? 'primary' : 'replica', reason ?? 'the replica answers and is current');
  };

  async function look(): Promise<void> {
    const read = async (db: Db) => (await db.query<{ position: string }>(POSITION)).rows[0]?.position ?? '';
    const askedAt = now();
    const [written, replayed] = await Promise.allSettled([read(primary), read(replica)]);
    if (replayed.status === 'rejected') return move(`the replica fails: ${messageOf(replayed.reason)}`);
    try {
      if (written.status === 'fulfilled') freshness.primaryAt(askedAt, written.value);
      freshness.replicaAt(replayed.value);
    } catch (error) {
      return move(`the replica fails: ${messageOf(error)}`);
    }
    const behind = freshness.behindMs(now());
    move(behind > MOST_BEHIND_MS ? `the replica is ${Math.round(behind / 1_000)} s behind` : undefined);
  }

  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  void look();
  return {
    look,
    close: () => clearInterval(timer),
    async query(query, values) {
      if (fault) return primary.query(query, values);
      try {
        return await replica.query(query, values);
      } catch (error) {
        if (!isReplicaFault(error)) throw error;
        move(`the replica failed a statement: ${messageOf(error)}`);
        return primary.query(query, values);
      }
    },
  };
}

/** Conflicts of replay with a reader (40001, 40P01), and writes on a replica (25006). */
const REPLICA_SQLSTATES = new Set(['40001', '40P01', '25006']);
/** A statement that took too long would take as long on the primary. */
const TOO_SLOW = '57014';

/** True if the primary could answer what the replica did not. */
function isReplicaFault(error: unknown): boolean {
  if (error instanceof OverloadError) return false;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (REPLICA_SQLSTATES.has(code)) return true;
  return code !== TOO_SLOW && !/Query read timeout/.test(messageOf(error)) && isDatabaseUnavailable(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
