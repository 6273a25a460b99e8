import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import {
  dropEmptyPartitions,
  makePartitionsAhead,
  readPartitionStatus,
} from '../../stores/operations/partitions';

/** Months that have partitions before they begin. */
export const MONTHS_AHEAD = 2;

/** Events and deliveries are deleted after 30 days; then the partition of their month is empty. */
const KEPT_DAYS = 31;

/**
 * Returns the step that makes the partitions of the next months before they begin, and drops the empty ones of events
 * and deliveries. Several processes may run it. Rows are never refused for want of a partition: the default partition
 * catches them, and a warning names that.
 */
export function createPartitions({ pool, logger }: { pool: DbPool; logger: Logger }) {
  return async function makeAhead(): Promise<void> {
    const made = await makePartitionsAhead(pool, MONTHS_AHEAD);
    if (made > 0) logger.info({ made }, 'made partitions of the months ahead');
    const dropped = await dropEmptyPartitions(pool, KEPT_DAYS);
    if (dropped > 0) logger.info({ dropped }, 'dropped the empty partitions of old events and deliveries');
    const { ahead, strays } = await readPartitionStatus(pool);
    if (ahead < 1 || strays > 0)
      logger.warn(
        { ahead, tablesWithStrays: strays },
        'partitions are missing, or the default partition has rows',
      );
  };
}
