/**
 * Keeps advisories new (docs/verification-bundles.md, "Advisories"): fetches the archive of each ecosystem once a week,
 * and its changes in between. An ecosystem is covered from its first complete archive on; its date is that of the
 * newest record.
 */
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config';
import type { Ecosystem } from '../../domain/evidence/evidence-facts';
import type { Egress } from '../../egress/agent-call';
import { createOsvSource, type OsvSource } from '../../egress/osv-source';
import { StartRefusal } from '../../kit/start-refusal';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import {
  type AdvisorySetRow,
  readAdvisorySets,
  writeAdvisorySet,
} from '../../stores/verification/advisory-sets';
import { readOsvRecord } from '../../verification/packages/osv';
import { type Advisories, isNearlyReadable } from './advisories';

export interface FeedReport {
  ecosystem: Ecosystem;
  /** `older`: the source has older data than this market; nothing was used. */
  outcome: 'archive' | 'changes' | 'current' | 'older' | 'failed';
  /** Rows that changed. */
  changed: number;
  reason: string | null;
}

export interface AdvisoryFeedDeps {
  pool: DbPool;
  advisories: Pick<Advisories, 'import' | 'store'>;
  source: Pick<OsvSource, 'download' | 'changes' | 'record'>;
  /** Folder for archives; kept between runs, so that a download can continue. */
  folder: string;
  logger: Logger;
}

const ECOSYSTEMS: readonly Ecosystem[] = ['npm', 'PyPI'];
const ARCHIVE_AFTER_MS = 7 * 24 * 3_600_000;
/** The share of the listed records that a complete archive has at least; both are written at about the same time. */
const LEAST_SHARE = 0.99;
/** Above this number of changes, the archive is cheaper. */
const MOST_CHANGES = 2_000;

export function createAdvisoryFeed(deps: AdvisoryFeedDeps) {
  return {
    /** Fetches what is new of each ecosystem. A failure at the source is a result; the next run tries again. */
    async refresh(signal: AbortSignal): Promise<FeedReport[]> {
      const sets = await readAdvisorySets(deps.pool);
      const reports: FeedReport[] = [];
      for (const ecosystem of ECOSYSTEMS) {
        const report = await refreshOne(deps, ecosystem, sets.get(ecosystem), signal);
        if (report.outcome === 'failed') deps.logger.warn(report, 'could not fetch advisories');
        reports.push(report);
      }
      return reports;
    },
  };
}

export type AdvisoryFeed = ReturnType<typeof createAdvisoryFeed>;

async function refreshOne(
  deps: AdvisoryFeedDeps,
  ecosystem: Ecosystem,
  set: AdvisorySetRow | undefined,
  signal: AbortSignal,
): Promise<FeedReport> {
  try {
    const isDue = !set || Date.now() - set.completeAt.getTime() > ARCHIVE_AFTER_MS;
    const changes = set && !isDue ? await fetchChanges(deps, ecosystem, set) : undefined;
    return changes ?? (await fetchArchive(deps, ecosystem, set, signal));
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : 'unknown';
    return { ecosystem, outcome: 'failed', changed: 0, reason };
  }
}

/** Undefined if there are so many changes that the archive is to be fetched. */
async function fetchChanges(
  { advisories, source, pool }: AdvisoryFeedDeps,
  ecosystem: Ecosystem,
  set: AdvisorySetRow,
): Promise<FeedReport | undefined> {
  const { newest, changed } = await source.changes(ecosystem, set.dataDate);
  if (!newest || newest < set.dataDate) return older(ecosystem);
  if (changed.length === 0) return { ecosystem, outcome: 'current', changed: 0, reason: null };
  if (changed.length > MOST_CHANGES) return undefined;
  let rows = 0;
  for (const { id } of changed) {
    const record = readOsvRecord(await source.record(ecosystem, id));
    if (!record) throw new Error(`the record ${id} cannot be read`);
    rows += await advisories.store([record]);
  }
  await writeAdvisorySet(pool, { ecosystem, source: 'osv', dataDate: newest, isComplete: false });
  return { ecosystem, outcome: 'changes', changed: rows, reason: null };
}

async function fetchArchive(
  { advisories, source, folder, pool }: AdvisoryFeedDeps,
  ecosystem: Ecosystem,
  set: AdvisorySetRow | undefined,
  signal: AbortSignal,
): Promise<FeedReport> {
  const { newest, total } = await source.changes(ecosystem, set?.dataDate ?? new Date());
  if (set && (!newest || newest < set.dataDate)) return older(ecosystem);
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${ecosystem}-all.zip`);
  await source.download(ecosystem, file, signal);
  try {
    const report = await advisories.import(file);
    const found = report.ecosystems.find((one) => one.ecosystem === ecosystem);
    if (!found || !isNearlyReadable(report)) throw new Error('the archive has records that cannot be read');
    if (report.files < total * LEAST_SHARE)
      throw new Error(`the archive has ${report.files} of ${total} records`);
    const dataDate = new Date(found.newest);
    await writeAdvisorySet(pool, { ecosystem, source: 'osv', dataDate, isComplete: true });
    return { ecosystem, outcome: 'archive', changed: report.changed, reason: null };
  } finally {
    await rm(file, { force: true });
  }
}

function older(ecosystem: Ecosystem): FeedReport {
  const reason = 'The source has older data than this marketplace.';
  return { ecosystem, outcome: 'older', changed: 0, reason };
}

interface SourceDeps extends Pick<AdvisoryFeedDeps, 'pool' | 'logger'> {
  config: Pick<Config, 'ADVISORY_SOURCE' | 'ADVISORY_SOURCE_URL'>;
  egress: Pick<Egress, 'open' | 'post' | 'checkUrl'>;
}

/** The feed of advisories by the settings, if there is one. Throws `StartRefusal` if its URL is forbidden. */
export function advisoryFeedOf(
  { pool, config, egress, logger }: SourceDeps,
  advisories: Advisories,
): AdvisoryFeed | undefined {
  if (config.ADVISORY_SOURCE === 'none') return undefined;
  const { ADVISORY_SOURCE_URL: url } = config;
  if (url && !egress.checkUrl(url).ok)
    throw new StartRefusal('ADVISORY_SOURCE_URL must be an https:// URL of a public host');
  const folder = join(tmpdir(), 'market-advisories');
  return createAdvisoryFeed({ pool, advisories, source: createOsvSource(egress, url), folder, logger });
}
