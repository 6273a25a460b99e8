import { crossRate, isDecimal, judgeRate, referenceTime } from './exchange-rate';

describe('the rate between two rates', () => {
  it.each([
    ['93.0217', '1.0582', '87.905594'],
    ['84', '1', '84.000000'],
    ['0.0000005', '1', '0.000001'],
    ['0.00000049', '1', '0.000000'],
    ['1', '3', '0.333333'],
    ['2', '3', '0.666667'],
    ['9999999.99999999', '0.00000001', '999999999999999.000000'],
  ])('of %s and %s is %s, to six places and half up', (quote, base, rate) => {
    expect(crossRate(quote, base)).toBe(rate);
  });
});

it.each(['1', '0.5', '84.12', '9999999.99999999'])('reads %s as a rate', (text) => {
  expect(isDecimal(text)).toBe(true);
});

it.each([
  '',
  '0',
  '0.000',
  '-1',
  '+1',
  '1e3',
  '1,5',
  ' 1',
  '.5',
  '1.',
  '00.5',
  'NaN',
  '99999999',
  '1.123456789',
])('refuses "%s" as a rate', (text) => expect(isDecimal(text)).toBe(false));

describe('the time of reference rates', () => {
  it.each([
    ['2026-01-15', '13:15'],
    ['2026-03-27', '13:15'],
    ['2026-03-29', '12:15'],
    ['2026-07-01', '12:15'],
    ['2026-10-23', '12:15'],
    ['2026-10-25', '13:15'],
    ['2027-03-28', '12:15'],
    ['2027-10-31', '13:15'],
    ['2028-02-29', '13:15'],
    ['2026-12-31', '13:15'],
  ])('is 14:15 in Frankfurt: %s at %s UTC', (date, time) => {
    expect(referenceTime(date)?.toISOString()).toBe(`${date}T${time}:00.000Z`);
  });

  it.each(['2026-02-29', '2026-13-01', '2026-1-1', '', 'today', '2026-01-01T00:00:00Z'])(
    'is unknown for "%s"',
    (date) => expect(referenceTime(date)).toBeUndefined(),
  );
});

describe('a rate from a source', () => {
  const friday = { rate: '84.000000', observedAt: new Date('2026-11-20T13:15:00Z') };
  const quote = (rate: string, at = '2026-11-23T13:15:00Z') => ({ rate, observedAt: new Date(at) });
  const judge = (said: ReturnType<typeof quote>, now: string, newest: typeof friday | undefined = friday) =>
    judgeRate(said, newest, { nowMs: Date.parse(now), maxChangePercent: 10 });
  const monday = '2026-11-23T15:00:00Z';

  it('is accepted if it is new and close to the known rate', () => {
    expect(judge(quote('84.5'), monday)).toEqual({ outcome: 'loaded' });
    expect(judge(quote('92.4'), monday)).toEqual({ outcome: 'loaded' });
    expect(judge(quote('75.6'), monday)).toEqual({ outcome: 'loaded' });
  });

  it('is not new on the weekend', () => {
    expect(judge(friday, '2026-11-22T23:59:59Z')).toEqual({ outcome: 'unchanged' });
    expect(judge(quote('80', '2026-11-19T13:15:00Z'), monday)).toEqual({ outcome: 'unchanged' });
  });

  it.each([['92.400001'], ['75.599999'], ['8412'], ['0.01'], ['999999999999999.000000']])(
    'is implausible at %s',
    (rate) => expect(judge(quote(rate), monday)).toEqual({ outcome: 'rejected', reason: 'implausible' }),
  );

  it.each([
    ['19.999999', 'rejected'],
    ['20', 'loaded'],
    ['500', 'loaded'],
    ['500.000001', 'rejected'],
  ])('has fixed bounds if no rate was known: %s is %s', (rate, outcome) => {
    const verdict = judgeRate(quote(rate), undefined, { nowMs: Date.parse(monday), maxChangePercent: 10 });
    expect(verdict.outcome).toBe(outcome);
  });

  it('is refused if its time is in the future, or if it contradicts a known rate', () => {
    expect(judge(quote('84.5'), '2026-11-23T13:14:59Z')).toEqual({
      outcome: 'rejected',
      reason: 'future_date',
    });
    expect(judge({ ...friday, rate: '84.1' }, monday)).toEqual({
      outcome: 'rejected',
      reason: 'contradicts',
    });
  });

  it('stays usable over Easter, and is stale a day later', () => {
    const thursday = quote('84.5', '2027-03-25T13:15:00Z');
    expect(judge(thursday, '2027-03-30T14:00:00Z')).toEqual({ outcome: 'loaded' });
    expect(judge(thursday, '2027-03-31T13:15:00Z')).toEqual({ outcome: 'stale', reason: 'old_date' });
  });
});
