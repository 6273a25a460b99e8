/** The reads of timers in API processes of a market with a long history. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { Container } from '../../../src/container';
import { noteUses } from '../../../src/stores/accounts/key-uses';
import { addPoints, deleteEndedCounters } from '../../../src/stores/accounts/rate-limits';
import { noteStatus } from '../../../src/stores/operations/service-status';
import { readTaskMarks } from '../../../src/stores/a2a/a2a-tasks';
import { readFinalStates } from '../../../src/stores/calls/invocation-reads';
import { recordOwnerSeen } from '../../../src/stores/calls/call-owners';
import { readOpenQuestionIds } from '../../../src/stores/jobs/job-questions';
import { listChangesAfter, readLastChangeId } from '../../../src/stores/catalogue/listing-changes';
import { MONDAY_DEVELOPER } from './loaded-monday';

export interface Timed {
  /** Rows that one statement of a turn reads at most. */
  mostRows: number;
  turn: (container: Container, ids: readonly string[]) => Promise<unknown>;
}

/**
 * The files of `src` with a timer that repeats, and its turn for 200 ids of calls; or why it reads no table. The
 * largest batch counts: 200 changes of listings, of which 50 were seen before.
 */
export const TIMERS: Record<string, Timed | string> = {
  'api/answers/sse.ts': 'writes to its socket',
  'api/bodies/uploads.ts': 'counts bytes',
  'api/identity/stream-credentials.ts':
    'reads keys and sessions by their hash or id, one for each open stream',
  'api/routes/a2a.ts': 'writes to its socket',
  'api/server.ts': {
    mostRows: 100,
    turn: ({ pool }) => noteStatus(pool, { api: true, calls: true, background: true }),
  },
  'engine/engine-health.ts': 'asks Temporal, and reads nothing of the database',
  'services/calls/invocation-watch.ts': {
    mostRows: 1_000,
    turn: ({ pool }, ids) => readFinalStates(pool, [...ids]),
  },
  'services/calls/call-owners.ts': { mostRows: 10, turn: ({ pool }) => recordOwnerSeen(pool, 'loaded') },
  'services/a2a/a2a-task-watch.ts': {
    mostRows: 1_000,
    turn: ({ pool }, ids) => readTaskMarks(pool, [...ids]),
  },
  'services/jobs/question-watch.ts': {
    mostRows: 1_000,
    turn: ({ pool }, ids) => readOpenQuestionIds(pool, [...ids]),
  },
  'services/webhooks/event-reader.ts': 'measured with a stream that follows',
  'services/catalogue/listing-watch.ts': {
    mostRows: 1_000,
    async turn({ pool }) {
      const last = await readLastChangeId(pool);
      await listChangesAfter(pool, last - 50, 200);
      // A client that was away for long.
      await listChangesAfter(pool, 0, 200);
    },
  },
  'services/accounts/rate-limits.ts': {
    mostRows: 16_000,
    async turn({ pool }) {
      const hits = Array.from({ length: 5_000 }, (_hit, n) => ({
        key: `loaded/${n}`,
        points: 1,
        windowMs: 1,
      }));
      await addPoints(pool, hits);
      await deleteEndedCounters(pool, 1_000);
    },
  },
  'services/accounts/api-key-uses.ts': {
    mostRows: 2_000,
    turn: ({ pool }, ids) =>
      noteUses(
        pool,
        ids.map((keyId) => ({ keyId, at: new Date() })),
      ),
  },
  'stores/read-db.ts': 'asks the replica how far it is',
};

/**
 * Rows of the tables that timers read: changes of listings, counters of rate limits and sessions that ended and that go
 * on.
 */
export async function loadTimed(owner: Client, count: number): Promise<void> {
  await owner.query(
    `INSERT INTO listing_changes (agent_id, listed, was_listed)
     SELECT 'agt_loaded_' || (1 + n % 20) || '_v1', true, false FROM generate_series(1, ${count}) n`,
  );
  await owner.query(
    `INSERT INTO rate_limits (key, points, window_ends_at)
     SELECT 'x' || n, 1, now() + (n % 2 * 2 - 1) * interval '1 hour' FROM generate_series(1, ${2 * count}) n`,
  );
  await owner.query(
    `INSERT INTO sessions (sid, sess, expire)
     SELECT 's' || n, '{}', now() + (n % 2 * 2 - 1) * interval '1 hour' FROM generate_series(1, ${2 * count}) n`,
  );
  // Adds the entries of a developer's lots, which `loadRows` inserts without entries.
  await owner.query(
    `UPDATE accounts SET balance_units = balance_units + 1000000000, version = version + 1 WHERE user_id = $1 AND kind = 'payable'`,
    [MONDAY_DEVELOPER],
  );
  await owner.query('ANALYZE listing_changes, rate_limits, sessions');
}

const SRC = join(__dirname, '../../../src');

/** The files of API processes with a timer that repeats. */
export function timedFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(api|services|stores|engine)\/.*(?<!\.test)\.ts$/.test(file))
    .filter((file) => readFileSync(join(SRC, file), 'utf8').includes('setInterval('))
    .sort();
}
