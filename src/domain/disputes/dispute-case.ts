import type { DisputeStatus } from './dispute-state';

/**
 * What the `disputeCase` workflow and its callers tell each other. All of it is stored in Temporal's history: ids,
 * codes and times only; what people wrote stands in the database.
 */
export interface DisputeCaseInput {
  disputeId: string;
  /** The status when the workflow starts: `contested` when an earlier run was terminated. */
  status: DisputeStatus;
  /** When silence accepts, in milliseconds since the epoch; fixed when the case was opened. */
  respondByMs: number;
}

export type DeveloperDecision = 'accept' | 'contest';
export type OperatorDecision = 'buyer' | 'developer';

/** The developer's answer; `textId` names the statement. */
export interface DisputeResponse {
  decision: DeveloperDecision;
  textId: string;
}

/** The operator's decision; `textId` names the reason. */
export interface DisputeRuling {
  decision: OperatorDecision;
  textId: string;
  operatorUserId: string;
}

/** Where a case stands, for operators who look at the workflow. */
export interface DisputeCaseState {
  status: DisputeStatus;
  /** A move is being written. */
  moving: boolean;
  respondByMs: number;
}
