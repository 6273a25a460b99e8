import type { DisputeResponse, DisputeRuling } from '../domain/disputes/dispute-case';
import type { DisputeStatus } from '../domain/disputes/dispute-state';
import { caseInputOf, type Dispute, type DisputeRequest, type Disputes } from '../services/disputes/disputes';
import type { disputeCase } from '../workflows/dispute-case';
import { creditText } from '../domain/ledger/money';
import { type CasesDeps, createCases } from './cases';
import { AGENT_ID, BUYER_ID } from './start-invocation';

export interface DisputeCasesDeps extends CasesDeps {
  disputes: Pick<
    Disputes,
    'open' | 'read' | 'prepareResponse' | 'prepareRuling' | 'markStarted' | 'claimUnconfirmed'
  >;
}

/** A developer's response to a dispute. */
export interface ResponseRequest {
  userId: string;
  disputeId: string;
  decision: DisputeResponse['decision'];
  statement: string;
}

/** An operator's decision about a dispute. */
export interface RulingRequest {
  operatorUserId: string;
  disputeId: string;
  decision: DisputeRuling['decision'];
  reason: string;
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
     * `invalid_state`, or `engine_unavailable` if the engine does not answer in time (`createCases`).
     */
    async respond({ userId, disputeId, decision, statement }: ResponseRequest): Promise<Dispute> {
      const { dispute, textId } = await disputes.prepareResponse(userId, disputeId, statement);
      const move = { decision, textId };
      await cases.ask<DisputeStatus>(dispute, { name: 'respond', move, text: `${decision}\n${statement}` });
      return disputes.read(disputeId);
    },

    /** Records the operator's decision and returns the new state of the dispute. Throws as `respond` does. */
    async resolve({ operatorUserId, disputeId, decision, reason }: RulingRequest): Promise<Dispute> {
      const { dispute, textId } = await disputes.prepareRuling(operatorUserId, disputeId, reason);
      const move = { decision, textId, operatorUserId };
      await cases.ask<DisputeStatus>(dispute, { name: 'resolve', move, text: `${decision}\n${reason}` });
      return disputes.read(disputeId);
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
