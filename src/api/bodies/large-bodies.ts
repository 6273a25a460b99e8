import { createSerialQueue } from '../../kit/concurrency/serial-queue';

const LARGE_BODY_BYTES = 256 * 1024;
const serialQueue = createSerialQueue();

/** Runs blocking work on a body. Work on large bodies runs one after another in the whole process. */
export function onBody<T>(bytes: number, work: () => T): T | Promise<T> {
  return bytes > LARGE_BODY_BYTES ? serialQueue.run(work) : work();
}
