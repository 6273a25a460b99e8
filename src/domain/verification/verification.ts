/**
 * Messages between the verification workflows and their activities. They are stored in Temporal's history, so
 * they hold only ids, codes and figures.
 */
import type { EvidenceStage } from './probe-facts';

export type VerificationReason =
  | 'published'
  /** Requested by the owner. */
  | 'reverify'
  | 'operator'
  | 'scheduled'
  /** A submitted version without a run, found by the sweep. */
  | 'sweep'
  /** A new advisory affects a version that the agent pins. */
  | 'advisory'
  | 'rubric'
  /** The outcome of a re-probe differed from the last run. */
  | 'behaviour';

/** Reasons that re-verify the serving version when no new version is waiting. */
const RERUN_REASONS: ReadonlySet<VerificationReason> = new Set([
  'reverify',
  'operator',
  'scheduled',
  'advisory',
  'rubric',
  'behaviour',
]);

/** True when this reason re-verifies the serving version. */
export function rerunsServing(reason: VerificationReason): boolean {
  return RERUN_REASONS.has(reason);
}

export interface VerificationTriggerSignal {
  reason: VerificationReason;
  versionId?: string;
}

/** Maximum days between two full runs (specification, "Agent verification"). */
export const REVERIFY_AFTER_DAYS = 90;
/** Number of valid inputs in dynamic testing. */
export const CONFORMANCE_CALLS = 6;
/** Range of days after which an agent is re-probed between runs; the day is random. */
export const REPROBE_AFTER_DAYS = { min: 2, max: 15 } as const;

export interface AgentVerificationInput {
  agentId: string;
  /** Days until a run without a trigger; read from the settings when the workflow starts. */
  reverifyAfterDays: number;
  /** Range of days until a re-probe; default `REPROBE_AFTER_DAYS`. */
  reprobeAfterDays?: { min: number; max: number };
  /** A trigger that arrived before continue-as-new. */
  pending?: VerificationTriggerSignal;
  /** Remaining wait for the first trigger after continue-as-new. */
  firstWaitMs?: number;
}

/** Answer of the query `state`. */
export interface VerificationState {
  phase: 'waiting' | 'running';
  runs: number;
  /** Reason of the current or latest run. */
  reason: VerificationReason | null;
  reprobes: number;
  lastOutcome: RunOutcome['kind'] | 'faulted' | null;
}

export interface VerificationRunInput {
  agentId: string;
  runId: string;
  reason: VerificationReason;
}

export type BegunRun =
  | { kind: 'run'; versionId: string }
  /** No version is waiting. */
  | { kind: 'nothing' }
  /** The agent is retired and is never verified again. */
  | { kind: 'retired' };

/** Answer of the query `stage` of a run. */
export type RunStage = 'beginning' | EvidenceStage | 'concluding' | 'over';

/** Outcome of a re-probe. `differing` triggers a run. */
export type ReprobeOutcome = { kind: 'matching' | 'differing' | 'unreached' | 'nothing' };

export type RunOutcome = {
  kind: 'live' | 'rejected' | 'passed' | 'failed' | 'superseded' | 'nothing' | 'retired';
};
