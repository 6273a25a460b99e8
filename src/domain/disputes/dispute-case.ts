import type { DisputeStatus } from './dispute-state';

/** The longest dispute window that can be set, in days: an earning matures at most so long after its call. */
export const MOST_DISPUTE_DAYS = 90;

/**
 * Messages between the `disputeCase` workflow and its callers. They are stored in Temporal's history, so they
 * hold only ids, codes and times. Texts that people write are stored in the database and referenced by id.
 */
export interface DisputeCaseInput {
  disputeId: string;
  /** The disputed call, for the page of the workflow. Cases that an earlier release started have none. */
  invocationId?: string;
  /** What the call cost, for the page of the workflow. Cases that an earlier release started have none. */
  chargedCredits?: number;
  /**
   * Status when the workflow starts; `contested` when the workflow is restarted after an earlier run was
   * terminated.
   */
  status: DisputeStatus;
  /**
   * When the dispute is accepted without a response, in epoch milliseconds; fixed when the case is opened.
   */
  respondByMs: number;
  /** The same time in ISO form, for people who read the history. */
  respondBy?: string;
}

export type DeveloperDecision = 'accept' | 'contest';
export type OperatorDecision = 'buyer' | 'developer';

export type BuyerDecision = 'accept' | 'decline';

/** A part of the charge that the developer offers to return. */
export interface OfferTerms {
  offerId: string;
  units: number;
}

/** The developer's response; `textId` references the statement. A developer who contests may offer a part with it. */
export interface DisputeResponse {
  decision: DeveloperDecision;
  textId: string;
  offer?: OfferTerms;
}

/** A developer's offer in a contested case; `textId` references the words to it, null without any. */
export interface DisputeOffer extends OfferTerms {
  textId: string | null;
}

/** The buyer's answer to an offer. `units` is what was offered, for the page of the workflow. */
export interface OfferAnswer extends OfferTerms {
  decision: BuyerDecision;
}

/** The operator's decision; `textId` references the reason. */
export interface DisputeRuling {
  decision: OperatorDecision;
  textId: string;
  operatorUserId: string;
  /** For the buyer: the part of the charge that is returned, in units; absent for all of it. */
  partUnits?: number;
}

/** Answer of the workflow's state query, for operators. */
export interface DisputeCaseState {
  status: DisputeStatus;
  /** True while a transition is being written to the database. */
  moving: boolean;
  respondByMs: number;
  /** The part of the charge that a decided case returned, in units; absent for all of it. */
  partUnits?: number;
}
