/**
 * Exit codes of `market`. 0: done; 1: failed or refused; 2: invalid usage; 3: not logged in, or not allowed; 4: try
 * again later (the marketplace is unreachable, busy, or not finished yet). docs/cli.md, "Output and exit codes".
 */
export const EXIT = { done: 0, refused: 1, usage: 2, login: 3, later: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that the user can act on. With `--json`, the fields of `json` are printed beside the message. */
export class CliFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.refused,
    readonly json: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** An error for invalid usage of the command (exit 2). */
export function usageFailure(message: string): CliFailure {
  return new CliFailure(message, EXIT.usage);
}

/** What is wrong with a path, by the code of the system's error. */
const PATH_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read or written by this user',
  EPERM: 'may not be read or written by this user',
  ENOTDIR: 'has a file in its path where a folder is expected',
  EISDIR: 'is a folder, not a file',
  EEXIST: 'exists already',
  EROFS: 'is on a file system that cannot be written',
};

/** The error of a path that cannot be read or written as a sentence (exit 2); undefined for every other error. */
export function pathFailure(error: unknown): CliFailure | undefined {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const problem = PATH_PROBLEMS[code ?? ''];
  return problem === undefined || path === undefined ? undefined : usageFailure(`${path} ${problem}`);
}
