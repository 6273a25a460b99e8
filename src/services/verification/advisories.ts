/** Advisories: importing OSV records, providing them to scans, and finding affected versions. */
import type { Ecosystem } from '../../domain/evidence/evidence-facts';
import { readJsonFiles } from '../../kit/json/json-files';
import {
  type AdvisoryRow,
  forgetHits,
  type HitCandidate,
  insertHits,
  listAdvisories,
  listUnasked,
  markAsked,
  readCovered,
  takeChanges,
  upsertAdvisories,
} from '../../stores/verification/advisories';
import { type DbPool, withTransaction } from '../../stores/db';
import type { AdvisorySource } from '../../verification/packages/advisories';
import {
  type AffectedVersions,
  isAffected,
  isMalicious,
  type OsvRecord,
  readOsvRecord,
} from '../../verification/packages/osv';

export interface ImportReport {
  /** Number of files read. */
  files: number;
  /** Records of known packages, and rows that they changed. */
  records: number;
  changed: number;
  withdrawn: number;
  /** Names of files without an OSV record; only the first ones. */
  unreadable: string[];
  unreadableTotal: number;
}

const BATCH = 500;
const CHANGES_AT_ONCE = 2_000;
const ASK_AT_ONCE = 100;
const MOST_NAMES = 20;

export function createAdvisories({ pool }: { pool: DbPool }) {
  const source: AdvisorySource = {
    async covered() {
      const rows = await readCovered(pool);
      const of = (malicious: boolean) =>
        new Set<Ecosystem>(
          rows.filter((row) => row.malicious === malicious).map(({ ecosystem }) => ecosystem),
        );
      return { vulnerabilities: of(false), malicious: of(true) };
    },
    async lookup(packages) {
      const rows = packages.length === 0 ? [] : await listAdvisories(pool, packages);
      return rows.map((row) => ({ ...row, affected: JSON.parse(row.affected) as AffectedVersions }));
    },
  };

  async function store(records: readonly OsvRecord[]): Promise<number> {
    const newest = [...new Map(records.map((record) => [record.advisoryId, record])).values()];
    const ids = newest.map(({ advisoryId }) => advisoryId);
    const rows = newest.filter(({ withdrawn }) => !withdrawn).flatMap(toRows);
    return withTransaction(pool, async (tx) => {
      const changed = await upsertAdvisories(tx, ids, rows);
      await forgetHits(tx, ids);
      return changed;
    });
  }

  return {
    source,

    import: (path: string, progress?: (report: ImportReport) => void) => importFiles(path, store, progress),

    /** Processes the changes of imports and records the affected versions. Several processes may do so. */
    async sweep(): Promise<void> {
      for (;;) {
        const taken = await withTransaction(pool, async (tx) => {
          const changes = await takeChanges(tx, CHANGES_AT_ONCE);
          await insertHits(tx, changes.candidates.filter(isHit), false);
          return changes.taken;
        });
        if (taken < CHANGES_AT_ONCE) return;
      }
    },

    /** Lists versions that pin an affected package and were not verified since. */
    listUnasked: () => listUnasked(pool, ASK_AT_ONCE),
    markAsked: (versionId: string) => markAsked(pool, versionId),
  };
}

export type Advisories = ReturnType<typeof createAdvisories>;

/**
 * Imports all OSV records of a directory (at any depth), a zip archive or a file. Safe to repeat and to interrupt: each
 * batch is one transaction. Calls `progress` after each batch.
 */
async function importFiles(
  path: string,
  store: (records: readonly OsvRecord[]) => Promise<number>,
  progress: (report: ImportReport) => void = () => undefined,
): Promise<ImportReport> {
  const report: ImportReport = {
    files: 0,
    records: 0,
    changed: 0,
    withdrawn: 0,
    unreadable: [],
    unreadableTotal: 0,
  };
  let batch: OsvRecord[] = [];
  const flush = async () => {
    report.changed += await store(batch);
    batch = [];
    progress(report);
  };
  for await (const { name, value } of readJsonFiles(path)) {
    const record = readOsvRecord(value);
    report.files += 1;
    if (!record) {
      report.unreadableTotal += 1;
      if (report.unreadable.length < MOST_NAMES) report.unreadable.push(name);
    } else if (record.advisories.length > 0 || record.withdrawn) {
      report.records += 1;
      report.withdrawn += Number(record.withdrawn);
      batch.push(record);
    }
    if (batch.length >= BATCH) await flush();
  }
  await flush();
  return report;
}

function toRows({ advisories }: OsvRecord): AdvisoryRow[] {
  return advisories.map((advisory) => ({ ...advisory, affected: JSON.stringify(advisory.affected) }));
}

/** Decides like the scan: development dependencies count only if they are malicious. */
function isHit({ advisoryId, ecosystem, version, isDev, affected }: HitCandidate): boolean {
  if (isDev && !isMalicious(advisoryId)) return false;
  return isAffected(ecosystem, version, JSON.parse(affected) as AffectedVersions);
}
