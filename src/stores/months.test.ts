import { lowestIdAt } from '../kit/ids/ids';
import { readNewestFirst } from './months';

const at = (time: string) => lowestIdAt('inv', Date.parse(time));
const JUNE = at('2026-06-10T00:00:00Z');

/** The lowest ids that were read, and the answer. */
async function readsOf(place: { beforeId?: string; fromId?: string | null }, enough: boolean) {
  const reads: (string | null)[] = [];
  const answer = await readNewestFirst(
    { prefix: 'inv', beforeId: place.beforeId, fromId: place.fromId ?? null },
    (fromId) => Promise.resolve(reads.push(fromId)),
    () => enough,
  );
  return { reads, answer };
}

it('reads the month of the first row and the one before, and all months only when these are not enough', async () => {
  const may = at('2026-05-01T00:00:00Z');
  expect(await readsOf({ beforeId: JUNE }, true)).toEqual({ reads: [may], answer: 1 });
  expect(await readsOf({ beforeId: JUNE }, false)).toEqual({ reads: [may, null], answer: 2 });
});

it('crosses the turn of a year, and begins with this month without an id', async () => {
  const { reads } = await readsOf({ beforeId: at('2027-01-01T00:00:00Z') }, true);
  expect(reads).toEqual([at('2026-12-01T00:00:00Z')]);
  const now = new Date();
  const { reads: newest } = await readsOf({}, true);
  expect(newest).toEqual([lowestIdAt('inv', Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))]);
});

it('reads once when the list ends within these months, or when the id has no time', async () => {
  const fromId = at('2026-05-20T00:00:00Z');
  expect((await readsOf({ beforeId: JUNE, fromId }, false)).reads).toEqual([fromId]);
  expect((await readsOf({ beforeId: 'not an id' }, false)).reads).toEqual([null]);
});

it('ends where the list ends in the second read', async () => {
  const fromId = at('2026-01-20T00:00:00Z');
  const { reads } = await readsOf({ beforeId: JUNE, fromId }, false);
  expect(reads).toEqual([at('2026-05-01T00:00:00Z'), fromId]);
});
