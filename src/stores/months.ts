/** Lists of tables with a partition for each month (ADR 0062), from the newest row on. */
import { type IdPrefix, lowestIdAt } from '../kit/ids/ids';
import { timeOfId } from '../domain/instant';

/** The tables whose months can be detached (ADR 0143); the views `all_<table>` add what was detached. */
export const MONEY_TABLES: readonly string[] = [
  'transactions',
  'entries',
  'holds',
  'earnings',
  'invocations',
];

/** A month stays for at least 100 days after its end (`month_problems`). */
const KEPT_MS = 95 * 86_400_000;

/**
 * The prefix of the names of tables in a statement that reads rows by their ids: none, or `all_` when one of them is so
 * old that its month may have been detached. So what is young is read without a look at the archive.
 */
export function placeOfIds(ids: readonly string[]): '' | 'all_' {
  const since = Date.now() - KEPT_MS;
  return ids.every((id) => timeOfId(id) > since) ? '' : 'all_';
}

export interface NewestFirst {
  prefix: IdPrefix | 'whd';
  /** The list begins below this id; with the newest row if it is missing. */
  beforeId: string | undefined;
  /** The list ends with this id. */
  fromId?: string | null;
}

/**
 * Reads the month of the first row and the month before it. Reads all months, detached ones too, only if `isEnough`
 * says that these two do not answer the question. So a page costs the same, however many months there are. `read` gets
 * the lowest id to read (null: the list has no end) and the prefix of its tables.
 */
export async function readNewestFirst<T>(
  { prefix, beforeId, fromId = null }: NewestFirst,
  read: (fromId: string | null, all: '' | 'all_') => Promise<T>,
  isEnough: (part: T) => boolean,
): Promise<T> {
  const start = monthBefore(beforeId === undefined ? Date.now() : timeOfId(beforeId));
  const recent = Number.isFinite(start) ? lowestIdAt(prefix as IdPrefix, start) : null;
  const all = prefix === 'inv' && (fromId === null || placeOfIds([fromId])) ? 'all_' : '';
  if (recent === null || (fromId !== null && fromId >= recent)) return read(fromId, all);
  const part = await read(recent, prefix === 'inv' ? placeOfIds([recent]) : '');
  return isEnough(part) ? part : read(fromId, all);
}

/** The begin of the month before the month of a time, in ms. */
function monthBefore(ms: number): number {
  const at = new Date(ms);
  return Math.max(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1), 0);
}
