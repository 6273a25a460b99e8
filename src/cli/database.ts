import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { withSecretFiles } from '../config-secrets';
import { OWNER_ROLE } from '../runtime/postgres/database';
import { loadSecrets } from '../runtime/secrets';
import { ExactClient, resultTypes } from '../stores/stored-time';
import { createPool } from '../stores/db';

/**
 * The URL of the database that a command works on: DATABASE_URL (or DATABASE_URL_FILE), else that of the local stack (`.market/runtime.json`).
 */
export function databaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  const { DATABASE_URL: url } = withSecretFiles(env);
  if (url) return url;
  const file = join(env['MARKET_HOME'] ?? '.market', 'runtime.json');
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { postgres_url: string }).postgres_url;
  } catch (error) {
    throw new Error(`no database: set DATABASE_URL, or start the stack (${file} cannot be read)`, {
      cause: error,
    });
  }
}

/**
 * The URL of the database as the role that owns the tables: MIGRATE_DATABASE_URL (or MIGRATE_DATABASE_URL_FILE), else that
 * of the local stack. Throws when there is neither.
 */
export function ownerUrl(env: NodeJS.ProcessEnv = process.env): string {
  const { MIGRATE_DATABASE_URL: url } = withSecretFiles(env);
  if (url) return url;
  const home = env['MARKET_HOME'] ?? '.market';
  try {
    const local = new URL(databaseUrl({ MARKET_HOME: home }));
    local.username = OWNER_ROLE;
    local.password = loadSecrets(home).postgres.owner;
    return local.href;
  } catch (error) {
    throw new Error('no database: set MIGRATE_DATABASE_URL to the role that owns the tables', {
      cause: error,
    });
  }
}

/** Runs `work` with a connection to the database of `databaseUrl()`, and closes the connection afterwards. */
export async function withDatabase<T>(name: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool({
    connectionString: databaseUrl(),
    max: 1,
    applicationName: `market ${name}`,
    onError: () => undefined,
  });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Runs `work` with one connection to `url` without a statement timeout, for commands that read much of the database. */
export async function withUnlimited<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = new Pool({
    Client: ExactClient,
    types: resultTypes,
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 5_000,
  });
  pool.on('error', () => undefined);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
