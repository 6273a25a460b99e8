import type { Pool } from 'pg';
import type { Command } from 'commander';
import { databaseUrl } from './database-url';
import { CliFailure } from './failure';

/** Result of a verb: the text for people, the value that `--json` prints, and the exit code (default 0). */
export interface VerbResult {
  text: string;
  json: unknown;
  exitCode?: number;
}

/** Adds verbs to the program. Each file of `verbs/` exports one such function. */
export type AddVerbs = (program: Command) => void;

/**
 * Wraps a verb as a commander action: prints its result, or its error on standard error, and sets the exit code. A
 * `CliFailure` brings its own exit code; any other error exits with `failureCode` (default 1). Never throws.
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

/** The full name of a command, such as `market keys rotate`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Runs `work` with a connection to the database of `databaseUrl()`, and closes the connection afterwards. */
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
