import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withSecretFiles } from '../config-secrets';

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
