export interface Terminal {
  say: (line?: string) => void;
  /** Prints a line that the reader should notice, such as a port that is in use or a process that ended. */
  notice: (line: string) => void;
  /**
   * Runs `work` and prints `label` with its result and the time it took; prints no line when the result is undefined.
   * `detail` sets the text that is shown while `work` runs.
   */
  step: <T extends string | undefined>(
    label: string,
    work: (detail: (text: string) => void) => Promise<T>,
  ) => Promise<T>;
  bold: (text: string) => string;
  dim: (text: string) => string;
  /** Prints what failed, with a hint, and ends the process with exit code 1. */
  fail: (message: string, hint?: string) => never;
}

export function createTerminal(
  out?: NodeJS.WritableStream & { isTTY?: boolean },
  env?: NodeJS.ProcessEnv,
): Terminal;
