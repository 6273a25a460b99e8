import { daysOf, windowProblems } from '../../domain/catalogue/usage';
import { MarketError } from '../../domain/errors';
import { dayOf } from '../../domain/instant';
import { spendCsv } from './spend-csv';
import { createHalvingDrain } from '../../kit/concurrency/halving-drain';
import { readSpend, rollUpSpend } from '../../stores/billing/spend';
import { readSpendGroups, type SpendGroup } from '../../stores/billing/spend-groups';
import type { SpendPart } from '../../domain/billing/spend-parts';
import type { Db, DbPool } from '../../stores/db';

/** How many calls one transaction rolls up. */
const BATCH = 2_000;
const DAY_MS = 86_400_000;

/** Returns the loop that adds ended calls to the days of their buyers. Several processes may run it. */
export const createSpendRollUp = ({ pool, now = Date.now }: { pool: DbPool; now?: () => number }) =>
  createHalvingDrain(BATCH, (most) => rollUpSpend(pool, most, now()));

interface SpendWindow {
  since?: Date | undefined;
  until?: Date | undefined;
}

export interface SpendGroupsWish extends SpendWindow {
  parts: readonly SpendPart[];
  /** Only calls with this pair of metadata; a name alone: only its pairs. */
  tag?: string | undefined;
}

/** The most groups of an answer, and of a file. */
const MOST_GROUPS = 1_000;
const MOST_FILE_GROUPS = 10_000;

/** The days of a window. Throws 422 for one of more than 366 days. */
function daysIn(window: SpendWindow, now: Date) {
  const until = window.until ?? now;
  const since = window.since ?? new Date(Date.UTC(until.getUTCFullYear(), until.getUTCMonth()));
  const detail = windowProblems(since, until);
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
  const days = daysOf(since, until);
  const firstDay = dayOf(since);
  return { days, firstDay, endDay: dayOf(new Date(Date.parse(days.at(-1) ?? firstDay) + DAY_MS)) };
}

/** What accounts pay for calls over time. */
export function createSpend({ reads, now = () => new Date() }: { reads: Db; now?: () => Date }) {
  const groupsOf = (userId: string, { parts, tag, ...window }: SpendGroupsWish, most: number) => {
    const { firstDay, endDay } = daysIn(window, now());
    return readSpendGroups(reads, { userId, firstDay, endDay, parts, tag, most });
  };
  return {
    /** The sums of an account by some of day, agent, key, tag and member; one group more than are shown. */
    async spendGroups(
      userId: string,
      wish: SpendGroupsWish,
    ): Promise<{ groups: SpendGroup[]; isCut: boolean }> {
      const groups = await groupsOf(userId, wish, MOST_GROUPS + 1);
      return { groups: groups.slice(0, MOST_GROUPS), isCut: groups.length > MOST_GROUPS };
    },

    /** The same as a table for spreadsheets, with at most 10,000 rows. */
    spendCsv: async (userId: string, wish: SpendGroupsWish): Promise<string> =>
      spendCsv(wish.parts, await groupsOf(userId, wish, MOST_FILE_GROUPS)),

    /**
     * What an account paid for calls by UTC day, agent and key; by default since the first day of the month. The days
     * of `since` and `until` are whole. Throws 422 for a window of more than 366 days.
     */
    async spend(userId: string, window: SpendWindow) {
      const { days, firstDay, endDay } = daysIn(window, now());
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
