/**
 * Reads the lines and rows of an unpacked backup. Every error ends the COPY that is open, or its connection would wait
 * for it.
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { notWhole } from '../../kit/archives/gzip-errors';

export const MOST_LINE_BYTES = 1_000_000;
export const NO_BACKUP = 'the file is no backup of this service';
export const NOT_WHOLE = notWhole('backup');
const END_OF_ROWS = Buffer.from('\n\\.\n');

export interface BackupReader {
  line(): Promise<string>;
  /** Passes rows on until the end of their table. */
  rows(into: Writable): Promise<void>;
  /** Throws `Error` when there is anything behind the last line. */
  end(): Promise<void>;
}

/** Throws `Error` where the file ends before its last line. */
export function createBackupReader(source: Readable): BackupReader {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  // Begins with the line break before the next line, so that the end of an empty table is found like any other.
  let rest = Buffer.from('\n');

  async function more(): Promise<void> {
    const next = await chunks.next();
    if (next.done) throw new Error(NOT_WHOLE);
    rest = Buffer.concat([rest, next.value]);
  }

  async function passRows(write: (bytes: Buffer) => Promise<void>): Promise<void> {
    // The line break before the first row belongs to the line that names the table.
    let from = 1;
    let at: number;
    while ((at = rest.indexOf(END_OF_ROWS)) < 0) {
      const safe = Math.max(from, rest.length - END_OF_ROWS.length);
      await write(rest.subarray(from, safe));
      rest = rest.subarray(safe - 1);
      from = 1;
      await more();
    }
    await write(rest.subarray(from, at + 1));
    rest = rest.subarray(at + END_OF_ROWS.length - 1);
  }

  return {
    async line() {
      let at: number;
      while ((at = rest.indexOf('\n', 1)) < 0) {
        if (rest.length > MOST_LINE_BYTES) throw new Error(NO_BACKUP);
        await more();
      }
      const text = rest.toString('utf8', 1, at);
      rest = rest.subarray(at);
      return text;
    },
    async rows(into) {
      const copy = followCopy(into);
      try {
        await passRows(copy.write);
        into.end();
        await copy.ended;
      } catch (error) {
        throw await copy.giveUp(error);
      }
    },
    async end() {
      const next = rest.length > 1 ? { done: false } : await chunks.next();
      if (!next.done) throw new Error('the backup is damaged: there is more after its end');
    },
  };
}

/** `ended` is fulfilled when Postgres has taken all rows, and rejected with the reason when Postgres refuses one. */
function followCopy(into: Writable) {
  let refusal: Error | undefined;
  const ended = once(into, 'finish');
  ended.catch((error: unknown) => (refusal = error as Error));
  return {
    ended,
    async write(bytes: Buffer): Promise<void> {
      if (bytes.length > 0 && !into.write(bytes)) await Promise.race([once(into, 'drain'), ended]);
    },
    /** Ends the COPY without its rows, unless Postgres has ended it. Returns the first reason. */
    async giveUp(error: unknown): Promise<unknown> {
      if (refusal) return refusal;
      const closed = once(into, 'close').catch(() => undefined);
      into.destroy(error as Error);
      await closed;
      return error;
    },
  };
}
