import { join, resolve } from 'node:path';
import knex from 'knex';

export const MIGRATIONS_FOLDER = resolve(__dirname, '../../../migrations');

/**
 * Brings a database to the newest schema, as the owner role.
 * @returns the names of the migrations that ran.
 */
export async function migrate(ownerUrl: string, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const db = open(ownerUrl, folder);
  try {
    const [, names] = (await db.migrate.latest()) as [number, string[]];
    return names;
  } finally {
    await db.destroy();
  }
}

/** Takes every migration back, newest first. For tests of the way down. */
export async function rollback(ownerUrl: string, folder = MIGRATIONS_FOLDER): Promise<string[]> {
  const db = open(ownerUrl, folder);
  try {
    const [, names] = (await db.migrate.rollback(undefined, true)) as [number, string[]];
    return names;
  } finally {
    await db.destroy();
  }
}

function open(connectionString: string, folder: string) {
  return knex({
    client: 'pg',
    connection: { connectionString, application_name: 'market-migrate' },
    pool: { min: 0, max: 1 },
    migrations: { directory: join(folder), loadExtensions: ['.js'], tableName: 'schema_migrations' },
  });
}
