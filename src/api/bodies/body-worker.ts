/** Worker thread that parses, hashes and canonicalises large bodies (`body-threads.ts`). */
import { parentPort } from 'node:worker_threads';
import { type BodyTask, outcomeOf, performBodyTask } from './body-task';
import { lowerThreadPriority } from '../../kit/concurrency/thread-priority';

export interface BodyRequest {
  task: BodyTask;
  bytes: Uint8Array;
}

lowerThreadPriority();

parentPort?.on('message', ({ task, bytes }: BodyRequest) => {
  const outcome = outcomeOf(() =>
    performBodyTask(task, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
  );
  parentPort?.postMessage(outcome, 'value' in outcome ? buffersOf(outcome.value) : []);
});

/** The memory of the buffers in a value, to be moved instead of copied. Buffers of Node's shared pool stay. */
function buffersOf(value: unknown, levels = 2): ArrayBuffer[] {
  if (value instanceof Uint8Array) {
    const isWhole = value.byteOffset === 0 && value.byteLength === value.buffer.byteLength;
    return isWhole ? [value.buffer as ArrayBuffer] : [];
  }
  if (levels === 0 || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member) => buffersOf(member, levels - 1));
}
