/** Advisories: importing OSV records, providing them to scans, and finding affected versions. */
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
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
  claimChanges,
  upsertAdvisories,
} from '../../stores/verification/advisories';
import { readAdvisorySets, writeAdvisorySet } from '../../stores/verification/advisory-sets';
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
  /** The ecosystems of the records, with the time of the newest change (RFC 3339). */
  ecosystems: { ecosystem: Ecosystem; records: number; newest: string }[];
}

/** True if so few files cannot be read that the import counts as complete. */
export function isNearlyReadable({ files, unreadableTotal }: ImportReport): boolean {
  return files > 0 && unreadableTotal * 1_000 <= files;
}

const BATCH = 2_000;
const CHANGES_AT_ONCE = 2_000;
const ASK_AT_ONCE = 100;
const MOST_NAMES = 20;

export function createAdvisories({ pool }: { pool: DbPool }) {
  const source: AdvisorySource = {
    async covered() {
      const sets = await readAdvisorySets(pool);
      return new Map([...sets].map(([ecosystem, { dataDate }]) => [ecosystem, dataDate.toISOString()]));
    },
    async lookup(packages) {
      const rows = packages.length === 0 ? [] : await listAdvisories(pool, packages);
      return rows.map((row) => ({ ...row, affected: JSON.parse(row.affected) as AffectedVersions }));
    },
  };

  async function store(records: readonly OsvRecord[]): Promise<number> {
    const newest = [...new Map(records.map((record) => [record.advisoryId, record])).values()];
    const ids = newest.map(({ advisoryId }) => advisoryId);
    const all = newest.map(({ advisoryId: id, modified }) => ({ id, modified }));
    const rows = newest.filter(({ withdrawn }) => !withdrawn).flatMap(toRows);
    return withTransaction(pool, async (tx) => {
      const changed = await upsertAdvisories(tx, all, rows);
      await forgetHits(tx, ids);
      return changed;
    });
  }

  return {
    source,

    /** Stores records. Returns how many rows changed. */
    store,

    ...createImports(pool, store),

    /** The ecosystems that are covered, and since when. */
    sets: () => readAdvisorySets(pool),

    /** Processes the changes of imports and records the affected versions. Several processes may do so. */
    async sweep(): Promise<void> {
      for (;;) {
        const taken = await withTransaction(pool, async (tx) => {
          const changes = await claimChanges(tx, CHANGES_AT_ONCE);
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

type Store = (records: readonly OsvRecord[]) => Promise<number>;

function createImports(pool: DbPool, store: Store) {
  return {
    import: (path: string, progress?: (report: ImportReport) => void) => importFiles(path, store, progress),

    /**
     * Imports a file or folder that holds all records of its ecosystems, which covers them. Throws if too many files
     * cannot be read; their records are imported nevertheless.
     */
    async importComplete(path: string): Promise<ImportReport> {
      const report = await importFiles(path, store);
      if (!isNearlyReadable(report))
        throw new Error(`${report.unreadableTotal} of ${report.files} files have no record: not complete`);
      for (const { ecosystem, newest } of report.ecosystems)
        await writeAdvisorySet(pool, {
          ecosystem,
          source: basename(path),
          dataDate: new Date(newest),
          isComplete: true,
        });
      return report;
    },

    /** Imports `OSV_DIR`. Archives `npm/all.zip` and `PyPI/all.zip` in it cover their ecosystem. */
    async importDirectory(path: string): Promise<Pick<ImportReport, 'records' | 'changed'>> {
      const report = await importFiles(path, store);
      for (const { ecosystem, newest } of report.ecosystems)
        if (await hasArchive(path, ecosystem))
          await writeAdvisorySet(pool, {
            ecosystem,
            source: 'OSV_DIR',
            dataDate: new Date(newest),
            isComplete: isNearlyReadable(report),
          });
      return report;
    },
  };
}

export type Advisories = ReturnType<typeof createAdvisories>;

/** Whether the folder has the archive of an ecosystem, or is itself that archive. */
async function hasArchive(path: string, ecosystem: Ecosystem): Promise<boolean> {
  const archive = join(ecosystem, 'all.zip');
  if (resolve(path).endsWith(archive)) return true;
  return stat(join(path, archive)).then(
    (found) => found.isFile(),
    () => false,
  );
}

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
    ecosystems: [],
  };
  let batch: OsvRecord[] = [];
  // Postgres stores a batch while the next one is read.
  let stored: Promise<unknown> = Promise.resolve();
  const flush = async () => {
    await stored;
    const full = batch;
    batch = [];
    stored = store(full).then((changed) => {
      report.changed += changed;
      progress(report);
    });
    stored.catch(() => undefined); // the next flush throws it
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
      countEcosystems(report, record);
    }
    if (batch.length >= BATCH) await flush();
  }
  await flush();
  await stored;
  return report;
}

function countEcosystems({ ecosystems }: ImportReport, { advisories, modified }: OsvRecord): void {
  for (const ecosystem of new Set(advisories.map((advisory) => advisory.ecosystem))) {
    const known = ecosystems.find((one) => one.ecosystem === ecosystem);
    if (!known) ecosystems.push({ ecosystem, records: 1, newest: modified });
    else {
      known.records += 1;
      if (Date.parse(modified) > Date.parse(known.newest)) known.newest = modified;
    }
  }
}

function toRows({ advisories }: OsvRecord): AdvisoryRow[] {
  return advisories.map((advisory) => ({ ...advisory, affected: JSON.stringify(advisory.affected) }));
}

/** Decides like the scan: development dependencies count only if they are malicious. */
function isHit({ advisoryId, ecosystem, version, isDev, affected }: HitCandidate): boolean {
  if (isDev && !isMalicious(advisoryId)) return false;
  return isAffected(ecosystem, version, JSON.parse(affected) as AffectedVersions);
}
