import { readBacklog, type Backlog } from '../../stores/operations/backlog';
import type { Db } from '../../stores/db';

/** However often somebody asks, Postgres is asked once in this time. */
const KEPT_MS = 2_000;

export interface BacklogReader {
  /** At most two seconds old. Rejects when Postgres is away. */
  read(): Promise<Backlog>;
}

export function createBacklog({ db }: { db: Db }): BacklogReader {
  let last: { at: number; backlog: Promise<Backlog> } | undefined;
  return {
    read() {
      if (!last || performance.now() - last.at > KEPT_MS) {
        last = { at: performance.now(), backlog: readBacklog(db) };
      }
      return last.backlog;
    },
  };
}
