import { readBacklog, type Backlog } from '../../stores/operations/backlog';
import { readMoneyWatch, type MoneyWatch } from '../../stores/operations/money-watch';
import type { Db } from '../../stores/db';

/** Either is read at most once in this time, however often it is requested. */
const KEPT_MS = 2_000;

export interface BacklogReader {
  /** Returns the backlog, at most two seconds old. Rejects when Postgres is unreachable. */
  read(): Promise<Backlog>;
  /** Returns the ages of what money hangs on, at most two seconds old. Rejects when Postgres is unreachable. */
  money(): Promise<MoneyWatch>;
}

export function createBacklog({ db }: { db: Db }): BacklogReader {
  return { read: kept(() => readBacklog(db)), money: kept(() => readMoneyWatch(db)) };
}

/** Shares one result for two seconds. */
function kept<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; value: Promise<T> } | undefined;
  return () => {
    if (!last || performance.now() - last.at > KEPT_MS) last = { at: performance.now(), value: read() };
    return last.value;
  };
}
