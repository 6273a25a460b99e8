import type { ExportEnd } from '../domain/leaving/export';
import type { Exports } from '../services/leaving/exports';
import { withHeartbeats } from './heartbeat';

export type LeavingActivities = ReturnType<typeof createLeavingActivities>;

/** Activities of the workflow `accountExport`. A thrown error is a fault; Temporal retries it. */
export function createLeavingActivities(exports: Pick<Exports, 'write' | 'fail'>) {
  return {
    writeExport: (exportId: string): Promise<ExportEnd> =>
      withHeartbeats((signal) => exports.write(exportId, signal)),
    recordExportFailed: (exportId: string): Promise<void> => exports.fail(exportId),
  };
}
