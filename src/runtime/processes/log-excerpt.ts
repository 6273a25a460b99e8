import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const LONGEST_READ = 256 * 1024;
const LONGEST_LINE = 300;
/**
 * A line that names a failure: of Postgres, Temporal, Go, Node, the settings, or a JSON log line of level error (50) or
 * fatal (60).
 */
const FAILURE =
  /"level":"?(?:[56]0|error|fatal|panic)\b|^panic:|\b(?:FATAL|PANIC|ERROR):|^(?:\w*Error|error|fatal)\b[:\s]|\berror=|address already in use|^ (?:Invalid|Missing) environment variables:/;

/**
 * The lines that explain why a part did not start: the first line of `file`, from byte `from` on, that names a failure,
 * with the line after it; otherwise the last four lines. What follows the first failure, such as a stack trace, rarely
 * explains it. Returns an empty list if the file cannot be read.
 */
export function logExcerpt(file: string, from = 0): string[] {
  const lines = stripVTControlCharacters(readFrom(file, from))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.slice(0, LONGEST_LINE));
  const first = lines.findIndex((line) => FAILURE.test(line));
  return first === -1 ? lines.slice(-4) : lines.slice(first, first + 2);
}

function readFrom(file: string, from: number): string {
  try {
    const log = openSync(file, 'r');
    try {
      const { size } = fstatSync(log);
      const start = from > size ? 0 : from;
      const buffer = Buffer.alloc(Math.min(size - start, LONGEST_READ));
      readSync(log, buffer, 0, buffer.length, start);
      return buffer.toString('utf8');
    } finally {
      closeSync(log);
    }
  } catch {
    return '';
  }
}
