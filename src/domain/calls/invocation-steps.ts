import type { ErrorCode } from '../errors';

/**
 * Messages between the `invocation` workflow and its activities. They are stored in Temporal's history, so
 * they hold only ids, codes, durations and hashes: never a body, a header or a secret.
 */
export interface InvocationWorkflowInput {
  invocationId: string;
  /** The agent's timeout; bounds the forward step. */
  timeoutMs: number;
  /**
   * Task queue polled only by the process that accepted the call. That process holds the body that some steps
   * need.
   */
  ownerQueue: string;
  traceId: string;
  /** Credits that are held, for the page of the workflow; 0 for a free call. Calls of earlier releases have none. */
  priceCredits?: number;
  /** `task`: a worker carries the call out (workflows/task-call.ts); absent: the process that accepted it. */
  mode?: 'task';
}

/** Final outcome of an invocation, as recorded in its hold row. */
export interface InvocationOutcome {
  status: 'succeeded' | 'failed' | 'disputed';
  code?: ErrorCode;
}

/** `resolved`: the hold was captured or voided before this step ran. */
export type HoldStep = { kind: 'held' } | { kind: 'resolved'; outcome: InvocationOutcome };

/**
 * `taken`: the agent accepted the call as a job, and answers later (ADR 0304). `askAfterMs`: when it is asked for its
 * answer; absent if it calls back.
 */
export type ForwardStep =
  | { kind: 'answered'; durationMs: number; bytes: number }
  | { kind: 'taken'; askAfterMs?: number }
  | { kind: 'failed'; code: ErrorCode; durationMs: number }
  | Resolved
  | Undone;

/** The call is over. `durationMs`: how long the agent of a job worked, if this step has ended the job. */
export interface Resolved {
  kind: 'resolved';
  outcome: InvocationOutcome;
  durationMs?: number;
}

/** The end of the wait for the answer of a job. */
export type WaitStep = Exclude<ForwardStep, { kind: 'taken' } | Undone>;

export type ValidateStep =
  { kind: 'valid'; outputSha256: string } | { kind: 'failed'; code: ErrorCode } | Undone;

export type SettleStep =
  | { kind: 'settled'; outcome: InvocationOutcome; chargedCredits: number }
  | { kind: 'resolved'; outcome: InvocationOutcome }
  | Undone;

/**
 * The step did nothing. `elsewhere`: this process does not hold the body, so the owner must run the step.
 * `skipped`: the step depends on one that failed, or the call is already over.
 */
export type Undone = { kind: 'elsewhere' } | { kind: 'skipped' };

/** Narrows a step result to `Undone`. */
export function isUndone<S extends { kind: string }>(step: S | Undone): step is Undone {
  return step.kind === 'elsewhere' || step.kind === 'skipped';
}
