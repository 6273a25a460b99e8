import { createLane } from '../../kit/lane';

/** Larger texts are read and written one after another, with a turn for everybody else between two of them. */
const LARGE_BYTES = 256 * 1024;
const lane = createLane();

/** Does work that blocks for as long as so many bytes take. */
export async function largeWork<T>(bytes: number, work: () => T): Promise<T> {
  return bytes > LARGE_BYTES ? lane.run(work) : work();
}
