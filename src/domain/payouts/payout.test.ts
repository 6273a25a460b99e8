import { mondayOf } from './payout';
import { isIban, isRoutingNumber } from './bank-numbers';
import { maskDetails, problemsOfDetails } from './payout-method';

it.each([
  ['2026-11-16T00:00:00.000Z', '2026-11-16'],
  ['2026-11-15T23:59:59.999Z', '2026-11-09'],
  // The clocks of Europe and of America change.
  ['2026-03-29T12:00:00.000Z', '2026-03-23'],
  ['2026-11-01T12:00:00.000Z', '2026-10-26'],
  // A leap day, and the end of a year in the middle of a week.
  ['2028-02-29T10:00:00.000Z', '2028-02-28'],
  ['2027-01-01T00:00:00.000Z', '2026-12-28'],
  // A leap day that is a Monday; years of 53 weeks; a year that begins on a Monday; before 1970.
  ['2044-02-29T00:00:00.000Z', '2044-02-29'],
  ['2026-12-31T23:59:59.999Z', '2026-12-28'],
  ['2032-12-31T23:59:59.999Z', '2032-12-27'],
  ['2028-12-31T23:59:59.999Z', '2028-12-25'],
  ['2029-01-01T00:00:00.000Z', '2029-01-01'],
  ['1969-12-31T00:00:00.000Z', '1969-12-29'],
])('the Monday of %s is %s', (at, monday) => {
  expect(new Date(mondayOf(Date.parse(at))).toISOString()).toBe(`${monday}T00:00:00.000Z`);
});

it('checks account numbers as banks do', () => {
  expect([isIban('GB29NWBK60161331926819'), isIban('GB29NWBK60161331926818')]).toEqual([true, false]);
  expect([isRoutingNumber('021000021'), isRoutingNumber('021000022')]).toEqual([true, false]);
  const wrong = problemsOfDetails('ach', { routing_number: '021000022', colour: 'red' });
  expect(wrong.map(({ loc }) => loc[2])).toEqual([
    'colour',
    'account_holder_name',
    'routing_number',
    'account_number',
    'account_type',
  ]);
});

it.each([
  ['iban', { iban: 'DE89370400440532013000', country: 'DE' }, []],
  ['iban', { iban: 'FR1420041010050500013M02606', country: 'RE' }, []],
  ['an IBAN of 21 characters', { iban: 'DE5137040044053201300', country: 'DE' }, ['iban']],
  ['an IBAN of no country', { iban: 'XX76370400440532013000', country: 'DE' }, ['iban']],
  ['another country than that of the IBAN', { iban: 'DE89370400440532013000', country: 'FR' }, ['country']],
  ['a country that does not exist', { iban: 'DE89370400440532013000', country: 'ZZ' }, ['country']],
  ['a BIC of no country', { bic: 'DEUTZZFF', iban: 'DE89370400440532013000', country: 'DE' }, ['bic']],
])('accepts or refuses, field by field: %s', (_what, given, wrong) => {
  const details = { account_holder_name: 'Ada', bic: 'DEUTDEFF', town: 'Berlin', ...given };
  expect(problemsOfDetails('swift', details).map(({ loc }) => loc[2])).toEqual(wrong);
});

it('checks the prefixes of routing numbers', () => {
  const withChecksum = (prefix: string) =>
    Array.from({ length: 10 }, (_, digit) => `${prefix}000000${digit}`).find((number) => {
      const sum = [...number].reduce((all, one, at) => all + Number(one) * ([3, 7, 1][at % 3] ?? 0), 0);
      return sum % 10 === 0;
    }) ?? '';
  const known = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))
    .filter((prefix) => prefix !== '00')
    .filter((prefix) => isRoutingNumber(withChecksum(prefix)));
  const from = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, n) => String(first + n).padStart(2, '0'));
  expect(known).toEqual([...from(1, 12), ...from(21, 32), ...from(61, 72), '80']);
  expect([isRoutingNumber('999999992'), isRoutingNumber('001000009')]).toEqual([false, true]);
});

it.each(['-ab@upi', '+ab@upi', '=ab@upi', '@ab@upi', '.ab@upi', '_ab@upi'])(
  'refuses the UPI address %s, which a spreadsheet would evaluate',
  (vpa) => {
    const problems = problemsOfDetails('upi', { account_holder_name: 'Ada', vpa });
    expect(problems.map(({ loc }) => loc[2])).toEqual(['vpa']);
  },
);

it('shows no more of an account than its end', () => {
  expect(maskDetails('upi', { account_holder_name: 'Ada', vpa: 'ada.l@okbank' })).toEqual({
    account_holder_name: 'Ada',
    vpa: '•••• bank',
  });
});
