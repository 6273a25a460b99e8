import type { Pool } from 'pg';
import type { Command } from 'commander';
import { databaseUrl } from './database-url';
import { CliFailure } from './failure';

/** How a verb ended: what is printed for people, and for programs with `--json`; and the exit code, 0 by default. */
export interface VerbResult {
  text: string;
  json: unknown;
  exitCode?: number;
}

/** Adds its verbs to the program; each file of `verbs/` exports one. */
export type AddVerbs = (program: Command) => void;

/**
 * Runs a verb as commander calls it: prints its result, or why it failed, and sets the exit code (for a failure its
 * own, else `failureCode`, 1 by default). Never throws.
 */
export function verb<A extends unknown[]>(
  run: (...args: A) => Promise<VerbResult>,
  failureCode = 1,
): (...args: [...A, ...unknown[]]) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command;
    const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
    try {
      const result = await run(...(args as unknown as A));
      process.stdout.write(json ? `${JSON.stringify(result.json, null, 2)}\n` : `${result.text}\n`);
      process.exitCode = result.exitCode ?? 0;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const more = error instanceof CliFailure ? error.json : {};
      process.stderr.write(
        json ? `${JSON.stringify({ error: message, ...more })}\n` : `${pathOf(command)}: ${message}\n`,
      );
      process.exitCode = error instanceof CliFailure ? error.exitCode : failureCode;
    }
  };
}

/** Such as `market keys rotate`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** A connection to DATABASE_URL, or to the stack that runs here, for as long as the work lasts. */
export async function withDatabase<T>(name: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const { createPool } = await import('../stores/db.js');
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
