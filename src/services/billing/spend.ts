import { daysOf, windowProblems } from '../../domain/catalogue/usage';
import { MarketError } from '../../domain/errors';
import { dayOf } from '../../domain/instant';
import { createHalvingDrain } from '../../kit/concurrency/halving-drain';
import { readSpend, rollUpSpend } from '../../stores/billing/spend';
import type { Db, DbPool } from '../../stores/db';

/** How many calls one transaction rolls up. */
const BATCH = 2_000;
const DAY_MS = 86_400_000;

/** Returns the loop that adds ended calls to the days of their buyers. Several processes may run it. */
export const createSpendRollUp = ({ pool, now = Date.now }: { pool: DbPool; now?: () => number }) =>
  createHalvingDrain(BATCH, (most) => rollUpSpend(pool, most, now()));

/** What accounts pay for calls over time. */
export function createSpend({ reads, now = () => new Date() }: { reads: Db; now?: () => Date }) {
  return {
    /**
     * What an account paid for calls by UTC day, agent and key; by default since the first day of the month. The days
     * of `since` and `until` are whole. Throws 422 for a window of more than 366 days.
     */
    async spend(userId: string, window: { since?: Date | undefined; until?: Date | undefined }) {
      const until = window.until ?? now();
      const since = window.since ?? new Date(Date.UTC(until.getUTCFullYear(), until.getUTCMonth()));
      const detail = windowProblems(since, until);
      if (detail.length > 0) throw new MarketError('validation_failed', { detail });
      const days = daysOf(since, until);
      const firstDay = dayOf(since);
      const endDay = dayOf(new Date(Date.parse(days.at(-1) ?? firstDay) + DAY_MS));
      const spending = await readSpend(reads, { userId, firstDay, endDay });
      const byDate = new Map(spending.days.map((day) => [day.date, day]));
      return {
        ...spending,
        firstDay,
        endDay,
        days: days.map((date) => byDate.get(date) ?? { date, calls: 0, units: 0 }),
      };
    },
  };
}

export type Spend = Awaited<ReturnType<ReturnType<typeof createSpend>['spend']>>;
