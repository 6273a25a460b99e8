import { partsOf, shareOf } from './service-status';

const OK = { postgres: 'ok', temporal: 'ok', worker: 'ok', loops: 'ok' } as const;

it.each([
  [OK, { api: true, calls: true, background: true }],
  [
    { ...OK, loops: 'failed' },
    { api: true, calls: true, background: false },
  ],
  [
    { ...OK, worker: 'failed' },
    { api: true, calls: true, background: false },
  ],
  [
    { ...OK, temporal: 'failed' },
    { api: true, calls: false, background: false },
  ],
  [
    { ...OK, postgres: 'failed' },
    { api: false, calls: false, background: false },
  ],
] as const)('with the checks %j the parts are %j', (checks, parts) => {
  expect(partsOf(checks)).toEqual(parts);
});

describe('the share of a day', () => {
  const first = Date.parse('2026-11-02T12:00:30Z');
  const now = Date.parse('2026-11-04T06:00:10Z');
  const of = (day: string, minutes: number, failed: number) =>
    shareOf({ minutes, failed }, day, { first, now });

  it('counts a minute without a note as an outage, from the first note on', () => {
    expect(of('2026-11-02', 720, 0)).toBe(1);
    expect(of('2026-11-02', 360, 0)).toBe(0.5);
    expect(of('2026-11-03', 1_440, 144)).toBe(0.9);
    expect(shareOf(undefined, '2026-11-03', { first, now })).toBe(0);
  });

  it('of today ends now', () => {
    expect(of('2026-11-04', 360, 0)).toBe(1);
    expect(of('2026-11-04', 361, 0)).toBe(1);
    expect(of('2026-11-04', 180, 0)).toBe(0.5);
  });

  it('is unknown before the first note', () => {
    expect(shareOf(undefined, '2026-11-01', { first, now })).toBeNull();
    expect(shareOf(undefined, '2026-11-02', { first: now, now })).toBeNull();
  });
});
