import { daysOf, successRate } from './usage';

it('is the share of successes among successes and errors of the agent, and null without any', () => {
  const rate = (succeeded: number, agentErrors: number) =>
    successRate({ calls: 9, succeeded, failed: 7, disputed: 1, agentErrors });
  expect([rate(2, 1), rate(2, 2), rate(2, 0), rate(0, 0)]).toEqual([0.6667, 0.5, 1, null]);
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
