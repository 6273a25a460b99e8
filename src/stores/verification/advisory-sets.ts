import type { Ecosystem } from '../../domain/evidence/evidence-facts';
import type { Db } from '../db';

/** The advisories of an ecosystem that were imported completely (`migrations/0014_verification.sql`). */
export interface AdvisorySetRow {
  ecosystem: Ecosystem;
  /** `osv`, or the name of the imported file. */
  source: string;
  /** When the newest record was changed. */
  dataDate: Date;
  /** When all records were imported last. */
  completeAt: Date;
}

export async function readAdvisorySets(db: Db): Promise<Map<Ecosystem, AdvisorySetRow>> {
  const { rows } = await db.query<AdvisorySetRow>(
    `SELECT ecosystem, source, data_date AS "dataDate", complete_at AS "completeAt" FROM advisory_sets
      ORDER BY ecosystem`,
  );
  return new Map(rows.map((row) => [row.ecosystem, row]));
}

/**
 * Records a complete import, or the date up to which changes were imported since. The date never goes back and is never
 * in the future.
 */
export async function writeAdvisorySet(
  db: Db,
  set: Pick<AdvisorySetRow, 'ecosystem' | 'source' | 'dataDate'> & { isComplete: boolean },
): Promise<void> {
  await db.query(
    `INSERT INTO advisory_sets AS s (ecosystem, source, data_date)
     SELECT $1, $2, least($3::timestamptz, now()) WHERE $4 OR EXISTS (SELECT FROM advisory_sets WHERE ecosystem = $1)
     ON CONFLICT (ecosystem) DO UPDATE SET data_date = greatest(s.data_date, excluded.data_date),
       source = CASE WHEN $4 THEN excluded.source ELSE s.source END,
       complete_at = CASE WHEN $4 THEN now() ELSE s.complete_at END`,
    [set.ecosystem, set.source, set.dataDate, set.isComplete],
  );
}
