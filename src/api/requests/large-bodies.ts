import { createLane } from '../../kit/concurrency/serial-queue';

const LARGE_BODY_BYTES = 256 * 1024;
const lane = createLane();

/** Does blocking work on a body: on large ones one after another in the whole process. */
export function onBody<T>(bytes: number, work: () => T): T | Promise<T> {
  return bytes > LARGE_BODY_BYTES ? lane.run(work) : work();
}
