/**
 * Probes that an agent takes as jobs (ADR 0317). They have the header of a buyer's call, and what the agent calls back
 * about them gets the same answers.
 */
import type { JobsFact } from '../../domain/verification/job-facts';
import type { Cipher } from '../../kit/crypto/cipher';
import type { DbPool } from '../../stores/db';
import { acceptProbeJob, beginProbeJob, endProbeJob, readProbeJob } from '../../stores/jobs/probe-jobs';
import type { AgentAnswer, TakenAnswer } from '../calls/agent/agent-answer';
import type { AgentCaller } from '../calls/agent/agent-caller';
import type { JobRequest } from '../calls/agent/agent-jobs';
import { jobContext } from '../calls/agent/job-acceptance';

/** The end of a probe whose agent has asked a question: no agent can call this back, because it is no text. */
export const ASKED_A_QUESTION = Buffer.from('\u0000question');
const FAILED = { ok: false, code: 'agent_error', durationMs: 0, delivered: false } as const;

export interface ProbeJobsDeps {
  pool: DbPool;
  cipher: Pick<Cipher, 'unseal'>;
  agents: Pick<AgentCaller, 'follow' | 'receive'>;
}

/** Follows the jobs of one stage, and sums up what it saw of them. */
export function createProbeJobs({ pool, cipher, agents }: ProbeJobsDeps) {
  const durations: number[] = [];
  const seen = { taken: 0, calledBack: 0, unanswered: 0, backwards: 0, unsigned: 0 };
  let cancelled: JobsFact['cancelled'] = null;

  /** What the agent has called back about a probe; undefined while it has only reported, or nothing. */
  async function calledBack(request: JobRequest) {
    const { invocationId } = request.call;
    const { heardAt, end } = await readProbeJob(pool, invocationId);
    if (!end) return { heardAt, answer: undefined };
    const body = await cipher.unseal(end.sealedBody, jobContext(invocationId));
    const answer: AgentAnswer =
      end.kind === 'answer'
        ? ((await agents.receive(request, body)) as AgentAnswer)
        : { ...FAILED, ...(body.equals(ASKED_A_QUESTION) && { isAsking: true }) };
    return { heardAt, answer };
  }

  return {
    /** Must be called before the probe is sent: an agent may call back before its 202 has arrived. */
    begin: ({ call }: Pick<JobRequest, 'call'>) => beginProbeJob(pool, call.invocationId, call.version),

    /** Ends a probe that its agent has answered at once. */
    end: (invocationId: string) => endProbeJob(pool, invocationId),

    /** Waits for the answer of a job. `jobMs`: from the call to its end. */
    async follow(request: JobRequest, taken: TakenAnswer): Promise<{ answer: AgentAnswer; jobMs: number }> {
      await acceptProbeJob(pool, request.call.invocationId);
      const answer = await agents.follow(request, taken, () => calledBack(request));
      const counts = await endProbeJob(pool, request.call.invocationId);
      seen.taken += 1;
      seen.backwards += counts.backwards;
      seen.unsigned += counts.unsigned;
      if (taken.location === null) seen.calledBack += 1;
      if (answer.ok) durations.push(answer.durationMs);
      else if (answer.code === 'agent_timeout') seen.unanswered += 1;
      return { answer, jobMs: answer.durationMs };
    },

    /** Cancels a job, as a buyer does, and notes whether the agent answers it within `waitMs` all the same. */
    async cancel(invocationId: string, pause: () => Promise<boolean>): Promise<void> {
      await endProbeJob(pool, invocationId);
      let late = 0;
      while (late === 0 && (await pause())) ({ late } = await readProbeJob(pool, invocationId));
      cancelled = { goesOn: late > 0, invocationId };
    },

    /** The longest job that was answered, in ms. */
    longestMs: () => Math.max(0, ...durations),

    /** True if the agent has called back about a job. */
    hasCallbacks: () => seen.calledBack > 0,

    /** What was seen; null if the agent took no probe as a job. */
    facts(): JobsFact | null {
      if (seen.taken === 0) return null;
      const sorted = [...durations].sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? null;
      return { ...seen, answered: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), cancelled };
    },
  };
}

export type ProbeJobs = ReturnType<typeof createProbeJobs>;
