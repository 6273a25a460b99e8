/**
 * SQL functions as files: `migrations/functions/<domain>/<name>.sql` is the current text of one function. A file is
 * applied again when its SHA-256 differs from the one in the table `schema_functions`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Knex } from 'knex';
import { runSql } from './sql-migrations';

export interface FunctionFile {
  name: string;
  path: string;
  sql: string;
  sha256: string;
}

/**
 * Reads all function files below a migrations folder, sorted by path. Throws when two files have the same name, and
 * when a file creates another function than the one that it is named after.
 */
export function readFunctionFiles(migrationsFolder: string): FunctionFile[] {
  const folder = join(migrationsFolder, 'functions');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql'))
    .sort()
    .map((path) => {
      const sql = readFileSync(join(folder, path), 'utf8');
      return {
        name: basename(path, '.sql'),
        path: `functions/${path}`,
        sql,
        sha256: createHash('sha256').update(sql).digest('hex'),
      };
    });
  for (const file of files) {
    const created = [...file.sql.matchAll(/^CREATE OR REPLACE \w+ (\w+)\s*\(/gm)].map(([, name]) => name);
    if (created.length !== 1 || created[0] !== file.name)
      throw new Error(`migrations/${file.path} must create the one function ${file.name}`);
    const other = files.find(({ name }) => name === file.name);
    if (other && other !== file)
      throw new Error(`migrations/${other.path} and migrations/${file.path} have the same name`);
  }
  return files;
}

/** Returns the files that differ from what was applied before. Creates the table of hashes if it is missing. */
export async function changedFiles(trx: Knex.Transaction, files: FunctionFile[]): Promise<FunctionFile[]> {
  await trx.raw(`CREATE TABLE IF NOT EXISTS schema_functions (
    name        text PRIMARY KEY,
    sha256      text NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT now()
  )`);
  const applied = new Map(
    (await rowsOf<{ name: string; sha256: string }>(trx, 'SELECT name, sha256 FROM schema_functions')).map(
      ({ name, sha256 }) => [name, sha256],
    ),
  );
  return files.filter(({ name, sha256 }) => applied.get(name) !== sha256);
}

/**
 * Applies the files that can be applied before the migrations, so that triggers and columns of new tables find their
 * functions. Bodies are not checked (`check_function_bodies` is off), so only a signature can keep a file waiting: it
 * names a table that a migration is about to make, or differs from a function that a migration is about to drop.
 * Returns the files that have to wait.
 */
export async function applyEarly(trx: Knex.Transaction, files: FunctionFile[]): Promise<FunctionFile[]> {
  const waiting: FunctionFile[] = [];
  for (const file of files) {
    try {
      await trx.transaction((savepoint) => runSql(savepoint, file.sql));
    } catch {
      waiting.push(file);
    }
  }
  return waiting;
}

/** Applies the files that waited for the migrations. Throws with the path of the first file that fails. */
export async function applyLate(trx: Knex.Transaction, files: FunctionFile[]): Promise<void> {
  // A function may name one that comes after it in the list, e.g. an aggregate its step.
  const failed = await applyEarly(trx, files);
  for (const file of failed) {
    try {
      await runSql(trx, file.sql);
    } catch (error) {
      const { message, hint } = error as Error & { hint?: string };
      // knex puts the whole text of the function before the message.
      throw new Error(
        `migrations/${file.path}: ${message.slice(message.lastIndexOf(' - ') + 3)}${hint ? ` (${hint})` : ''}`,
        { cause: error },
      );
    }
  }
}

/** Records the hashes of applied files. Throws when one of them left an older overload of its function in place. */
export async function recordApplied(trx: Knex.Transaction, files: FunctionFile[]): Promise<void> {
  for (const { name, path, sha256 } of files) {
    const signatures = await signaturesOf(trx, name);
    if (signatures.length !== 1)
      throw new Error(
        `migrations/${path} must define the one function ${name}, but there ${signatures.length === 0 ? 'is none' : `are ${signatures.join(' and ')}: drop the older one in a migration`}`,
      );
    await trx('schema_functions')
      .insert({ name, sha256 })
      .onConflict('name')
      .merge({ sha256, applied_at: trx.fn.now() });
  }
}

/** Drops the functions whose file is gone. Throws when something in the database still uses one of them. */
export async function dropGone(trx: Knex.Transaction, files: FunctionFile[]): Promise<string[]> {
  const known = await rowsOf<{ name: string }>(trx, 'SELECT name FROM schema_functions ORDER BY name');
  const gone = known.map(({ name }) => name).filter((name) => !files.some((file) => file.name === name));
  // Functions may call each other, so all are dropped before anything is checked.
  for (const name of gone) {
    for (const signature of await signaturesOf(trx, name)) {
      await trx.raw(`DROP ROUTINE ${signature}`).catch((error: Error & { detail?: string }) => {
        throw new Error(
          `migrations/functions has no file ${name}.sql any more, but the function is used: ${error.detail ?? error.message}`,
          { cause: error },
        );
      });
    }
    await trx('schema_functions').where({ name }).delete();
  }
  for (const name of gone) {
    const callers = await rowsOf<{ proname: string }>(
      trx,
      `SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc ~ ('\\y' || ? || '\\y')`,
      [name],
    );
    if (callers.length > 0)
      throw new Error(
        `migrations/functions has no file ${name}.sql any more, but ${callers.map(({ proname }) => proname).join(', ')} calls it`,
      );
  }
  return gone;
}

/** Drops all functions and everything that depends on them, for `down` migrations. */
export async function dropAll(trx: Knex.Transaction): Promise<void> {
  const routines = await rowsOf<{ signature: string }>(
    trx,
    `SELECT p.oid::regprocedure::text AS signature FROM pg_proc p JOIN schema_functions f ON f.name = p.proname
     WHERE p.pronamespace = 'public'::regnamespace`,
  );
  for (const { signature } of routines) await trx.raw(`DROP ROUTINE IF EXISTS ${signature} CASCADE`);
  await trx.raw('DROP TABLE schema_functions');
}

async function signaturesOf(trx: Knex.Transaction, name: string): Promise<string[]> {
  const rows = await rowsOf<{ signature: string }>(
    trx,
    `SELECT oid::regprocedure::text AS signature FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND proname = ? ORDER BY 1`,
    [name],
  );
  return rows.map(({ signature }) => signature);
}

async function rowsOf<Row>(trx: Knex.Transaction, sql: string, bindings: string[] = []): Promise<Row[]> {
  const { rows } = await trx.raw<{ rows: Row[] }>(sql, bindings);
  return rows;
}
