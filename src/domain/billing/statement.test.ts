import { closingUnits, isClosed, monthOf, statementName } from './statement';

it('knows the begin and the end of a month, also of a December and of a leap year', () => {
  expect(monthOf('2026-12')).toEqual({
    month: '2026-12',
    fromMs: Date.parse('2026-12-01T00:00:00Z'),
    untilMs: Date.parse('2027-01-01T00:00:00Z'),
  });
  expect(monthOf('2028-02').untilMs - monthOf('2028-02').fromMs).toBe(29 * 86_400_000);
});

it('closes a month a day after its end', () => {
  const month = monthOf('2026-11');
  expect(isClosed(month, Date.parse('2026-12-01T23:59:59.999Z'))).toBe(false);
  expect(isClosed(month, Date.parse('2026-12-02T00:00:00Z'))).toBe(true);
});

it('adds what moved to what was there', () => {
  const lines = [
    { type: 'topup', count: 1, units: 10_000 },
    { type: 'invocation_charge', count: 3, units: -900 },
  ];
  expect(closingUnits({ openingUnits: 50, lines })).toBe(9_150);
});

it('names movements, and leaves one of a later release as it is called', () => {
  expect(['topup', 'invocation_charge', 'later'].map(statementName)).toEqual(['Top-ups', 'Calls', 'later']);
});
