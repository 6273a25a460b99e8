import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { announceThread } from './thread-time';

/**
 * Lowers the priority of this worker thread, so that work of one tenant that takes long does not take the processor
 * from the event loop, which serves all, or from threads whose work is short (docs/internals/queues.md#priorities).
 * Does nothing outside Linux, which alone has priorities of single threads. The thread's deadlines are in processor
 * time from then on.
 */
export function lowerThreadPriority(nice = 10): void {
  if (process.platform !== 'linux') return;
  try {
    announceThread();
    if (nice > 0) setPriority(nice);
  } catch {
    // Without a lower priority, the thread only takes a larger share of the processor.
  }
}

/**
 * V8 starts so many threads with the process, before all others: four that collect garbage and compile, for all
 * isolates, and one that hands them delayed tasks.
 */
const V8_THREADS = 5;

/**
 * Lowers the priority of the threads with which V8 collects garbage, because most garbage under attack is that of
 * threads of lower priority (docs/internals/queues.md#priorities). Call it before the process starts other threads.
 * Does nothing outside Linux.
 */
export function lowerCollectorThreads(nice = 10): void {
  if (process.platform !== 'linux') return;
  try {
    const threads = readdirSync('/proc/self/task').map(Number);
    const helpers = threads.sort((a, b) => a - b).filter((id) => id !== process.pid);
    for (const id of helpers.slice(0, V8_THREADS)) setPriority(id, nice);
  } catch {
    // As above.
  }
}
