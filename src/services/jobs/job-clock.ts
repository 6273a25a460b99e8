/** What the clock of the database says about a job: whether it waits, how long, and whether its time is over. */
import type { WaitStep } from '../../domain/calls/invocation-steps';
import type { ErrorCode } from '../../domain/errors';
import type { JobLook } from '../../domain/jobs/job-look';
import type { DbPool } from '../../stores/db';
import { giveUpJob, type JobRow } from '../../stores/jobs/jobs';

/** The time by the clock of the database. */
export const nowOf = ({ aheadMs }: JobRow): number => Date.now() + aheadMs;

/** How long the agent worked until then, without the time in which questions waited for the buyer. */
export function durationOf({ takenAt, tookMs, pausedMs, pause }: JobRow, until: number): number {
  const openMs = pause ? Math.max(0, until - pause.since.getTime()) : 0;
  return Math.max(0, until - takenAt.getTime() - pausedMs - openMs) + tookMs;
}

/** Whether the agent is called: to deliver an answer of the buyer, or to ask for its own. */
export function mustCall(job: JobRow): boolean {
  const { hasAnswer, silentAt, pause, sealedLocation, endsAt } = job;
  const now = nowOf(job);
  if (pause) return hasAnswer && now < Math.min(silentAt.getTime(), pause.until.getTime());
  return now < endsAt.getTime() && (hasAnswer ? now < silentAt.getTime() : sealedLocation !== null);
}

export function waiting({ endsAt, sealedLocation, pause }: JobRow, waitMs: number): JobLook {
  return {
    kind: 'waiting',
    waitMs: Math.max(1, waitMs),
    endsAtMs: (pause?.until ?? endsAt).getTime(),
    isAsked: sealedLocation !== null && !pause,
    ...(pause && { isPaused: true }),
  };
}

/** A job whose agent calls back is not asked before its end, and one whose buyer is asked waits for the buyer. */
export const untilEnd = (job: JobRow): JobLook =>
  waiting(job, (job.pause?.until ?? job.endsAt).getTime() - nowOf(job));

/**
 * The end of a job whose time is over, or whose agent was silent for too long; while a question is open, of one whose
 * buyer did not answer. An agent that gave no address and called nothing back has not done what a job needs, which is
 * an error and no lack of time.
 */
function overdue(job: JobRow): WaitStep | undefined {
  const { endsAt, silentAt, isBudgeted, pause, sealedLocation, hasReported } = job;
  const now = nowOf(job);
  if (pause) return now >= pause.until.getTime() ? failedNow('canceled') : undefined;
  const late = sealedLocation === null && !hasReported ? 'agent_error' : 'agent_timeout';
  if (now >= endsAt.getTime()) return failedNow(isBudgeted ? 'max_cost_exceeded' : late);
  return now >= silentAt.getTime() ? failedNow(late) : undefined;
}

/**
 * The same, decided for good. What the agent has called back, or the buyer has answered, in the same moment counts: the
 * next look, which follows at once, reads it.
 */
export async function givenUp(pool: DbPool, invocationId: string, job: JobRow): Promise<JobLook | undefined> {
  const step = overdue(job);
  if (!step) return undefined;
  return (await giveUpJob(pool, invocationId)) ? step : waiting(job, 0);
}

export const failedNow = (code: ErrorCode): WaitStep => ({ kind: 'failed', code, durationMs: 0 });
