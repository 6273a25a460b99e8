import type { DeletionState, ErasureBegin, ErasurePart } from '../domain/leaving/deletion';
import type { ExportEnd } from '../domain/leaving/export';
import type { Deletions } from '../services/leaving/deletions';
import type { Exports } from '../services/leaving/exports';
import { withHeartbeats } from './heartbeat';

export type LeavingActivities = ReturnType<typeof createLeavingActivities>;

type DeletionSteps = Pick<
  Deletions,
  'openConfirmation' | 'lapse' | 'state' | 'begin' | 'isAtRest' | 'retain' | 'erase' | 'finish'
>;

/** Activities of the workflows `accountExport` and `accountDeletion`. A thrown error is a fault; it is retried. */
export function createLeavingActivities(exports: Pick<Exports, 'write' | 'fail'>, deletions: DeletionSteps) {
  return {
    writeExport: (exportId: string): Promise<ExportEnd> =>
      withHeartbeats((signal) => exports.write(exportId, signal)),
    recordExportFailed: (exportId: string): Promise<void> => exports.fail(exportId),
    openDeletionConfirmation: (deletionId: string): Promise<DeletionState> =>
      deletions.openConfirmation(deletionId),
    lapseDeletion: (deletionId: string): Promise<DeletionState> => deletions.lapse(deletionId),
    readDeletionState: (deletionId: string): Promise<DeletionState> => deletions.state(deletionId),
    beginErasure: (deletionId: string): Promise<ErasureBegin> => deletions.begin(deletionId),
    isAccountAtRest: (deletionId: string): Promise<boolean> => deletions.isAtRest(deletionId),
    retainRecords: (deletionId: string): Promise<void> => deletions.retain(deletionId),
    erasePart: (deletionId: string, part: ErasurePart): Promise<void> =>
      withHeartbeats((signal) => deletions.erase(deletionId, part, signal)),
    finishDeletion: (deletionId: string): Promise<void> => deletions.finish(deletionId),
  };
}
