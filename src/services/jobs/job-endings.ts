/** The end of a job in the process that received its answer (ADR 0371). */
import { drive, type Next, type StepsAt } from '../../domain/calls/course';
import type { JobLook } from '../../domain/jobs/job-look';
import type { Logger } from '../../logger';
import type { InvocationSteps } from '../calls/invocation-steps';

export type EndingSteps = Pick<InvocationSteps, 'refund' | 'validate' | 'settle'>;

/**
 * Validates and settles an answer where it was received, and refunds a failure: only this process knows the agent's
 * words for it. An answer whose steps fail here is left to the workflow, which repeats them in this process.
 */
export async function endedHere(
  { steps, logger }: { steps: EndingSteps; logger: Logger },
  invocationId: string,
  look: JobLook,
): Promise<JobLook> {
  if (look.kind !== 'answered' && look.kind !== 'failed') return look;
  const { durationMs } = look;
  try {
    const next: Next =
      look.kind === 'failed'
        ? { kind: 'refund', code: look.code }
        : await drive(answerSteps(steps, invocationId), { step: 'validate', at: 'here' });
    if (next.kind === 'step') return look;
    if (next.kind === 'done') return { kind: 'resolved', outcome: next.outcome, durationMs };
    return { kind: 'resolved', outcome: (await steps.refund(invocationId, next.code)).outcome, durationMs };
  } catch (error) {
    if (look.kind === 'failed') throw error;
    logger.info({ err: error, invocationId }, 'could not settle a job at once; its workflow repeats it');
    return look;
  }
}

function answerSteps({ validate, settle }: EndingSteps, id: string): StepsAt {
  const before = () => Promise.reject(new Error('the job has its answer'));
  return { hold: before, forward: before, validate: () => validate(id), settle: () => settle(id) };
}
