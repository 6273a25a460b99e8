import type { WaitStep } from '../calls/invocation-steps';

/**
 * What a job's workflow finds when it looks: the end of the wait, or how long to wait before it looks again unless it
 * is woken. Stored in the history, so it holds no body, address or secret.
 */
export type JobLook =
  | WaitStep
  | {
      kind: 'waiting';
      waitMs: number;
      /** When the agent must have answered, or the buyer, in epoch milliseconds. */
      endsAtMs: number;
      /** The agent is asked for its answer; otherwise it calls back. */
      isAsked: boolean;
      /** A question waits for the buyer. */
      isPaused?: boolean;
    };

/** The type of the workflow that a task with a job continues as. */
export const JOB_WORKFLOW = 'job';

/** Input of the workflow `job`. `asked`: how often the agent has been asked, for the pause before the next time. */
export interface JobWorkflowInput {
  invocationId: string;
  traceId: string;
  /** Credits that are held. */
  priceCredits: number;
  asked: number;
  /** The agent is not asked for so long after its 202. Jobs of earlier releases have none. */
  askAfterMs?: number;
}
