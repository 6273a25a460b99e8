import type { ErrorCode } from '../errors';

/**
 * What the steps of the `invocation` workflow tell each other. Everything here is stored in Temporal's history:
 * ids, codes, durations and hashes only, never a body, a header or a secret.
 */
export interface InvocationWorkflowInput {
  invocationId: string;
  /** The agent's deadline; bounds the forward step. */
  timeoutMs: number;
  /** Queue that only the accepting process polls: it holds the body, for the steps that need it. */
  ownerQueue: string;
  traceId: string;
  /** `task`: a worker carries the call out (workflows/task-call.ts); absent: the process that accepted it. */
  mode?: 'task';
  /** The steps are asked for in pairs and take turns in the process (ADR 0040); absent in calls of before. */
  inTurn?: true;
}

/** How an invocation ended, for whoever reads it from the hold row. */
export interface InvocationOutcome {
  status: 'succeeded' | 'failed' | 'disputed';
  code?: ErrorCode;
}

/** `resolved`: the hold row had decided before this step ran. */
export type HoldStep = { kind: 'held' } | { kind: 'resolved'; outcome: InvocationOutcome };

export type ForwardStep =
  | { kind: 'answered'; durationMs: number; bytes: number }
  | { kind: 'failed'; code: ErrorCode; durationMs: number }
  | { kind: 'resolved'; outcome: InvocationOutcome }
  | Undone;

export type ValidateStep =
  { kind: 'valid'; outputSha256: string } | { kind: 'failed'; code: ErrorCode } | Undone;

export type SettleStep =
  | { kind: 'settled'; outcome: InvocationOutcome; chargedCredits: number }
  | { kind: 'resolved'; outcome: InvocationOutcome }
  | Undone;

/**
 * Nothing was done. `elsewhere`: this process does not hold the body, the owner must do it. `skipped`: the step waited
 * for one that did not end well, or its call is over.
 */
export type Undone = { kind: 'elsewhere' } | { kind: 'skipped' };

export function isUndone<S extends { kind: string }>(step: S | Undone): step is Undone {
  return step.kind === 'elsewhere' || step.kind === 'skipped';
}
