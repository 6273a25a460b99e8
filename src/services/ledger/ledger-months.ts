/** Detaching of months (docs/ledger.md, "Archives"; ADR 0143). */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DbPool } from '../../stores/db';
import * as store from '../../stores/ledger/ledger-archives';
import { checkArchive, eachLine, ROWS_AT_ONCE, writeArchive } from './ledger-archive';

export interface DetachOptions {
  /** Where the files are; it is made if it is missing. */
  folder: string;
  /** Days that a month stays after its end; at least 100 are kept in any case. */
  keepDays: number;
  /** Only this month (`YYYY-MM`); otherwise all that are due, oldest first. */
  month?: string | undefined;
}

export interface DetachedMonth {
  month: string;
  file: string;
  sha256: string;
  /** Of its tables and indexes, which are in the schema `archive` now. */
  bytes: number;
}

export interface DetachReport {
  detached: DetachedMonth[];
  /** Months that are over and stay, with the reasons. */
  kept: { month: string; problems: string[] }[];
}

/**
 * Detaches months: each is exported into a file of the folder unless it is there, the file is read back and compared
 * with the digests and the rows, and then the month moves into the schema `archive`. `pool` belongs to the owner of the
 * tables and has no statement timeout. Throws `Error` when a file is not the month; nothing of that month is detached
 * then.
 */
export async function detachMonths(pool: DbPool, options: DetachOptions): Promise<DetachReport> {
  const months = options.month === undefined ? await store.listAttachedMonths(pool) : [options.month];
  const report: DetachReport = { detached: [], kept: [] };
  for (const month of months) {
    const problems = await store.readMonthProblems(pool, month, options.keepDays);
    if (problems.length > 0) report.kept.push({ month, problems });
    else report.detached.push(await detachOne(pool, month, options.folder));
  }
  return report;
}

async function detachOne(pool: DbPool, month: string, folder: string): Promise<DetachedMonth> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `ledger-${month}.gz`);
  if (!existsSync(file)) await writeArchive(pool, month, file);
  const { ok, month: found, findings } = await checkArchive(pool, file);
  if (!ok || found !== month)
    throw new Error(
      `${file} is not the archive of ${month}: ${findings[0]?.problem ?? `it is that of ${found}`}`,
    );
  await assertSameRows(pool, month, file);
  const sha256 = await sha256Of(file);
  await store.detachMonth(pool, month, sha256);
  return { month, file, sha256, bytes: await store.readMonthBytes(pool, month) };
}

/** Calls, holds and lots are in no digest, so the rows of the file are compared with those of the database. */
async function assertSameRows(pool: DbPool, month: string, file: string): Promise<void> {
  const inFile = new Map(store.ARCHIVED_TABLES.map((table) => [table as string, createHash('sha256')]));
  await eachLine(file, (line) => {
    const [, table = '', row = ''] = /^R (\w+) ([^]*)$/.exec(line) ?? [];
    inFile.get(table)?.update(`${row}\n`);
  });
  for (const table of store.ARCHIVED_TABLES) {
    const stored = createHash('sha256');
    const read = (afterId: string | undefined) =>
      store.readArchivedRows(pool, { table, month, afterId, limit: ROWS_AT_ONCE });
    for (let page = await read(undefined); page.rows.length > 0; page = await read(page.afterId))
      for (const row of page.rows) stored.update(`${row}\n`);
    if (stored.digest('hex') !== inFile.get(table)?.digest('hex'))
      throw new Error(`${file} has other rows of ${table} than the database: write it again`);
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
