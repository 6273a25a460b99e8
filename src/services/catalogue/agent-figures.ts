import { createHalvingBatches } from '../../kit/concurrency/halving-batches';
import { createHalvingDrain } from '../../kit/concurrency/halving-drain';
import { followRelations, listDueStats, refreshStats, rollUpUsage } from '../../stores/catalogue/agent-stats';
import { countSearchTerms } from '../../stores/catalogue/search/term-counts';
import { findCircles } from '../../stores/accounts/owner-signs';
import type { DbPool } from '../../stores/db';

/** How many agents one statement computes the figures of. */
const STATS_BATCH = 50;
/** How many changes of usage one transaction rolls up. */
const ROLL_UP_BATCH = 2_000;
/** Through how many sums circles are looked for in one transaction. */
const CIRCLES_BATCH = 200;
/** The days of how many accounts are counted again in one transaction. */
const CHANGES_BATCH = 50;

/**
 * The loops that keep usage by day and the figures of listings up to date (docs/internals/statements.md#sums-by-day).
 * Several processes may run them.
 */
export function createAgentFigures({ pool }: { pool: DbPool }) {
  const stats = createHalvingBatches({ most: STATS_BATCH });

  return {
    /**
     * Counts the calls that ended since the last time in the usage of their agents. Returns how many changes. A batch
     * that fails is halved for the next turn.
     */
    rollUpUsage: createHalvingDrain(ROLL_UP_BATCH, (most) => rollUpUsage(pool, most)),

    /** Looks for circles of money through changed sums of what accounts pay developers. Returns how many sums. */
    findCircles: createHalvingDrain(CIRCLES_BATCH, (most) => findCircles(pool, most)),

    /** Counts the days of accounts whose relations changed as these are now. Returns how many accounts. */
    followRelations: createHalvingDrain(CHANGES_BATCH, (most) => followRelations(pool, most)),

    /**
     * Computes the figures of agents whose calls were counted since the last time, or on an earlier day. An agent whose
     * figures fail does not hold up the others. Returns how many were computed. Once an hour it also counts the words
     * of all agents, for the search by intent.
     */
    async refresh(): Promise<number> {
      await countSearchTerms(pool);
      return stats.turn({
        find: (limit, aside) => listDueStats(pool, limit, aside),
        process: (agentIds) => refreshStats(pool, agentIds),
      });
    },
  };
}
