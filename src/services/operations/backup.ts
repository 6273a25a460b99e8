/**
 * Backups (docs/operators/backup.md): one gzip file of a snapshot. Its first line is a header. Each table follows as a
 * line that names it, its rows in Postgres's text format, and `\.`. The last line says that the backup is whole.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import {
  type BackupReader,
  createBackupReader,
  MOST_LINE_BYTES,
  NO_BACKUP,
  NOT_WHOLE,
} from './backup-reader';
import { gzipError } from '../../kit/archives/gzip-errors';
import * as store from '../../stores/operations/backup';

type Client = store.BackupClient;

const FORMAT = 'market-backup/1';
const END = '{"end":true}';
const LAST_LINE = Buffer.from(`\n${END}\n`);

interface Header {
  format: string;
  takenAt: string;
  migrations: string[];
  months: string[];
  sequences: store.BackupSequence[];
}

export interface WrittenBackup {
  takenAt: string;
  tables: number;
  bytes: number;
  /** Of the file. Keep it apart from the file. */
  sha256: string;
}

/**
 * Writes all rows of one snapshot into a new file that only its user can read, while the service runs. `client` is a
 * connection of the owner role. Throws when the file exists.
 */
export async function writeBackup(client: Client, path: string): Promise<WrittenBackup> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const takenAt = new Date().toISOString();
  const header: Header = {
    format: FORMAT,
    takenAt,
    migrations: await store.readMigrations(client),
    months: await store.listMonths(client),
    sequences: await store.listSequences(client),
  };
  const tables = await store.listTables(client);
  const hash = createHash('sha256');
  let bytes = 0;
  async function* content() {
    yield Buffer.from(`${JSON.stringify(header)}\n`);
    for (const table of tables) {
      yield Buffer.from(`${JSON.stringify(table)}\n`);
      yield* store.readRows(client, table) as AsyncIterable<Buffer>;
      yield Buffer.from('\\.\n');
    }
    yield Buffer.from(`${END}\n`);
  }
  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let isOpened = false;
  file.once('open', () => (isOpened = true));
  try {
    await pipeline(content, createGzip(), counted, file);
  } catch (error) {
    // A part of a backup must not be taken for one. A file that was there before was not opened.
    if (isOpened) await rm(path, { force: true });
    throw error;
  }
  await client.query('COMMIT');
  return { takenAt, tables: tables.length, bytes, sha256: hash.digest('hex') };
}

/**
 * Reads a whole backup without a database, so that a file which is cut, damaged or something else is known before
 * anything is changed. Throws `Error` with what is wrong with the file.
 */
export async function checkBackup(path: string): Promise<void> {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let isHeaderRead = false;
  let problem: unknown;
  const read = (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-LAST_LINE.length);
    if (isHeaderRead) return;
    head = Buffer.concat([head, chunk]);
    isHeaderRead = head.includes('\n');
    if (isHeaderRead) headerOf(head.toString('utf8', 0, head.indexOf('\n')));
    else if (head.length > MOST_LINE_BYTES) throw new Error(NO_BACKUP);
  };
  await pipeline(createReadStream(path), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    try {
      for await (const chunk of chunks) read(chunk);
    } catch (error) {
      // The pipeline reports that it was aborted, and not why.
      problem = error;
      throw error;
    }
  }).catch((error: unknown) => {
    throw problemOf(problem ?? error);
  });
  if (!tail.equals(LAST_LINE)) throw new Error(isHeaderRead || head.length === 0 ? NOT_WHOLE : NO_BACKUP);
}

const problemOf = (error: unknown) => gzipError(error, { name: 'backup', foreign: NO_BACKUP });

/**
 * Reads a backup into a migrated database without accounts, in one transaction. `client` is a connection of the owner
 * role. Throws, and changes nothing, when the database has accounts or another schema, or when the file is not whole.
 */
export async function readBackup(client: Client, path: string): Promise<{ takenAt: string; tables: number }> {
  await checkBackup(path);
  const source = createReadStream(path);
  const gunzip = createGunzip();
  const reading = pipeline(source, gunzip);
  reading.catch(() => undefined);
  try {
    await client.query('BEGIN');
    const restored = await restore(client, createBackupReader(gunzip));
    await reading;
    await client.query('COMMIT');
    return restored;
  } catch (error) {
    source.destroy();
    await client.query('ROLLBACK').catch(() => undefined);
    throw problemOf(error);
  }
}

async function restore(client: Client, reader: BackupReader): Promise<{ takenAt: string; tables: number }> {
  const header = headerOf(await reader.line());
  await assertFits(client, header);
  const tables = await store.listTables(client);
  const keys = await store.prepareTables(client, tables, header.months);
  let read = 0;
  for (;;) {
    const line = await reader.line();
    if (line === END) break;
    const table = tables.find((each) => JSON.stringify(each) === line);
    if (!table) throw new Error(`the database has no such table: ${line.slice(0, 80)}`);
    await reader.rows(store.writeRows(client, table));
    read += 1;
  }
  await reader.end();
  if (read !== tables.length) throw new Error(`the backup has ${read} of ${tables.length} tables`);
  await store.restoreConstraints(client, keys, header.sequences);
  return { takenAt: header.takenAt, tables: read };
}

function headerOf(line: string): Header {
  let header: Partial<Header> | null = null;
  try {
    header = JSON.parse(line) as Partial<Header> | null;
  } catch {
    // A file of something else: it has no header.
  }
  const { format, takenAt, migrations, months, sequences } = header ?? {};
  const isWhole = typeof takenAt === 'string' && [migrations, months, sequences].every(Array.isArray);
  if (format !== FORMAT || !isWhole) throw new Error(NO_BACKUP);
  return header as Header;
}

async function assertFits(client: Client, { migrations }: Header): Promise<void> {
  const own = await store.readMigrations(client);
  if (JSON.stringify(own) !== JSON.stringify(migrations))
    throw new Error(
      'the backup belongs to another release: restore with the release that made it, then upgrade',
    );
  if (!(await store.isEmpty(client)))
    throw new Error('the database has accounts: restore into an empty database');
}
