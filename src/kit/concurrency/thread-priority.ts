import { setPriority } from 'node:os';
import { announceThread } from './thread-time';

/**
 * Lowers the priority of this worker thread, so that work of one tenant that takes long does not take the processor from
 * the event loop, which serves all, or from threads whose work is short (ADR 0159). Does nothing outside Linux, which alone
 * has priorities of single threads. The thread's deadlines are in processor time from then on.
 */
export function lowerThreadPriority(nice = 10): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(nice);
    announceThread();
  } catch {
    // Without a lower priority, the thread only takes a larger share of the processor.
  }
}
