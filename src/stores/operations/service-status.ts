/** The history of the public status page (`migrations/0052_status.sql`). */
import type { NotedDay, StatusPart } from '../../domain/service-status';
import type { Db } from '../db';

/** Notes whether each part works in this minute. */
export async function noteStatus(db: Db, parts: Readonly<Record<StatusPart, boolean>>): Promise<void> {
  await db.query({
    name: 'status-note',
    text: 'SELECT status_note($1, $2)',
    values: [Object.keys(parts), Object.values(parts)],
  });
}

/** Reads what was noted on the latest UTC days, in order, and when the first note of all was made. */
export async function readStatusDays(
  db: Db,
  days: number,
): Promise<{ first: Date | null; days: (NotedDay & { part: StatusPart })[] }> {
  const { rows } = await db.query<NotedDay & { part: StatusPart; first: Date | null }>(
    `SELECT day::text, part, minutes, failed, (SELECT first FROM status_days ORDER BY day, part LIMIT 1) AS first
       FROM status_days WHERE day > (now() AT TIME ZONE 'UTC')::date - $1::integer ORDER BY day, part`,
    [days],
  );
  return { first: rows[0]?.first ?? null, days: rows.map(({ first: _first, ...day }) => day) };
}
