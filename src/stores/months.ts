/** Lists of tables with a partition for each month (ADR 0062), from the newest row on. */
import { type IdPrefix, lowestIdAt, timeOfId } from '../kit/ids/ids';

export interface NewestFirst {
  prefix: IdPrefix | 'whd';
  /** The list begins below this id; with the newest row if it is missing. */
  beforeId: string | undefined;
  /** The list ends with this id. */
  fromId?: string | null;
}

/**
 * Reads the month of the first row and the month before it. Reads all months only if `isEnough` says that these two do not
 * answer the question. So a page costs the same, however many months there are. `read` gets the lowest id to read; null:
 * the list has no end.
 */
export async function readNewestFirst<T>(
  { prefix, beforeId, fromId = null }: NewestFirst,
  read: (fromId: string | null) => Promise<T>,
  isEnough: (part: T) => boolean,
): Promise<T> {
  const start = monthBefore(beforeId === undefined ? Date.now() : timeOfId(beforeId));
  const recent = Number.isFinite(start) ? lowestIdAt(prefix as IdPrefix, start) : null;
  if (recent === null || (fromId !== null && fromId >= recent)) return read(fromId);
  const part = await read(recent);
  return isEnough(part) ? part : read(fromId);
}

/** The begin of the month before the month of a time, in ms. */
function monthBefore(ms: number): number {
  const at = new Date(ms);
  return Math.max(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1), 0);
}
