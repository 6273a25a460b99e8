import type { DisputeStatus } from '../domain/disputes/dispute-state';
import type { DisputeResponseRecord, DisputeRulingRecord, Disputes } from '../services/disputes/disputes';

export type DisputeActivities = ReturnType<typeof createDisputeActivities>;

/** Activities of the `disputeCase` workflow. A thrown error is an internal fault; Temporal retries it. */
export function createDisputeActivities(disputes: Pick<Disputes, 'recordResponse' | 'recordRuling'>) {
  return {
    recordResponse: (response: DisputeResponseRecord): Promise<DisputeStatus> =>
      disputes.recordResponse(response),
    recordRuling: (ruling: DisputeRulingRecord): Promise<DisputeStatus> => disputes.recordRuling(ruling),
  };
}
