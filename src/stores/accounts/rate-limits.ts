import type { Db } from '../db';

export interface Hit {
  key: string;
  points: number;
  windowMs: number;
}

export interface Counter {
  key: string;
  points: number;
  /** Milliseconds until the window ends and the points are forgotten. */
  endsInMs: number;
}

/** Adds points to counters and returns their new values. A counter whose window has ended starts a new window. */
export async function addPoints(db: Db, hits: readonly Hit[]): Promise<Counter[]> {
  const { rows } = await db.query<{ key: string; points: number; ends_in_ms: number }>({
    name: 'rate-limits-add',
    text: `
      INSERT INTO rate_limits AS r (key, points, window_ends_at)
      SELECT key, points, now() + window_ms * interval '1 ms'
      FROM unnest($1::text[], $2::int[], $3::int[]) AS hit (key, points, window_ms) ORDER BY key
      ON CONFLICT (key) DO UPDATE SET
        points = excluded.points + CASE WHEN r.window_ends_at > now() THEN r.points ELSE 0 END,
        window_ends_at = CASE WHEN r.window_ends_at > now() THEN r.window_ends_at ELSE excluded.window_ends_at END
      RETURNING key, points, (extract(epoch FROM window_ends_at - now()) * 1000)::float8 AS ends_in_ms`,
    values: [
      hits.map(({ key }) => key),
      hits.map(({ points }) => points),
      hits.map(({ windowMs }) => windowMs),
    ],
  });
  return rows.map((row) => ({ key: row.key, points: row.points, endsInMs: row.ends_in_ms }));
}

/** Reads counters in their current window. A counter without a running window is missing. */
export async function readCounters(db: Db, keys: readonly string[]): Promise<Map<string, Counter>> {
  const { rows } = await db.query<{ key: string; points: number; ends_in_ms: number }>({
    name: 'rate-limits-read',
    text: `SELECT key, points, (extract(epoch FROM window_ends_at - now()) * 1000)::float8 AS ends_in_ms
           FROM rate_limits WHERE key = ANY ($1) AND window_ends_at > now()`,
    values: [keys],
  });
  return new Map(rows.map(({ key, points, ends_in_ms: endsInMs }) => [key, { key, points, endsInMs }]));
}

export async function deleteCounter(db: Db, key: string): Promise<void> {
  await db.query('DELETE FROM rate_limits WHERE key = $1', [key]);
}

/** Deletes up to `most` counters whose window has ended, oldest first. Returns how many. */
export async function deleteEndedCounters(db: Db, most: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM rate_limits WHERE key = ANY (ARRAY (SELECT key FROM rate_limits
       WHERE window_ends_at < now() ORDER BY window_ends_at LIMIT $1 FOR UPDATE SKIP LOCKED)) AND window_ends_at < now()`,
    [most],
  );
  return rowCount ?? 0;
}
