/**
 * Backups (docs/operators/backup.md): one gzip file of a snapshot. Its first line is a header. Each table follows as a line
 * that names it, its rows in Postgres's text format, and `\.`. The last line says that the backup is whole.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import * as store from '../../stores/operations/backup';

type Client = store.BackupClient;

const FORMAT = 'market-backup/1';
const END_OF_ROWS = Buffer.from('\n\\.\n');
const END = '{"end":true}';
const MOST_LINE_BYTES = 1_000_000;

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
  await pipeline(content, createGzip(), counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  await client.query('COMMIT');
  return { takenAt, tables: tables.length, bytes, sha256: hash.digest('hex') };
}

/**
 * Reads a backup into a migrated database without accounts, in one transaction. `client` is a connection of the owner
 * role. Throws, and changes nothing, when the database has accounts or another schema, or when the file is not whole.
 */
export async function readBackup(client: Client, path: string): Promise<{ takenAt: string; tables: number }> {
  const source = createReadStream(path);
  const gunzip = createGunzip();
  const reading = pipeline(source, gunzip);
  reading.catch(() => undefined);
  try {
    await client.query('BEGIN');
    const restored = await restore(client, createReader(gunzip));
    await reading;
    await client.query('COMMIT');
    return restored;
  } catch (error) {
    source.destroy();
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function restore(client: Client, reader: Reader): Promise<{ takenAt: string; tables: number }> {
  const header = JSON.parse(await reader.line()) as Header;
  if (header.format !== FORMAT) throw new Error('the file is no backup of this service');
  await assertFits(client, header);
  const tables = await store.listTables(client);
  const keys = await store.openTables(client, tables, header.months);
  let read = 0;
  for (;;) {
    const line = await reader.line();
    if (line === END) break;
    const table = tables.find((each) => JSON.stringify(each) === line);
    if (!table) throw new Error(`the database has no such table: ${line.slice(0, 80)}`);
    await reader.rows(store.writeRows(client, table));
    read += 1;
  }
  if (read !== tables.length) throw new Error(`the backup has ${read} of ${tables.length} tables`);
  await store.closeTables(client, keys, header.sequences);
  return { takenAt: header.takenAt, tables: read };
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

interface Reader {
  line(): Promise<string>;
  /** Passes rows on until the end of their table. */
  rows(into: Writable): Promise<void>;
}

/** Throws `Error` where the file ends before its last line. */
function createReader(source: Readable): Reader {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  // Begins with the line break before the next line, so that the end of an empty table is found like any other.
  let rest = Buffer.from('\n');

  async function more(): Promise<void> {
    const next = await chunks.next();
    if (next.done) throw new Error('the backup is not whole: its end is missing');
    rest = Buffer.concat([rest, next.value]);
  }

  return {
    async line() {
      let at: number;
      while ((at = rest.indexOf('\n', 1)) < 0) {
        if (rest.length > MOST_LINE_BYTES) throw new Error('the file is no backup of this service');
        await more();
      }
      const text = rest.toString('utf8', 1, at);
      rest = rest.subarray(at);
      return text;
    },
    async rows(into) {
      const ended = once(into, 'finish');
      ended.catch(() => undefined);
      const write = async (bytes: Buffer) => {
        if (bytes.length > 0 && !into.write(bytes)) await Promise.race([once(into, 'drain'), ended]);
      };
      // The line break before the first row belongs to the line that names the table.
      let from = 1;
      let at: number;
      while ((at = rest.indexOf(END_OF_ROWS)) < 0) {
        const safe = Math.max(from, rest.length - END_OF_ROWS.length);
        await write(rest.subarray(from, safe));
        rest = rest.subarray(safe - 1);
        from = 1;
        await more();
      }
      await write(rest.subarray(from, at + 1));
      rest = rest.subarray(at + END_OF_ROWS.length - 1);
      into.end();
      await ended;
    },
  };
}
