import type { Db } from '../db';

/** What the reader of a bundle had found before the bundle ended it. `parts`: JSON. */
export interface EndedReadingRow {
  gap: 'reader_ended' | 'too_slow';
  parts: string;
}

export async function readEndedReading(db: Db, sha256: string): Promise<EndedReadingRow | undefined> {
  const result = await db.query<EndedReadingRow>(
    'SELECT gap, parts FROM ended_readings WHERE bundle_sha256 = $1',
    [sha256],
  );
  return result.rows[0];
}

/** Keeps the first reading of a bundle. */
export async function insertEndedReading(db: Db, sha256: string, row: EndedReadingRow): Promise<void> {
  await db.query(
    'INSERT INTO ended_readings (bundle_sha256, gap, parts) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [sha256, row.gap, row.parts],
  );
}
