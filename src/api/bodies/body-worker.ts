/** Worker thread that parses, hashes and canonicalises large bodies (`body-threads.ts`). */
import { asBuffer, ownMemory, serveJobs } from '../../kit/threads/thread-jobs';
import { type BodyOutcome, type BodyTask, outcomeOf, performChecked } from './body-task';

export interface BodyRequest {
  task: BodyTask;
  bytes: Uint8Array;
}

serveJobs<BodyRequest, BodyOutcome>(
  ({ task, bytes }) => outcomeOf(() => performChecked(task, asBuffer(bytes))),
  { moved: (outcome) => (outcome.ok ? buffersOf(outcome.value) : []) },
);

/** The memory of the buffers in a value, to be moved instead of copied. */
function buffersOf(value: unknown, levels = 2): ArrayBuffer[] {
  if (value instanceof Uint8Array) return ownMemory(value);
  if (levels === 0 || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member) => buffersOf(member, levels - 1));
}
