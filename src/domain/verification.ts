/**
 * What the workflows and activities of verification tell each other. Stored in Temporal's history: ids, codes and
 * figures only.
 */
export type VerificationReason = 'published' | 'reverify' | 'scheduled' | 'sweep';

/** Reasons that re-run the serving version when no new one waits. */
const RERUN_REASONS: ReadonlySet<VerificationReason> = new Set(['reverify', 'scheduled']);

export function rerunsServing(reason: VerificationReason): boolean {
  return RERUN_REASONS.has(reason);
}

export interface VerificationTriggerSignal {
  reason: VerificationReason;
  versionId?: string;
}

/** Specification, "Agent verification": a full run at the latest 90 days after the last one. */
export const REVERIFY_AFTER_DAYS = 90;
/** How many inputs the live conformance probe tries. */
export const PROBE_COUNT = 3;

export interface AgentVerificationInput {
  agentId: string;
  /** Days until a run without a trigger; from the settings when the workflow began. */
  reverifyAfterDays: number;
  /** A trigger that came before this run of the workflow (continue as new). */
  pending?: VerificationTriggerSignal;
  /** How long to wait for the first trigger instead (continue as new). */
  firstWaitMs?: number;
}

/** Answer of the query `state`. */
export interface VerificationState {
  phase: 'waiting' | 'running';
  runs: number;
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

export type RunOutcome = {
  kind: 'live' | 'rejected' | 'passed' | 'failed' | 'superseded' | 'nothing' | 'retired';
};
