/** Input of the `rubricRollout` workflow (specification, "Limits": rubric re-run). */
export interface RubricRolloutInput {
  version: string;
  /** End of the comment period, in epoch milliseconds. */
  commentEndsAtMs: number;
  /** The same time in ISO form, for people who read the history. */
  commentEndsAt?: string;
  /** When the rubric took effect, in epoch milliseconds; set after continue-as-new. */
  effectiveAtMs?: number;
  asked?: number;
}

/**
 * Agents that are not yet on the rubric (`behind`), and those among them whose run has not been requested
 * (`waiting`).
 */
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

/** Every agent runs within 30 days. All runs are requested within 28, so that the last ones can finish. */
export const ROLLOUT_DAYS = 28;
export const ROLLOUT_TICK_MS = 60 * 60 * 1_000;
/** Minimum batch size per tick, even when more time is left. */
const LEAST_PER_TICK = 20;

/** The number of runs to request in this tick, so that all are requested when the time is over. */
export function askInTurn(waiting: number, leftMs: number): number {
  const turns = Math.max(1, Math.floor(leftMs / ROLLOUT_TICK_MS));
  return Math.min(waiting, Math.max(LEAST_PER_TICK, Math.ceil(waiting / turns)));
}
