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

it('shows no more of an account than its end', () => {
  expect(maskDetails('upi', { account_holder_name: 'Ada', vpa: 'ada.l@okbank' })).toEqual({
    account_holder_name: 'Ada',
    vpa: '•••• bank',
  });
});
