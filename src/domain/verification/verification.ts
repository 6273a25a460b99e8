/**
 * What the workflows and activities of verification tell each other. Stored in Temporal's history: ids, codes and
 * figures only.
 */
import type { EvidenceStage } from './probe-facts';

export type VerificationReason =
  | 'published'
  /** The owner asked. */
  | 'reverify'
  | 'operator'
  | 'scheduled'
  /** A submitted version that nobody seems to have asked for. */
  | 'sweep'
  /** An advisory came for a version that the agent pins. */
  | 'advisory'
  | 'rubric'
  /** A re-probe was answered otherwise than the probes of the last run. */
  | 'behaviour';

/** Reasons that re-run the serving version when no new one waits. */
const RERUN_REASONS: ReadonlySet<VerificationReason> = new Set([
  'reverify',
  'operator',
  'scheduled',
  'advisory',
  'rubric',
  'behaviour',
]);

export function rerunsServing(reason: VerificationReason): boolean {
  return RERUN_REASONS.has(reason);
}

export interface VerificationTriggerSignal {
  reason: VerificationReason;
  versionId?: string;
}

/** Specification, "Agent verification": a full run at the latest 90 days after the last one. */
export const REVERIFY_AFTER_DAYS = 90;
/** How many inputs the conformance probe of releases without stages tries. */
export const PROBE_COUNT = 3;
/** How many valid inputs dynamic testing tries. */
export const CONFORMANCE_CALLS = 6;
/** Between two runs an agent is probed again after so many days, at random. */
export const REPROBE_AFTER_DAYS = { min: 2, max: 15 } as const;

export interface AgentVerificationInput {
  agentId: string;
  /** Days until a run without a trigger; from the settings when the workflow began. */
  reverifyAfterDays: number;
  /** Between which numbers of days a re-probe is made; default: `REPROBE_AFTER_DAYS`. */
  reprobeAfterDays?: { min: number; max: number };
  /** A trigger that came before this run of the workflow (continue as new). */
  pending?: VerificationTriggerSignal;
  /** How long to wait for the first trigger instead (continue as new). */
  firstWaitMs?: number;
}

/** Answer of the query `state`. */
export interface VerificationState {
  phase: 'waiting' | 'running';
  runs: number;
  /** Why the run was begun that runs now, or ran last. */
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
  | { kind: 'run'; versionId: string; timeoutMs: number }
  /** Nothing waits. */
  | { kind: 'nothing' }
  /** The agent will never be verified again. */
  | { kind: 'retired' };

/** What the query `stage` of a run answers. */
export type RunStage = 'beginning' | EvidenceStage | 'concluding' | 'over';

/** What a re-probe saw, in a word: `differing` is a reason for a run. */
export type ReprobeOutcome = { kind: 'matching' | 'differing' | 'unreached' | 'nothing' };

export type RunOutcome = {
  kind: 'live' | 'rejected' | 'passed' | 'failed' | 'superseded' | 'nothing' | 'retired';
};
