import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The URL of the database that a command works on: DATABASE_URL, else that of the local stack (`.market/runtime.json`).
 */
export function databaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  if (env['DATABASE_URL']) return env['DATABASE_URL'];
  const file = join(env['MARKET_HOME'] ?? '.market', 'runtime.json');
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { postgres_url: string }).postgres_url;
  } catch (error) {
    throw new Error(`no database: set DATABASE_URL, or start the stack (${file} cannot be read)`, {
      cause: error,
    });
  }
}
