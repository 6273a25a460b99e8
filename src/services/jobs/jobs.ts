/** What buyers see of jobs, and which jobs must be woken (ADR 0304). */
import type { Cipher } from '../../kit/crypto/cipher';
import type { DbPool } from '../../stores/db';
import { type DueJob, readJobProgress, claimDueJobs } from '../../stores/jobs/jobs';
import { jobContext } from '../calls/agent/job-acceptance';

export type { DueJob };

/** How a job goes. */
export interface JobReport {
  takenAt: Date;
  /** When the agent must have answered. */
  endsAt: Date;
  /** When the agent last reported. */
  heardAt: Date;
  /** From 0 to 1; null if the agent has not said. */
  progress: number | null;
  /** The agent's own sentence about its progress; null if there is none, or the job has ended. */
  message: string | null;
}

/** Jobs that are woken in one statement. */
const BATCH = 100;

export function createJobs({ pool, cipher }: { pool: DbPool; cipher: Cipher }) {
  return {
    /** How a job goes; undefined for a call that is none. Whether the caller may know is not checked. */
    async report(invocationId: string): Promise<JobReport | undefined> {
      const found = await readJobProgress(pool, invocationId);
      if (!found) return undefined;
      const { sealedMessage, ...rest } = found;
      const message = sealedMessage && (await cipher.unseal(sealedMessage, jobContext(invocationId)));
      return { ...rest, message: message && message.toString() };
    },

    /** The jobs whose workflows must be woken, at most a hundred. Each is due again after a minute. */
    claimDue: (): Promise<DueJob[]> => claimDueJobs(pool, BATCH),
  };
}

export type Jobs = ReturnType<typeof createJobs>;
