/** What the workflow `rubricRollout` and its activities tell each other (specification, "Limits": rubric re-run). */
export interface RubricRolloutInput {
  version: string;
  /** When its comment period ends; epoch milliseconds. */
  commentEndsAtMs: number;
  /** When it took effect (continue as new); epoch milliseconds. */
  effectiveAtMs?: number;
  asked?: number;
}

/** Agents that are not on the rubric yet, and those of them that were not asked. */
export interface RolloutProgress {
  behind: number;
  waiting: number;
}

/** Answer of the query `state`. */
export interface RubricRolloutState {
  phase: 'comments' | 'rolling_out' | 'done' | 'withdrawn';
  asked: number;
  progress: RolloutProgress | null;
}

/** Every agent has run within 30 days; asking ends before, so that runs can end. */
export const ROLLOUT_DAYS = 28;
export const ROLLOUT_TICK_MS = 60 * 60 * 1_000;
/** Few agents are asked at once however long there would be time. */
const LEAST_PER_TICK = 20;

/** How many agents are asked in one turn, so that all are by the end of the time. */
export function askInTurn(waiting: number, leftMs: number): number {
  const turns = Math.max(1, Math.floor(leftMs / ROLLOUT_TICK_MS));
  return Math.min(waiting, Math.max(LEAST_PER_TICK, Math.ceil(waiting / turns)));
}
