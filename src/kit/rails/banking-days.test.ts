import { bankingDayAfter, bankingDayFrom, isBankingDay } from './banking-days';

const on = (date: string) => new Date(`${date}T00:00:00.000Z`);
const iso = (date: Date) => date.toISOString().slice(0, 10);

/** As the Federal Reserve Banks publish them. */
const HOLIDAYS: Record<number, string> = {
  2026: '01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25',
  // July 4 is a Sunday: kept on Monday. June 19 and December 25 are Saturdays: not kept.
  2027: '01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25',
  // January 1 and November 11 are Saturdays; a leap year.
  2028: '01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-23 12-25',
  2029: '01-01 01-15 02-19 05-28 06-19 07-04 09-03 10-08 11-12 11-22 12-25',
};

it.each(Object.keys(HOLIDAYS))('has the holidays of %s', (year) => {
  const closed: string[] = [];
  for (let day = on(`${year}-01-01`); iso(day) < `${Number(year) + 1}`;) {
    const isWeekend = [0, 6].includes(day.getUTCDay());
    if (isWeekend) expect(isBankingDay(day)).toBe(false);
    else if (!isBankingDay(day)) closed.push(iso(day).slice(5));
    day = new Date(day.getTime() + 86_400_000);
  }
  expect(closed.join(' ')).toBe(HOLIDAYS[Number(year)]);
});

it.each([
  ['2026-11-16', '2026-11-16', '2026-11-17'],
  ['2026-11-20', '2026-11-20', '2026-11-23'],
  // A Monday that is a holiday; a Tuesday that is one; the last day of a year.
  ['2028-12-25', '2028-12-26', '2028-12-26'],
  ['2029-12-24', '2029-12-24', '2029-12-26'],
  ['2029-12-31', '2029-12-31', '2030-01-02'],
])('%s: from %s, after it %s', (date, from, after) => {
  expect([iso(bankingDayFrom(on(date))), iso(bankingDayAfter(on(date)))]).toEqual([from, after]);
});
