/**
 * Banking days of ACH: no weekends and no holidays of the Federal Reserve Banks. Dates are in UTC, so daylight saving
 * time does not matter.
 */
const DAY_MS = 86_400_000;
const [SUNDAY, MONDAY, THURSDAY, SATURDAY] = [0, 1, 4, 6];
/** Fixed holidays as month and day. A holiday on a Sunday moves to Monday; one on a Saturday is not observed. */
const FIXED = ['01-01', '06-19', '07-04', '11-11', '12-25'];

/** Floating holidays: month from 1, weekday, and the occurrence in the month (from 1, or the last). */
const MOVING: readonly (readonly [month: number, weekday: number, which: number | 'last'])[] = [
  [1, MONDAY, 3],
  [2, MONDAY, 3],
  [5, MONDAY, 'last'],
  [9, MONDAY, 1],
  [10, MONDAY, 2],
  [11, THURSDAY, 4],
];

/** True when ACH settles on this date. */
export function isBankingDay(date: Date): boolean {
  const weekday = date.getUTCDay();
  if (weekday === SUNDAY || weekday === SATURDAY) return false;
  if (isFixedHoliday(date)) return false;
  if (weekday === MONDAY && isFixedHoliday(new Date(date.getTime() - DAY_MS))) return false;
  return !MOVING.some((rule) => isMovingHoliday(date, rule));
}

/** The first banking day at or after a date. */
export function bankingDayFrom(date: Date): Date {
  let day = date;
  while (!isBankingDay(day)) day = new Date(day.getTime() + DAY_MS);
  return day;
}

/** The first banking day after a date. */
export function bankingDayAfter(date: Date): Date {
  return bankingDayFrom(new Date(date.getTime() + DAY_MS));
}

function isFixedHoliday(date: Date): boolean {
  return FIXED.includes(date.toISOString().slice(5, 10));
}

function isMovingHoliday(date: Date, [month, weekday, which]: (typeof MOVING)[number]): boolean {
  if (date.getUTCMonth() + 1 !== month || date.getUTCDay() !== weekday) return false;
  if (which !== 'last') return Math.ceil(date.getUTCDate() / 7) === which;
  return new Date(date.getTime() + 7 * DAY_MS).getUTCMonth() + 1 !== month;
}
