/** Why a process does not start, in words that its operator can act on: a setting, a file, a key. */
export class StartRefusal extends Error {}

/**
 * Prints why a process could not start and exits with 1. A `StartRefusal` is its message alone, since a stack below the
 * reasons hides them; of every other error the stack is printed.
 */
export function exitUnstarted(error: unknown): never {
  if (error instanceof StartRefusal) console.error(error.message);
  else console.error(error instanceof Error ? error.stack : error);
  process.exit(1);
}
