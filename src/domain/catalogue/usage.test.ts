import { daysOf, successRate } from './usage';

it('tells the share of ended calls that succeeded, and nothing when none has ended', () => {
  expect(successRate({ calls: 5, succeeded: 2, failed: 1, disputed: 0 })).toBe(0.6667);
  expect(successRate({ calls: 4, succeeded: 2, failed: 0, disputed: 2 })).toBe(0.5);
  expect(successRate({ calls: 3, succeeded: 0, failed: 0, disputed: 0 })).toBeNull();
});

it('lists the UTC days of a window, its end excluded', () => {
  const days = (since: string, until: string) => daysOf(new Date(since), new Date(until));
  expect(days('2026-02-27T23:59:59.999Z', '2026-03-01T00:00:00.001Z')).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
  ]);
  expect(days('2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z')).toEqual(['2026-03-01']);
  expect(days('2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z')).toEqual(['2026-03-01']);
});
