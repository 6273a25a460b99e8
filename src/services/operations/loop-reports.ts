import type { Db } from '../../stores/db';
import { readFailingLoops, writeLoopReport } from '../../stores/operations/loop-reports';

/** What workers report of their loops, so that every API process can show it (ADR 0055). */
export function createLoopReports({ db, worker }: { db: Db; worker: string }) {
  return {
    report: (failing: readonly string[]) => writeLoopReport(db, worker, failing),
    failing: () => readFailingLoops(db),
  };
}
