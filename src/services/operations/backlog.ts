import { readBacklog, type Backlog } from '../../stores/operations/backlog';
import type { Db } from '../../stores/db';

/** The backlog is read at most once in this time, however often it is requested. */
const KEPT_MS = 2_000;

export interface BacklogReader {
  /** Returns the backlog, at most two seconds old. Rejects when Postgres is unreachable. */
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
