import type { DisputeStatus } from '../domain/disputes/dispute-state';
import type { DisputeResponseRecord, DisputeRulingRecord, Disputes } from '../services/disputes/disputes';

export type DisputeActivities = ReturnType<typeof createDisputeActivities>;

/** The moves of the `disputeCase` workflow, told to Temporal. What is thrown is a fault and is retried. */
export function createDisputeActivities(disputes: Pick<Disputes, 'recordResponse' | 'recordRuling'>) {
  return {
    recordResponse: (response: DisputeResponseRecord): Promise<DisputeStatus> =>
      disputes.recordResponse(response),
    recordRuling: (ruling: DisputeRulingRecord): Promise<DisputeStatus> => disputes.recordRuling(ruling),
  };
}
