import type { DisputeResponse, DisputeRuling } from '../domain/disputes/dispute-case';
import type { DisputeStatus } from '../domain/disputes/dispute-state';
import { caseInputOf, type Dispute, type Disputes } from '../services/disputes/disputes';
import type { disputeCase } from '../workflows/dispute-case';
import { type CasesDeps, createCases } from './cases';
import { AGENT_ID, BUYER_ID } from './start-invocation';

export interface DisputeCasesDeps extends CasesDeps {
  disputes: Pick<Disputes, 'markStarted' | 'listUnconfirmed'>;
}

/** The workflows `dispute/<id>` as the API and the worker's sweep use them. */
export function createDisputeCases({ disputes, ...deps }: DisputeCasesDeps) {
  const cases = createCases<Dispute>(deps, {
    noun: 'dispute',
    workflowOf: (dispute) => ({
      type: 'disputeCase',
      workflowId: `dispute/${dispute.disputeId}`,
      args: [caseInputOf(dispute)] satisfies Parameters<typeof disputeCase>,
      staticSummary: `${dispute.agentId}: ${dispute.reason}`,
      typedSearchAttributes: [
        { key: AGENT_ID, value: dispute.agentId },
        { key: BUYER_ID, value: dispute.buyerUserId },
      ],
    }),
    markStarted: ({ disputeId }) => disputes.markStarted(disputeId),
    listUnconfirmed: disputes.listUnconfirmed,
  });

  return {
    /** Starts the case of an open dispute; never throws. */
    start: cases.start,
    sweep: cases.sweep,

    /** The developer's answer; what it returns and throws says `createCases`. */
    respond: (dispute: Dispute, response: DisputeResponse, statement: string) =>
      cases.ask<DisputeStatus>(dispute, {
        name: 'respond',
        move: response,
        text: `${response.decision}\n${statement}`,
      }),

    /** The operator's decision; as `respond`. */
    resolve: (dispute: Dispute, ruling: DisputeRuling, reason: string) =>
      cases.ask<DisputeStatus>(dispute, {
        name: 'resolve',
        move: ruling,
        text: `${ruling.decision}\n${reason}`,
      }),
  };
}

export type DisputeCases = ReturnType<typeof createDisputeCases>;
