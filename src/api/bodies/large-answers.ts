/** Work on answers for responses. */
import { MarketError } from '../../domain/errors';
import { createSerialQueue } from '../../kit/concurrency/serial-queue';
import { type AnswerTask, performBodyTask } from './body-task';
import { SMALL_BODY_BYTES } from './uploads';

const serialQueue = createSerialQueue();

/** Performs a task on the bytes of a request at the expense of its caller (`body-threads.ts`). */
export type PerformFor<T> = (task: AnswerTask, bytes: Buffer) => Promise<T>;

/**
 * Performs a task on an answer. Large answers are processed in a thread, from a copy, because several requests may get
 * the same answer. The call is paid, so an answer that no thread can process is processed here, one after another.
 */
export async function onAnswer<T>(perform: PerformFor<T>, task: AnswerTask, answer: Buffer): Promise<T> {
  const here = () => performBodyTask(task, answer) as T;
  if (answer.length <= SMALL_BODY_BYTES) return here();
  try {
    return await perform(task, Buffer.from(answer));
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    return serialQueue.run(here);
  }
}
