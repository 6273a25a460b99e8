import type { Pool } from 'pg';
import { withSecretFiles } from '../config-secrets';
import { OWNER_ROLE } from '../runtime/postgres/database';
import { loadSecrets } from '../runtime/secrets';
import { createPool, openPool } from '../stores/db';
import { localStack } from './local-stack';

/**
 * The URL of the database that a command works on: DATABASE_URL (or DATABASE_URL_FILE), else that of the local stack
 * (`.market/runtime.json`).
 */
export function databaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  const { DATABASE_URL: url } = withSecretFiles(env);
  if (url) return url;
  const local = localStack(env);
  if (local) return local.postgres_url;
  throw new Error('no database: set DATABASE_URL, or start the stack with npm start in this folder');
}

/**
 * The URL of the database as the role that owns the tables: MIGRATE_DATABASE_URL (or MIGRATE_DATABASE_URL_FILE), else
 * that of the local stack. Throws when there is neither.
 */
export function ownerUrl(env: NodeJS.ProcessEnv = process.env): string {
  const { MIGRATE_DATABASE_URL: url } = withSecretFiles(env);
  if (url) return url;
  const home = env['MARKET_HOME'] ?? '.market';
  const stack = localStack({ MARKET_HOME: home });
  if (!stack) throw new Error('no database: set MIGRATE_DATABASE_URL to the role that owns the tables');
  const local = new URL(stack.postgres_url);
  local.username = OWNER_ROLE;
  local.password = loadSecrets(home).postgres.owner;
  return local.href;
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

/**
 * Runs `work` with one connection to `url` without a statement timeout, for commands that read much of the database.
 */
export async function withUnlimited<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 5_000,
    onError: () => undefined,
  });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
