/**
 * Migrations as plain SQL: `migrations/<number>_<name>.sql` has what takes the tables up, and, after the line
 * `-- migrate:down`, what takes them down again.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';

const NAME = /^\d{4}_[a-z0-9_]+\.sql$/;
const MARKS = /^-- migrate:(?:up|down)$/m;

/** Names the migration files of a folder, in the order in which they run. */
export function migrationNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort();
}

/** Reads what a migration does, and what takes it back. Throws when the file lacks one of its two marks. */
export function migrationParts(folder: string, name: string): { up: string; down: string } {
  const [, up, down, ...more] = readFileSync(join(folder, name), 'utf8').split(MARKS);
  if (up === undefined || down === undefined || more.length > 0)
    throw new Error(`migrations/${name} must have the lines "-- migrate:up" and "-- migrate:down" once each`);
  return { up, down };
}

/** The migrations of a folder, for knex. */
export function sqlMigrations(folder: string): Knex.MigrationSource<string> {
  return {
    getMigrations: () => Promise.resolve(migrationNames(folder)),
    getMigrationName: (name) => name,
    getMigration: async (name) => {
      const { up, down } = migrationParts(folder, name);
      return Promise.resolve({ up: (trx) => runSql(trx, up), down: (trx) => runSql(trx, down) });
    },
  };
}

/** Runs the SQL of a file. Question marks are escaped, because knex treats them as bindings. */
export async function runSql(trx: Knex, sql: string): Promise<void> {
  await trx.raw(sql.replaceAll('?', '\\?'));
}
