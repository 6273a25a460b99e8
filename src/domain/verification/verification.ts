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
  | 'behaviour'
  /** The server of an MCP agent lists other tools than the verified ones. */
  | 'tools';

/** Reasons that re-verify the serving version when no new version is waiting. */
const RERUN_REASONS: ReadonlySet<VerificationReason> = new Set([
  'reverify',
  'operator',
  'scheduled',
  'advisory',
  'rubric',
  'behaviour',
  'tools',
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

/** How soon an agent is re-probed after a run: later each time, up to `REPROBE_AFTER_DAYS`. */
export interface ReprobeClock {
  /** Range of ms until the first re-probe after a run. */
  firstMs: { min: number; max: number };
  /** Range of days between later ones. */
  laterDays: { min: number; max: number };
}

/** In production: hours at first, days later. In development: seconds at first, so that its effects are seen. */
export const REPROBE_CLOCKS = {
  production: { firstMs: { min: 1_800_000, max: 21_600_000 }, laterDays: REPROBE_AFTER_DAYS },
  development: { firstMs: { min: 20_000, max: 45_000 }, laterDays: REPROBE_AFTER_DAYS },
} as const satisfies Record<string, ReprobeClock>;

/** The pauses before the first, second, … re-probe after a run grow by this factor, up to the later ones. */
export const REPROBE_GROWTH = 3;

/** The task queue of probes: API processes poll it, so that probes leave where buyers' calls leave. */
export function probeQueue(operations: string): string {
  return operations.replace(/operations$/, 'probes');
}

export interface AgentVerificationInput {
  agentId: string;
  /** Days until a run without a trigger; read from the settings when the workflow starts. */
  reverifyAfterDays: number;
  /** Default: `REPROBE_AFTER_DAYS` for every re-probe. */
  reprobes?: ReprobeClock;
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
  /** The latest date of the next run in ISO form, while the workflow waits. */
  until: string | null;
  /** What the workflow does next. */
  next: string;
}

export interface VerificationRunInput {
  agentId: string;
  runId: string;
  reason: VerificationReason;
}

/** The calls that a run may make. `few`: the host of the endpoint is not proven, and this is its first run. */
export type CallAllowance = 'all' | 'few' | 'none' | 'refused';

export type BegunRun =
  | { kind: 'run'; versionId: string }
  /** No version is waiting. */
  | { kind: 'nothing' }
  /** The agent is retired and is never verified again. */
  | { kind: 'retired' };

/** Answer of the query `progress` of a run: what it does, and what it does next. */
export interface RunProgress {
  stage: RunStage;
  doing: string;
  next: string;
}

/** Answer of the query `stage` of a run. */
export type RunStage = 'beginning' | EvidenceStage | 'concluding' | 'over';

/**
 * Outcome of a re-probe. `differing` triggers a run; so does `recovered`, the re-probe that makes up for the last of
 * the differing ones.
 */
export type ReprobeOutcome = { kind: 'matching' | 'differing' | 'recovered' | 'unreached' | 'nothing' };

export type RunOutcome = {
  kind: 'live' | 'rejected' | 'passed' | 'failed' | 'superseded' | 'nothing' | 'retired';
};
