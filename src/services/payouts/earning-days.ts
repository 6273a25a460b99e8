import { createHalvingDrain } from '../../kit/concurrency/halving-drain';
import type { DbPool } from '../../stores/db';
import { rollUpEarningDays } from '../../stores/payouts/earning-days';

/** How many changes one transaction rolls up. */
const BATCH = 2_000;

/**
 * Returns the loop that adds changes of lots to the days of their developers
 * (docs/internals/statements.md#sums-by-day). Several processes may run it.
 */
export const createEarningDays = ({ pool }: { pool: DbPool }) =>
  createHalvingDrain(BATCH, (most) => rollUpEarningDays(pool, most));
