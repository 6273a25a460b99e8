/** Says of a gzip file of the service what is wrong with it: `name` is what the file should be. */
export interface GzipTerms {
  name: string;
  /** The message for a file that is something else. */
  foreign: string;
}

/**
 * Turns an error of unpacking into one that names the fault of the file. Other errors, such as those of the file
 * system, are kept.
 */
export function gzipError(error: unknown, { name, foreign }: GzipTerms): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return new Error(notWhole(name), { cause: error });
  if (message === 'incorrect header check') return new Error(foreign, { cause: error });
  return code?.startsWith('Z_') ? new Error(`the ${name} is damaged: ${message}`, { cause: error }) : error;
}

export const notWhole = (name: string) => `the ${name} is not whole: its end is missing`;
