/**
 * One export of an account (ADR 0387): writes the archive, again from the beginning after a crash, and ends it as
 * failed when the attempts of a day did not succeed. The archive is deleted by a loop, so nothing waits for that here.
 */
import { log, proxyActivities } from '@temporalio/workflow';
import type { LeavingActivities } from '../activities/leaving';
import type { ExportEnd } from '../domain/leaving/export';
import { show } from './details';

const { writeExport } = proxyActivities<LeavingActivities>({
  startToCloseTimeout: '6h',
  heartbeatTimeout: '30s',
  scheduleToCloseTimeout: '24h',
  retry: { initialInterval: '2s', backoffCoefficient: 2, maximumInterval: '5m' },
});
const { recordExportFailed } = proxyActivities<LeavingActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function accountExport(exportId: string): Promise<ExportEnd> {
  const api = ['GET /v1/account/exports'];
  show({ state: 'Writes the archive', then: 'a mail reports that it is ready', credits: ['none move'], api });
  try {
    const end = await writeExport.executeWithOptions({ summary: `write the export ${exportId}` }, [exportId]);
    show({ state: `Ended: ${end}`, credits: ['none move'], api });
    return end;
  } catch (error) {
    log.warn('an export was given up', { exportId, error });
    await recordExportFailed(exportId);
    show({ state: 'Ended: failed', credits: ['none move'], api });
    return 'failed';
  }
}
