import type { DisputeStatus } from '../domain/disputes/dispute-state';
import { caseInputOf, type Dispute, type DisputeRequest, type Disputes } from '../services/disputes/disputes';
import type { PreparedResponse, PreparedRuling } from '../services/disputes/dispute-moves';
import type { OfferAnswerRequest, OfferRequest } from '../services/disputes/offers';
import type { disputeCase } from '../workflows/dispute-case';
import { creditText } from '../domain/ledger/money';
import { type CasesDeps, createCases } from './cases';
import { AGENT_ID, BUYER_ID } from './start-invocation';

export interface DisputeCasesDeps extends CasesDeps {
  disputes: Pick<
    Disputes,
    | 'open'
    | 'read'
    | 'prepareResponse'
    | 'prepareRuling'
    | 'prepareOffer'
    | 'prepareOfferAnswer'
    | 'markStarted'
    | 'claimUnconfirmed'
  >;
}

/** Starts and updates the workflows `dispute/<id>`, for the API and the worker's sweep. */
export function createDisputeCases({ disputes, ...deps }: DisputeCasesDeps) {
  const cases = createCases<Dispute>(deps, {
    noun: 'dispute',
    workflowOf: (dispute) => ({
      type: 'disputeCase',
      workflowId: `dispute/${dispute.disputeId}`,
      args: [caseInputOf(dispute)] satisfies Parameters<typeof disputeCase>,
      staticSummary: `${dispute.agentId}: ${dispute.reason}`,
      staticDetails: disputeDetails(dispute),
      typedSearchAttributes: [
        { key: AGENT_ID, value: dispute.agentId },
        { key: BUYER_ID, value: dispute.buyerUserId },
      ],
    }),
    markStarted: ({ disputeId }) => disputes.markStarted(disputeId),
    claimUnconfirmed: disputes.claimUnconfirmed,
  });

  return {
    sweep: cases.sweep,

    /** Opens a dispute and starts its case. A dispute that is settled at once has no case. */
    async open(request: DisputeRequest): Promise<Dispute> {
      const dispute = await disputes.open(request);
      if (dispute.status === 'open') await cases.start(dispute);
      return dispute;
    },

    /**
     * Records the developer's response and returns the new state of the dispute. Throws `not_found`, `forbidden`,
     * `invalid_state`, `validation_failed`, or `engine_unavailable` if the engine does not answer in time
     * (`createCases`).
     */
    async respond(request: PreparedResponse): Promise<Dispute> {
      const { dispute, move } = await disputes.prepareResponse(request);
      const part = move.offer ? `${move.offer.units}\n` : '';
      const text = `${move.decision}\n${part}${request.statement}`;
      await cases.ask<DisputeStatus>(dispute, { name: 'respond', move, text });
      return disputes.read(request.disputeId);
    },

    /**
     * Records a developer's offer of a part of the charge. Throws as `respond` does. An offer that is open is joined.
     */
    async offer(request: OfferRequest): Promise<Dispute> {
      const { dispute, move } = await disputes.prepareOffer(request);
      if (move) await cases.ask<DisputeStatus>(dispute, { name: 'offer', move, text: move.offerId });
      return disputes.read(request.disputeId);
    },

    /** Records the buyer's answer to an offer. Throws as `respond` does. */
    async answerOffer(request: OfferAnswerRequest): Promise<Dispute> {
      const { dispute, move } = await disputes.prepareOfferAnswer(request);
      const text = `${move.decision}\n${move.offerId}`;
      await cases.ask<DisputeStatus>(dispute, { name: 'answer_offer', move, text });
      return disputes.read(request.disputeId);
    },

    /** Records the operator's decision and returns the new state of the dispute. Throws as `respond` does. */
    async resolve(request: PreparedRuling): Promise<Dispute> {
      const { dispute, move } = await disputes.prepareRuling(request);
      const part = move.partUnits === undefined ? '' : `${move.partUnits}\n`;
      const text = `${move.decision}\n${part}${request.reason}`;
      await cases.ask<DisputeStatus>(dispute, { name: 'resolve', move, text });
      return disputes.read(request.disputeId);
    },
  };
}

export type DisputeCases = ReturnType<typeof createDisputeCases>;

/** Facts that never change, for the page of the workflow. Texts that people wrote stay in the database. */
function disputeDetails(dispute: Dispute): string {
  const { disputeId, invocationId, agentId, buyerUserId, developerUserId, reason, openedAt } = dispute;
  const charged = dispute.chargedUnits === null ? '' : `: ${creditText(dispute.chargedUnits)}`;
  return [
    `Dispute \`${disputeId}\` of the call \`${invocationId}\`: ${reason}, opened at ${openedAt.toISOString()}.`,
    '',
    `- **Buyer:** \`${buyerUserId}\`; **developer:** \`${developerUserId}\`, agent \`${agentId}\``,
    `- **Credits if the buyer wins:** payable and fees → wallet of the buyer, \`invocation/${invocationId}/clawback\`${charged}`,
  ].join('\n');
}
