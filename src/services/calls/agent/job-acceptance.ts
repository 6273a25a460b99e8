/** How a call becomes a job (ADR 0304). */
import type { QuestionText } from '../../../domain/jobs/question';
import type { Cipher, SealContext } from '../../../kit/crypto/cipher';
import { type DbPool, whileAway } from '../../../stores/db';
import { acceptJob } from '../../../stores/jobs/jobs';
import type { TakenAnswer } from './agent-answer';
import { budgetOf } from './agent-attempts';
import type { InFlightCall } from './in-flight';

/** The sealing context of what is stored of a job: its address, its progress, and what its agent called back. */
export const jobContext = (invocationId: string): SealContext => ({
  purpose: 'job',
  invocation_id: invocationId,
});

/**
 * What is stored of a question: what the buyer is asked, and where the agent wants the answer; null: as it is asked.
 */
export type StoredQuestion = QuestionText & { answerUrl: string | null };

/** Opens a question of a job. */
export async function unsealQuestion(
  cipher: Pick<Cipher, 'unseal'>,
  invocationId: string,
  sealed: Buffer,
): Promise<StoredQuestion> {
  return JSON.parse((await cipher.unseal(sealed, jobContext(invocationId))).toString()) as StoredQuestion;
}

/** Writes that the agent has accepted the call as a job. Returns false if the call has ended. */
export async function storeJob(
  { pool, cipher }: { pool: DbPool; cipher: Pick<Cipher, 'seal'> },
  call: InFlightCall,
  { location, durationMs }: TakenAnswer,
): Promise<boolean> {
  const { invocationId, version } = call;
  if (!version.jobs) throw new Error('an agent without jobs has accepted one');
  const mostMs = version.jobs.maxSeconds * 1_000;
  const leftMs = (budgetOf(call) ?? Infinity) - durationMs;
  const context = jobContext(invocationId);
  const job = {
    invocationId,
    tookMs: durationMs,
    sealedLocation: location === null ? null : await cipher.seal(Buffer.from(location), context),
    mostMs: Math.max(1, Math.min(mostMs, leftMs)),
    isBudgeted: leftMs < mostMs,
    heartbeatMs: version.jobs.heartbeatSeconds * 1_000,
  };
  return (
    (await whileAway(
      () => call.ended.aborted,
      () => acceptJob(pool, job),
    )) === 'taken'
  );
}
