import { resolve } from 'node:path';
import knex, { type Knex } from 'knex';
import {
  applyEarly,
  applyLate,
  changedFiles,
  dropAll,
  dropGone,
  readFunctionFiles,
  recordApplied,
} from './function-files';
import { BASELINE, FOLDED } from './folded-migrations';
import { writePayoutRails } from './payout-rails';
import { migrationNames, sqlMigrations } from './sql-migrations';

export const MIGRATIONS_FOLDER = resolve(__dirname, '../../../migrations');

export interface Migrated {
  /** Names of the migrations that ran. */
  migrations: string[];
  /** Names of the functions whose file was applied. */
  functions: string[];
  /** Names of the functions that were dropped because their file is gone. */
  dropped: string[];
}

/**
 * Migrates a database to the newest schema, as the owner role: runs pending migrations and applies changed function
 * files in one transaction. A failure changes nothing. A second process waits for the first. Throws when the database
 * was made by migrations that are not in the folder.
 */
export async function migrate(ownerUrl: string, folder = MIGRATIONS_FOLDER): Promise<Migrated> {
  const files = readFunctionFiles(folder);
  return inTransaction(ownerUrl, folder, async (trx) => {
    await takeOverFolded(trx);
    await refuseOtherSchema(trx, folder);
    const changed = await changedFiles(trx, files);
    await trx.raw('SET LOCAL check_function_bodies = off');
    const waiting = await applyEarly(trx, changed);
    const [, migrations] = (await trx.migrate.latest()) as [number, string[]];
    await applyLate(trx, waiting);
    await writePayoutRails(trx);
    await recordApplied(trx, changed);
    const dropped = await dropGone(trx, files);
    return { migrations, functions: changed.map(({ name }) => name), dropped };
  });
}

/** Describes briefly what a migration did. */
export function describeMigrated({ migrations, functions, dropped }: Migrated): string {
  const counts = [
    [migrations.length, 'migrations'],
    [functions.length, 'functions'],
    [dropped.length, 'functions dropped'],
  ] as const;
  const done = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return done.length === 0 ? 'up to date' : done.join(', ');
}

/** Rolls back all functions and migrations, newest first. Used by tests of the `down` functions. */
export async function rollback(ownerUrl: string, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  return inTransaction(ownerUrl, folder, async (trx) => {
    await dropAll(trx);
    const [, names] = (await trx.migrate.rollback(undefined, true)) as [number, string[]];
    return names;
  });
}

/**
 * Lets a database that ran every folded migration keep its rows: its tables are those of the baseline, which it is
 * recorded to have run. An index that nothing uses is the one thing that the baseline does not have.
 */
async function takeOverFolded(trx: Knex.Transaction): Promise<void> {
  const applied = await appliedMigrations(trx);
  if (!FOLDED.every((name) => applied.includes(name))) return;
  await trx.raw('DROP INDEX IF EXISTS archive.holds_lease_until_idx');
  await trx('schema_migrations').whereIn('name', FOLDED).delete();
  await trx('schema_migrations').insert(
    BASELINE.map((name) => ({ name, batch: 1, migration_time: trx.fn.now() })),
  );
}

/** Throws for a database that is older than the baseline or newer than this version, without changing it. */
async function refuseOtherSchema(trx: Knex.Transaction, folder: string): Promise<void> {
  const present = new Set(migrationNames(folder));
  const missing = (await appliedMigrations(trx)).find((name) => !present.has(name));
  if (missing)
    throw new Error(
      `this database was made by another version of the service: it ran the migration ${missing}, which this version ` +
        'does not have; nothing was changed. Create a new database, or use the version that made this one',
    );
}

/** Names the migrations that a database has run, in their order; none for an empty database. */
async function appliedMigrations(trx: Knex.Transaction): Promise<string[]> {
  const { rows: tables } = await trx.raw<{ rows: { oid: string | null }[] }>(
    `SELECT to_regclass('public.schema_migrations') AS oid`,
  );
  if (!tables[0]?.oid) return [];
  const { rows } = await trx.raw<{ rows: { name: string }[] }>(
    'SELECT name FROM schema_migrations ORDER BY id',
  );
  return rows.map(({ name }) => name);
}

async function inTransaction<T>(
  connectionString: string,
  folder: string,
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const db = knex({
    client: 'pg',
    connection: { connectionString, application_name: 'market-migrate' },
    pool: { min: 0, max: 1 },
    migrations: { migrationSource: sqlMigrations(folder), tableName: 'schema_migrations' },
  });
  try {
    return await db.transaction(async (trx) => {
      await trx.raw(`SELECT pg_advisory_xact_lock(hashtextextended('schema', 0))`);
      return work(trx);
    });
  } finally {
    await db.destroy();
  }
}
