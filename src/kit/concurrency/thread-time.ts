/**
 * The processor time of single threads (Linux). A thread of low priority may wait long for a processor, so a deadline
 * in elapsed time would refuse harmless work on a busy machine (docs/internals/queues.md#priorities).
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { workerData } from 'node:worker_threads';

/** Work that got no processor may take so many times its deadline in elapsed time. */
const MOST_DEADLINES = 8;

/** Where a thread writes its id: pass it to the thread as `thread` of its `workerData`. */
export type ThreadCell = SharedArrayBuffer;

export const newThreadCell = (): ThreadCell => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** Writes the id that the operating system has given to this thread into its cell, if it has one. */
export function announceThread(): void {
  const { thread } = (workerData ?? {}) as { thread?: ThreadCell };
  if (!thread) return;
  try {
    Atomics.store(new Int32Array(thread), 0, Number(basename(readlinkSync('/proc/thread-self'))));
  } catch {
    // Where threads have no ids, deadlines are in elapsed time.
  }
}

/** Milliseconds of processor time that a thread of this process has used; undefined if that cannot be known. */
function threadTimeMs(id: number): number | undefined {
  if (id === 0) return undefined;
  try {
    return Number(readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** Milliseconds that the event loop of this process has run; elapsed time where that cannot be known. */
export const eventLoopMs = (): number => threadTimeMs(process.pid) ?? performance.now();

/**
 * Begins to measure a thread that has announced itself. The returned function says whether work that has taken
 * `elapsedMs` has used up a deadline: in processor time if that is known, and in any case after eight times the
 * deadline.
 */
export function watchThreadTime(thread: ThreadCell): (elapsedMs: number, deadlineMs: number) => boolean {
  const id = Atomics.load(new Int32Array(thread), 0);
  const beganMs = threadTimeMs(id);
  return (elapsedMs, deadlineMs) => {
    if (elapsedMs < deadlineMs) return false;
    const nowMs = beganMs === undefined ? undefined : threadTimeMs(id);
    if (beganMs === undefined || nowMs === undefined) return true;
    return nowMs - beganMs >= deadlineMs || elapsedMs >= deadlineMs * MOST_DEADLINES;
  };
}
