/** Reads and writes whole tables for backups, with COPY: rows of one snapshot, and the state of sequences. */
import type { Readable, Writable } from 'node:stream';
import type { Client, ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { MONEY_TABLES } from '../months';

/** A connection of the role that owns the tables. */
export type BackupClient = Client;

export interface BackupTable {
  name: string;
  /** Without generated columns. */
  columns: string[];
}

export interface BackupSequence {
  name: string;
  value: string;
  isCalled: boolean;
}

/** What the schema of a database is made of: a backup fits a database with the same migrations. */
export async function readMigrations(db: ClientBase): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
  return rows.map(({ name }) => name);
}

/**
 * Lists the tables with lasting rows, partitioned ones as a whole. Unlogged tables and those of migrations are left
 * out, and the record of detached months: a restore attaches them again.
 */
export async function listTables(db: ClientBase): Promise<BackupTable[]> {
  const { rows } = await db.query<BackupTable>(`
    SELECT c.relname AS name, array_agg(quote_ident(a.attname) ORDER BY a.attnum)
        FILTER (WHERE a.attgenerated = '') AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relpersistence = 'p'
      AND c.relname NOT LIKE 'schema\\_%' AND c.relname <> 'detached_months' GROUP BY c.relname ORDER BY c.relname`);
  return rows;
}

/** The months that have partitions, as the first day of each; detached ones are among them. */
export async function listMonths(db: ClientBase): Promise<string[]> {
  const { rows } = await db.query<{ month: string }>(`
    SELECT DISTINCT replace(right(relname, 7), '_', '-') || '-01' AS month
    FROM pg_class WHERE relnamespace IN ('months'::regnamespace, 'archive'::regnamespace) AND relkind = 'r' AND relname ~ '_[0-9]{4}_[0-9]{2}$'
    ORDER BY month`);
  return rows.map(({ month }) => month);
}

export async function listSequences(db: ClientBase): Promise<BackupSequence[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  );
  const found: BackupSequence[] = [];
  for (const { name } of rows) {
    const state = await db.query<{ value: string; isCalled: boolean }>(
      `SELECT last_value::text AS value, is_called AS "isCalled" FROM ${quoted(name)}`,
    );
    found.push({ name, value: state.rows[0]?.value ?? '1', isCalled: state.rows[0]?.isCalled ?? false });
  }
  return found;
}

/** The rows of a table in Postgres's text format, with those of detached months. */
export function readRows(client: Client, { name, columns }: BackupTable): Readable {
  const from = quoted(MONEY_TABLES.includes(name) ? `all_${name}` : name);
  return client.query(copyTo(`COPY (SELECT ${columns.join(', ')} FROM ${from}) TO STDOUT`));
}

/** Takes the rows that `readRows` gave. */
export function writeRows(client: Client, { name, columns }: BackupTable): Writable {
  return client.query(copyFrom(`COPY ${quoted(name)} (${columns.join(', ')}) FROM STDIN`));
}

export interface ForeignKey {
  table: string;
  name: string;
  definition: string;
}

/**
 * Makes the tables ready for the rows of a backup, in the transaction of a restore: it makes the partitions of the
 * months, disables triggers, drops foreign keys, and deletes the rows that migrations inserted. Returns the foreign
 * keys.
 */
export async function prepareTables(
  db: ClientBase,
  tables: readonly BackupTable[],
  months: readonly string[],
): Promise<ForeignKey[]> {
  await db.query(
    'SELECT partition_make(t.parent, m.month::date) FROM partitioned_tables() t, unnest($1::text[]) m(month)',
    [months],
  );
  const { rows: keys } = await db.query<ForeignKey>(`
    SELECT conrelid::regclass::text AS "table", conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace`);
  for (const { table, name } of keys) await db.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quoted(name)}`);
  await setTriggers(db, 'DISABLE');
  await db.query(`TRUNCATE ${tables.map(({ name }) => quoted(name)).join(', ')}`);
  return keys;
}

/** Undoes what `prepareTables` did; the foreign keys are checked against all rows. */
export async function restoreConstraints(
  db: ClientBase,
  keys: readonly ForeignKey[],
  sequences: readonly BackupSequence[],
): Promise<void> {
  await setTriggers(db, 'ENABLE');
  for (const { table, name, definition } of keys)
    await db.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quoted(name)} ${definition}`);
  for (const { name, value, isCalled } of sequences)
    await db.query('SELECT setval($1::regclass, $2::bigint, $3)', [quoted(name), value, isCalled]);
}

/** Sets the triggers of all tables, and of each partition, which has triggers of its own. */
async function setTriggers(db: ClientBase, change: 'DISABLE' | 'ENABLE'): Promise<void> {
  const { rows } = await db.query<{ name: string }>(`
    SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT tgisinternal AND c.relnamespace IN ('public'::regnamespace, 'months'::regnamespace)`);
  for (const { name } of rows) await db.query(`ALTER TABLE ${name} ${change} TRIGGER USER`);
}

/** True when no account exists yet: only such a database is restored into. */
export async function isEmpty(db: ClientBase): Promise<boolean> {
  const { rows } = await db.query<{ empty: boolean }>('SELECT NOT EXISTS (SELECT FROM users) AS empty');
  return rows[0]?.empty ?? false;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
