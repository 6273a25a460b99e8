/** Worker thread for large answers (`answer-threads.ts`). */
import { parentPort } from 'node:worker_threads';
import { ownMemory } from '../../../kit/concurrency/asked-threads';
import { lowerThreadPriority } from '../../../kit/concurrency/thread-priority';
import { type AnswerTask, outcomeOf, performAnswerTask } from './answer-task';

export interface AnswerRequest {
  task: AnswerTask;
  source: Uint8Array | string;
}

lowerThreadPriority();

parentPort?.on('message', ({ task, source }: AnswerRequest) => {
  const outcome = outcomeOf(() =>
    performAnswerTask(task, typeof source === 'string' ? source : asBuffer(source)),
  );
  const json = 'value' in outcome ? (outcome.value as { json?: Uint8Array } | undefined)?.json : undefined;
  parentPort?.postMessage(outcome, json ? ownMemory(json) : []);
});

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
