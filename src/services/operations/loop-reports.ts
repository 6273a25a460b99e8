import type { Db } from '../../stores/db';
import { deleteLoopReport, readWorkers, writeLoopReport } from '../../stores/operations/loop-reports';

export type { WorkerReport } from '../../stores/operations/loop-reports';

/** What workers report of themselves and of their loops, so that every API process can show it (ADR 0055, ADR 0267). */
export function createLoopReports({ db, worker }: { db: Db; worker: string }) {
  return {
    report: (failing: readonly string[]) => writeLoopReport(db, worker, failing),
    /** Takes the report of this worker back, when it ends. */
    end: () => deleteLoopReport(db, worker),
    workers: () => readWorkers(db),
  };
}

export type LoopReports = ReturnType<typeof createLoopReports>;
