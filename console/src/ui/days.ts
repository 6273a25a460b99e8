/** The start of a day in the reader's time, `days` later, as an instant; undefined for no day. */
export function startOf(day: string, days = 0): string | undefined {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return undefined;
  const start = new Date(year, month - 1, date + days);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}
