/**
 * Archives of months (docs/ledger.md, "Archives"): a gzip file of lines. The first names the month; `D` begins a day
 * with its digest and seal, `T` has what the digest hashes of one transaction, `R <table>` one row of another table.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, createGzip } from 'node:zlib';
import { type DayDigest, digestTerms } from '../../domain/ledger/ledger-digest';
import { gzipError } from '../../kit/archives/gzip-errors';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import type { Db, DbPool } from '../../stores/db';
import * as store from '../../stores/ledger/ledger-archives';
import type { Finding } from '../../stores/ledger/ledger-checks';
import { type DigestRow, listDigests } from '../../stores/ledger/ledger-digests';

const FORMAT = 'market-ledger-archive/1';
export const ROWS_AT_ONCE = 5_000;
const MOST_DAYS = 1_000_000;
const NO_ARCHIVE = 'this is no archive of a ledger';

export interface WrittenArchive {
  month: string;
  days: number;
  transactions: number;
  rows: number;
  /** Of the compressed file. */
  bytes: number;
  sha256: string;
}

/**
 * Writes the archive of a month that is over and sealed, in one snapshot. The file must not exist. Pass a pool without
 * statement timeouts. Throws `Error` when the month is not over, or a day of it has no digest yet.
 */
export async function writeArchive(pool: DbPool, month: string, path: string): Promise<WrittenArchive> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SET LOCAL TimeZone = 'UTC'`);
    const { days, sealed, isOver } = await store.readArchiveMonth(client, month);
    if (!isOver) throw new Error(`${month} is not over yet`);
    if (sealed < days)
      throw new Error(`${days - sealed} days of ${month} have no digest yet; does a worker run?`);
    const file = await newFile(path);
    const { written, end } = await writeWhole(file, path, () => writeMonth(client, month, file.write));
    await client.query('COMMIT');
    client.release();
    return { month, ...written, ...end };
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}

async function writeMonth(db: Db, month: string, write: (line: string) => Promise<void>) {
  const counts = { days: 0, transactions: 0, rows: 0 };
  await write(canonicalJson({ format: FORMAT, month }));
  const { rows } = await listDigests(db, { limit: MOST_DAYS });
  for (const digest of rows.filter(({ day }) => day.startsWith(month)).reverse()) {
    const { digestSha256: digest_sha256, seal, kid } = digest;
    await write(`D ${canonicalJson({ ...digestTerms(digest), digest_sha256, seal, kid })}`);
    counts.days += 1;
    counts.transactions += await writeAll(
      (afterId) => store.readDigestLines(db, { day: digest.day, afterId, limit: ROWS_AT_ONCE }),
      (line) => write(`T ${line}`),
    );
  }
  for (const table of store.ARCHIVED_TABLES)
    counts.rows += await writeAll(
      (afterId) => store.readArchivedRows(db, { table, month, afterId, limit: ROWS_AT_ONCE }),
      (line) => write(`R ${table} ${line}`),
    );
  return counts;
}

async function writeAll(
  read: (afterId: string | undefined) => Promise<store.ArchivePage>,
  write: (line: string) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let page = await read(undefined); page.rows.length > 0; page = await read(page.afterId)) {
    for (const line of page.rows) await write(line);
    count += page.rows.length;
  }
  return count;
}

type NewFile = Awaited<ReturnType<typeof newFile>>;

/** A part of an archive must not be taken for one: a file that cannot be written to its end is removed. */
async function writeWhole<T>(file: NewFile, path: string, write: () => Promise<T>) {
  try {
    const written = await write();
    return { written, end: await file.end() };
  } catch (error) {
    await file.giveUp();
    await rm(path, { force: true });
    throw error;
  }
}

async function newFile(path: string) {
  const handle = await open(path, 'wx', 0o600);
  const gzip = createGzip();
  const hash = createHash('sha256');
  let bytes = 0;
  gzip.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    bytes += chunk.length;
  });
  // Rejects when the file cannot be written, such as on a full disk.
  const writing = pipeline(gzip, handle.createWriteStream());
  writing.catch(() => undefined);
  return {
    async write(line: string): Promise<void> {
      if (!gzip.write(`${line}\n`)) await Promise.race([once(gzip, 'drain'), writing]);
    },
    async end(): Promise<{ bytes: number; sha256: string }> {
      gzip.end();
      await writing;
      return { bytes, sha256: hash.digest('hex') };
    },
    async giveUp(): Promise<void> {
      gzip.destroy();
      await writing.catch(() => undefined);
    },
  };
}

export interface ArchiveReport {
  ok: boolean;
  month: string | null;
  days: number;
  transactions: number;
  findings: Finding[];
}

/**
 * Verifies an archive: each day's transactions fold into its digest, and the digests are those of the database, whose
 * seals `market ledger check` verifies.
 */
export async function checkArchive(db: Db, path: string): Promise<ArchiveReport> {
  const { rows } = await listDigests(db, { limit: MOST_DAYS });
  const known = new Map(rows.map((row) => [row.day, row]));
  const report: ArchiveReport = { ok: false, month: null, days: 0, transactions: 0, findings: [] };
  let current: FoldedDay | undefined;
  const close = () => {
    if (current) report.findings.push(...problemsOf(current, known.get(current.terms.day)));
  };
  const read = (line: string) => {
    if (report.month === null) report.month = monthOf(line);
    else if (line.startsWith('D ')) {
      close();
      current = { terms: dayOf(line.slice(2)), folded: createHash('sha256').digest(), transactions: 0 };
      report.days += 1;
    } else if (line.startsWith('T ') && current) {
      current.folded = createHash('sha256').update(current.folded).update(line.slice(2)).digest();
      current.transactions += 1;
      report.transactions += 1;
    }
  };
  await eachLine(path, read);
  if (report.month === null) throw new Error(NO_ARCHIVE);
  close();
  const missing =
    rows.filter(({ day }) => report.month !== null && day.startsWith(report.month)).length - report.days;
  if (missing !== 0)
    report.findings.push({
      subject: `month ${report.month}`,
      problem: `${missing} sealed days are not in the file`,
    });
  return { ...report, ok: report.findings.length === 0 };
}

/** Reads the lines of an archive, one after the other. */
export async function eachLine(path: string, read: (line: string) => void): Promise<void> {
  let failure: unknown;
  try {
    await pipeline(createReadStream(path), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      try {
        for await (const line of linesOf(chunks)) read(line);
      } catch (error) {
        failure = error;
        throw error;
      }
    });
  } catch (error) {
    // The pipeline reports that it was aborted, and not why.
    throw gzipError(failure ?? error, { name: 'archive', foreign: NO_ARCHIVE });
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

interface FoldedDay {
  terms: DayDigest & { digestSha256: string };
  folded: Buffer;
  transactions: number;
}

function problemsOf({ terms, folded, transactions }: FoldedDay, known: DigestRow | undefined): Finding[] {
  const problems = [
    folded.toString('hex') === terms.entriesSha256 && transactions === terms.transactions
      ? undefined
      : `its ${transactions} transactions are not those that were sealed`,
    sha256Hex(canonicalJson(digestTerms(terms))) === terms.digestSha256
      ? undefined
      : 'its digest is not of what it says',
    known?.digestSha256 === terms.digestSha256 ? undefined : 'its digest is not that of the database',
  ];
  return problems.flatMap((problem) => (problem ? [{ subject: `day ${terms.day}`, problem }] : []));
}

function monthOf(line: string): string {
  const head = parse(line);
  if (head['format'] !== FORMAT || typeof head['month'] !== 'string') throw new Error(NO_ARCHIVE);
  return head['month'];
}

function dayOf(line: string): FoldedDay['terms'] {
  const day = parse(line);
  return {
    day: String(day['day']),
    transactions: Number(day['transactions']),
    entries: Number(day['entries']),
    debitsUnits: Number(day['debits_units']),
    creditsUnits: Number(day['credits_units']),
    entriesSha256: String(day['entries_sha256']),
    previousSha256: String(day['previous_sha256']),
    digestSha256: String(day['digest_sha256']),
  };
}

function parse(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new Error('a line of the archive cannot be read', { cause: error });
  }
  if (typeof value !== 'object' || value === null) throw new Error('a line of the archive cannot be read');
  return value as Record<string, unknown>;
}
