import { DAYS, HABITS, planCalls, sellerOf } from './call-plan';
import { DAY_MS } from './moment';

const NOON = Date.UTC(2026, 10, 26, 12);

it('plans calls of every agent for each of thirty days and for today, each within its day, one after the other', () => {
  const calls = planCalls(NOON);
  for (let day = 0; day <= DAYS; day += 1)
    for (const { slug } of HABITS.filter(({ callsADay }) => day > 0 || callsADay > 10))
      expect(calls.filter((call) => call.day === day && call.slug === slug).length).toBeGreaterThan(0);
  for (const [at, { startMs, endMs }] of calls.entries()) {
    expect(endMs).toBeGreaterThan(startMs);
    expect(startMs).toBeGreaterThan(calls[at - 1]?.endMs ?? 0);
  }
  expect(calls[0]?.startMs).toBeGreaterThanOrEqual(Date.UTC(2026, 10, 26) - DAYS * DAY_MS);
});

it('plans some failures of each kind, and no call of an account to an agent of its own', () => {
  const calls = planCalls(NOON);
  const failed = calls.filter(({ failure }) => failure !== null);
  expect(failed.length / calls.length).toBeGreaterThan(0.02);
  expect(failed.length / calls.length).toBeLessThan(0.07);
  expect(new Set(failed.map(({ failure }) => failure?.phase))).toEqual(
    new Set(['connection', 'answer', 'schema']),
  );
  expect(HABITS.map(({ seller }) => seller)).toEqual(expect.arrayContaining(['developer', 'studio']));
  expect(calls.filter(({ person, slug }) => person === sellerOf(slug))).toEqual([]);
});

it('plans the same for one day, and nothing of the last quarter of an hour', () => {
  expect(planCalls(NOON)).toEqual(planCalls(NOON));
  const midnight = Date.UTC(2026, 10, 26);
  expect(planCalls(midnight).every(({ endMs }) => endMs < midnight - 15 * 60_000)).toBe(true);
});
