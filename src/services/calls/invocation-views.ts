import type { QuestionText } from '../../domain/jobs/question';
import { MarketError } from '../../domain/errors';
import type { Evidence } from '../../domain/evidence/evidence';
import type { RefundReceipt } from '../../domain/evidence/refund-receipt';
import { isFinal } from '../../domain/calls/invocation-state';
import type { Cipher } from '../../kit/crypto/cipher';
import type { DbPool } from '../../stores/db';
import {
  type InvocationDetail,
  type InvocationFilter,
  type InvocationRow,
  listInvocations,
  readForwardedAt,
  readInvocation,
  readSealedAnswer,
} from '../../stores/calls/invocation-reads';
import { type KeptAnswer, unpackAnswer } from './agent/answer-format';
import { type DisputeOfCall, readDisputeOfCall } from '../../stores/disputes/disputes';
import { type JobProgressOfCall, readJobProgress } from '../../stores/jobs/jobs';
import { readReached } from '../../stores/jobs/job-pieces';
import { type QuestionRow, readOpenQuestion } from '../../stores/jobs/job-questions';
import { readSlashRefunds } from '../../stores/bonds/slash-refunds';
import type { EvidenceService } from '../evidence/evidence';
import { jobContext, unsealQuestion } from './agent/job-acceptance';
import { answerContext } from './invocation-steps';
import { lowestIdAt } from '../../kit/ids/ids';

/** A call as its buyer reads it. */
export interface InvocationWithEvidence extends InvocationRow {
  /** The signed receipt. Null while the call runs. */
  evidence: Evidence | null;
}

export interface InvocationWithOutput extends InvocationDetail {
  /** The signed receipt. Null while the call runs. */
  evidence: Evidence | null;
  /** The answer of a call with an idempotency key. Null when none is kept. */
  answer: KeptAnswer | null;
  /** Why the agent refused the request, in its own words, while they are kept. */
  agentMessage: string | null;
  /** Null for a call that was not disputed. */
  dispute: DisputeOfCall | null;
  /** When the call was sent to the agent; null if it was not. */
  forwardedAt: Date | null;
  /** What a dispute and slashes returned of the charge, in units. */
  refundedUnits: number;
  /** The signed receipt of what a dispute returned; null for nothing. */
  refundReceipt: RefundReceipt | null;
  /** How the agent reports its work; undefined for a call that it has not accepted as a job. */
  job?: JobReport | undefined;
}

/** How a job goes (ADR 0304). */
export type JobReport = Omit<JobProgressOfCall, 'sealedMessage'> & {
  /** The agent's own sentence about its progress; null if there is none, or the job has ended. */
  message: string | null;
  /** The milestones that were reached. */
  milestones: readonly { name: string; at: Date }[];
  /** What the agent asks the buyer; null if nothing waits. */
  question: OpenQuestion | null;
};

/** A question that waits for the buyer (ADR 0306). */
export type OpenQuestion = QuestionText & Pick<QuestionRow, 'questionId' | 'askedAt' | 'expiresAt'>;

/** Which calls of a buyer are listed. Ids of calls begin with their time, so times are ranges of ids. */
export type ListedCalls = Omit<InvocationFilter, 'fromId' | 'toId'> & {
  since?: Date | undefined;
  until?: Date | undefined;
};

/** Calls as their buyers read them (contract, "Invocation"). Throws `not_found` for the calls of others. */
export function createInvocationViews(deps: { pool: DbPool; cipher: Cipher; evidence: EvidenceService }) {
  async function withEvidence<Row extends InvocationRow>(rows: readonly Row[]) {
    const ended = rows.filter((row) => isFinal(row.status)).map((row) => row.invocationId);
    const evidence = await deps.evidence.ofCalls(ended);
    return rows.map((row) => ({ ...row, evidence: evidence.get(row.invocationId) ?? null }));
  }

  return {
    async get(buyerUserId: string, invocationId: string): Promise<InvocationWithOutput> {
      const row = await readInvocation(deps.pool, invocationId);
      if (!row || row.buyerUserId !== buyerUserId) throw new MarketError('not_found');
      const hasText = row.status === 'succeeded' || row.errorCode === 'agent_error';
      const sealed = hasText ? await readSealedAnswer(deps.pool, invocationId) : undefined;
      const [call] = await withEvidence([row]);
      if (!call) throw new Error('one row makes one view');
      const dispute = (await readDisputeOfCall(deps.pool, invocationId)) ?? null;
      // A call that was disputed while it ran was never charged.
      const isCharged = call.chargedUnits > 0;
      const slashed = isCharged ? await readSlashRefunds(deps.pool, invocationId) : 0;
      const isReturned = isCharged && dispute !== null && dispute.refundedUnits > 0;
      const refundReceipt = isReturned ? await deps.evidence.ofRefund(invocationId) : null;
      const refundedUnits = isCharged ? slashed + (dispute?.refundedUnits ?? 0) : 0;
      const text = sealed && (await deps.cipher.unseal(sealed, answerContext(invocationId)));
      const answer = text && row.status === 'succeeded' ? unpackAnswer(text) : null;
      const agentMessage = text && row.status === 'failed' ? text.toString() : null;
      const forwardedAt = await readForwardedAt(deps.pool, invocationId);
      const job = row.isTask ? await readJob(deps, invocationId) : undefined;
      return { ...call, dispute, refundedUnits, refundReceipt, forwardedAt, answer, agentMessage, job };
    },

    /** A buyer's calls, newest first. */
    async list({ since, until, ...filter }: ListedCalls) {
      const range = {
        fromId: since && lowestIdAt('inv', since.getTime()),
        toId: until && lowestIdAt('inv', until.getTime()),
      };
      const { rows, ...rest } = await listInvocations(deps.pool, { ...filter, ...range });
      return { rows: await withEvidence(rows), ...rest };
    },
  };
}

/** How a call goes that its agent has accepted as a job. */
async function readJob(
  { pool, cipher }: { pool: DbPool; cipher: Cipher },
  invocationId: string,
): Promise<JobReport | undefined> {
  const found = await readJobProgress(pool, invocationId);
  if (!found) return undefined;
  const { sealedMessage, ...rest } = found;
  const message = sealedMessage && (await cipher.unseal(sealedMessage, jobContext(invocationId)));
  const milestones = rest.pieces > 0 ? await readReached(pool, invocationId) : [];
  const question = await readQuestion({ pool, cipher }, invocationId);
  return { ...rest, message: message && message.toString(), milestones, question };
}

async function readQuestion(
  { pool, cipher }: { pool: DbPool; cipher: Cipher },
  invocationId: string,
): Promise<OpenQuestion | null> {
  const open = await readOpenQuestion(pool, invocationId);
  if (!open?.sealedQuestion) return null;
  const { questionId, askedAt, expiresAt } = open;
  const { prompt, schema } = await unsealQuestion(cipher, invocationId, open.sealedQuestion);
  return { questionId, prompt, schema, askedAt, expiresAt };
}

export type InvocationViews = ReturnType<typeof createInvocationViews>;
