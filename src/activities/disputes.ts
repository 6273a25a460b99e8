import type { DisputeStatus } from '../domain/disputes/dispute-state';
import type { DisputeResponseRecord, DisputeRulingRecord, Disputes } from '../services/disputes/disputes';
import type { OfferAnswerRecord, OfferRecord } from '../services/disputes/offers';

export type DisputeActivities = ReturnType<typeof createDisputeActivities>;
type Records = Pick<Disputes, 'recordResponse' | 'recordRuling' | 'recordOffer' | 'recordOfferAnswer'>;

/** Activities of the `disputeCase` workflow. A thrown error is an internal fault; Temporal retries it. */
export function createDisputeActivities(disputes: Records) {
  return {
    recordResponse: (response: DisputeResponseRecord): Promise<DisputeStatus> =>
      disputes.recordResponse(response),
    recordRuling: (ruling: DisputeRulingRecord): Promise<DisputeStatus> => disputes.recordRuling(ruling),
    recordOffer: (offer: OfferRecord): Promise<DisputeStatus> => disputes.recordOffer(offer),
    recordOfferAnswer: (answer: OfferAnswerRecord): Promise<DisputeStatus> =>
      disputes.recordOfferAnswer(answer),
  };
}
