import type { ErrorCode } from '../errors';
import type { InvocationOutcome } from './invocation-steps';

/**
 * Messages of the `callGroup` workflow. They are stored in Temporal's history, so they hold only ids, codes, durations
 * and amounts.
 */
export interface CallGroupInput {
  /** Task queue polled only by the process that accepted the calls. */
  ownerQueue: string;
  members: GroupMember[];
}

export interface GroupMember {
  invocationId: string;
  agentId: string;
  buyerUserId: string;
  /** The agent's timeout. */
  timeoutMs: number;
  traceId: string;
  priceCredits: number;
  /** How the call ended, when it ended before its group began. Groups of earlier releases have none. */
  end?: CallEnding;
}

/** The time of each step that was done, in ms since the call was accepted. */
export interface StepTimes {
  held?: number;
  forwarded?: number;
  validated?: number;
  settled?: number;
}

/** The end of a call, as its money moved. */
export interface CallEnding {
  status: InvocationOutcome['status'];
  code?: ErrorCode;
  creditsCharged?: number;
  stepsMs?: StepTimes;
}

/** How a member of a group ended. `open`: it has not ended, and gets a workflow of its own. */
export type MemberEnd = { invocationId: string; status: 'open' } | ({ invocationId: string } & CallEnding);

/** Outcome of a whole group. */
export interface CallGroupResult {
  calls: MemberEnd[];
}
