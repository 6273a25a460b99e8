/** Monthly partitions of the large tables (ADR 0062; `migrations/functions/operations/partition*.sql`). */
import { type Db, onlyRow } from '../db';

export interface PartitionStatus {
  /** How many months after this one every table has a partition for; -1 if this month's is missing. */
  ahead: number;
  /** Number of tables with rows in their default partition. */
  strays: number;
}

/** Makes missing partitions of this month and the next `months`. Returns how many were made. */
export async function makePartitionsAhead(db: Db, months: number): Promise<number> {
  const result = await db.query<{ made: number }>('SELECT partitions_ahead($1) AS made', [months]);
  return onlyRow(result).made;
}

/** Drops the empty partitions of events and deliveries whose month was over `keepDays` ago. Returns how many. */
export async function dropEmptyPartitions(db: Db, keepDays: number): Promise<number> {
  const result = await db.query<{ dropped: number }>('SELECT partitions_behind($1) AS dropped', [keepDays]);
  return onlyRow(result).dropped;
}

export async function readPartitionStatus(db: Db): Promise<PartitionStatus> {
  return onlyRow(await db.query<PartitionStatus>('SELECT ahead, strays FROM partition_status()'));
}
