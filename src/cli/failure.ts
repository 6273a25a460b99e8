/**
 * How `market` ends. 0: done; 1: it failed, or was refused; 2: wrong use; 3: log in first, or not allowed;
 * 4: try again later (the marketplace is away, busy, or not done yet). docs/cli.md, "Exit codes".
 */
export const EXIT = { done: 0, refused: 1, usage: 2, login: 3, later: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A verb that fails for a reason that people can act on. `json` is printed with `--json`, beside the message. */
export class CliFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.refused,
    readonly json: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** Wrong use of the command: exit 2. */
export function usageFailure(message: string): CliFailure {
  return new CliFailure(message, EXIT.usage);
}
