/**
 * The processor time of single threads (Linux). A thread of low priority may wait long for a processor, so a deadline
 * in elapsed time would refuse harmless work on a busy machine (docs/internals/queues.md#priorities).
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { workerData } from 'node:worker_threads';

/** Work that got no processor may take so many times its deadline in elapsed time. */
const MOST_DEADLINES = 8;

/**
 * What a thread says about itself: the id that the operating system gave it, and the step of its job that has a limit
 * of its own. Pass it to the thread as `thread` of its `workerData`.
 */
export type ThreadCell = SharedArrayBuffer;

/** The thread's id; when the step began (`process.hrtime`); its limit in ms, 0 for none; the processor time then. */
const [ID, SINCE, LIMIT, USED] = [0, 1, 2, 3] as const;

export const newThreadCell = (): ThreadCell => new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT);

/** The cell of this thread; undefined in the main thread, and in a thread without deadlines. */
const own = ((workerData ?? {}) as { thread?: ThreadCell } | null)?.thread;
const ownFields = own && new BigInt64Array(own);

/** Writes the id that the operating system has given to this thread into its cell, if it has one. */
export function announceThread(): void {
  if (!ownFields) return;
  try {
    Atomics.store(ownFields, ID, BigInt(basename(readlinkSync('/proc/thread-self'))));
  } catch {
    // Where threads have no ids, deadlines are in elapsed time.
  }
}

/**
 * Runs a step of a job within a limit of its own: the thread is ended when the step takes longer. Without effect in the
 * main thread.
 */
export function within<T>(limitMs: number, step: () => T): T {
  if (!ownFields) return step();
  Atomics.store(ownFields, LIMIT, 0n);
  Atomics.store(ownFields, SINCE, process.hrtime.bigint());
  Atomics.store(ownFields, USED, usedNs(Atomics.load(ownFields, ID)) ?? 0n);
  Atomics.store(ownFields, LIMIT, BigInt(Math.ceil(limitMs)));
  try {
    return step();
  } finally {
    Atomics.store(ownFields, LIMIT, 0n);
  }
}

/** Nanoseconds of processor time that a thread of this process has used; undefined if that cannot be known. */
function usedNs(id: bigint): bigint | undefined {
  if (id === 0n) return undefined;
  try {
    return BigInt(readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ', 1)[0] ?? '');
  } catch {
    return undefined;
  }
}

/** Milliseconds that the event loop of this process has run; elapsed time where that cannot be known. */
export function eventLoopMs(): number {
  const used = usedNs(BigInt(process.pid));
  return used === undefined ? performance.now() : Number(used) / 1e6;
}

/** Says whether work that has taken `elapsedMs` has used up a deadline. */
export type IsOver = (elapsedMs: number, deadlineMs: number) => boolean;

/**
 * Begins to measure a thread that has announced itself. A deadline is used up in processor time if that is known, and
 * in any case after eight times the deadline.
 */
export function watchThreadTime(thread: ThreadCell): IsOver {
  const id = Atomics.load(new BigInt64Array(thread), ID);
  return since(id, usedNs(id));
}

function since(id: bigint, beganNs: bigint | undefined): IsOver {
  return (elapsedMs, deadlineMs) => {
    if (elapsedMs < deadlineMs) return false;
    const nowNs = beganNs === undefined ? undefined : usedNs(id);
    if (beganNs === undefined || nowNs === undefined) return true;
    return Number(nowNs - beganNs) / 1e6 >= deadlineMs || elapsedMs >= deadlineMs * MOST_DEADLINES;
  };
}

/** Whether the thread runs a step with a limit (`within`), and whether the step has used its limit up. */
export function stepOf(thread: ThreadCell): 'none' | 'running' | 'over' {
  const fields = new BigInt64Array(thread);
  const limitMs = Number(Atomics.load(fields, LIMIT));
  if (limitMs === 0) return 'none';
  const elapsedMs = Number(process.hrtime.bigint() - Atomics.load(fields, SINCE)) / 1e6;
  const id = Atomics.load(fields, ID);
  const used = id === 0n ? undefined : Atomics.load(fields, USED);
  return since(id, used)(elapsedMs, limitMs) ? 'over' : 'running';
}
