/**
 * What agents ask the buyers of their jobs, and what these answer (ADR 0306). Every door answers by `answer`, behind
 * `JobEngine.answer`, which wakes the job. The database decides: one question is open at a time, and the first answer
 * counts.
 */
import { answerProblems, type AskedQuestion } from '../../domain/jobs/question';
import { addressAtAgent } from '../../domain/jobs/job-taken';
import { MarketError } from '../../domain/errors';
import type { Cipher } from '../../kit/crypto/cipher';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import { readInvocation } from '../../stores/calls/invocation-reads';
import type { DbPool } from '../../stores/db';
import {
  addAnswer,
  addQuestion,
  type Asked,
  MOST_QUESTIONS,
  type QuestionRow,
  readOpenQuestion,
  readQuestion,
} from '../../stores/jobs/job-questions';
import { jobContext, type StoredQuestion, unsealQuestion } from '../calls/agent/job-acceptance';

export interface JobQuestionsDeps {
  pool: DbPool;
  cipher: Cipher;
  /** How long a question waits for the buyer (setting `QUESTION_WINDOW_MS`). */
  windowMs: number;
}

export interface AskedBy {
  /** The address that the agent answered, or at which it is called. */
  base: string;
  /** The id of the message, if it is not asked again with another one. */
  messageId?: string;
}

/** A buyer's answer to a question. */
export interface QuestionAnswer {
  questionId: string;
  input: unknown;
}

export function createJobQuestions({ pool, cipher, windowMs }: JobQuestionsDeps) {
  const seal = (invocationId: string, value: unknown) =>
    cipher.seal(Buffer.from(JSON.stringify(value)), jobContext(invocationId));

  /**
   * The question, if the buyer may see it. Throws `not_found`, and `invalid_state` if the call has no such question.
   */
  async function own(buyerUserId: string, invocationId: string, questionId: string): Promise<QuestionRow> {
    const row = await readQuestion(pool, invocationId, questionId);
    if (row?.buyerUserId === buyerUserId) return row;
    const call = await readInvocation(pool, invocationId);
    if (call?.buyerUserId !== buyerUserId) throw new MarketError('not_found');
    const open = await readOpenQuestion(pool, invocationId);
    throw refused(
      open ? `The call waits for the answer to the question ${open.questionId}.` : 'The call asks nothing.',
    );
  }

  return {
    /**
     * Keeps a question of an agent for the buyer, and stops the clock of the job. The same question again changes
     * nothing: it has the id that the agent gave, or else one of its message, or of its text. Returns its id. Throws
     * `invalid_state` if the call is over, another question is open, the call had too many, or the agent is suspended;
     * `not_found`; `validation_failed` if the address for the answer is not of the agent's origin.
     */
    async ask(invocationId: string, question: AskedQuestion, { base, messageId }: AskedBy): Promise<string> {
      const { prompt, schema } = question;
      const answerUrl = question.answerUrl === null ? null : addressAtAgent(question.answerUrl, base);
      if (answerUrl === undefined) throw elsewhere();
      const sha256 = sha256Hex(canonicalJson({ prompt, schema }));
      const questionId = questionIdOf(question, messageId ?? sha256);
      const stored: StoredQuestion = { prompt, schema, answerUrl };
      const sealedQuestion = await seal(invocationId, stored);
      const outcome = await addQuestion(pool, invocationId, { questionId, sealedQuestion, sha256, windowMs });
      if (outcome === 'asked' || outcome === 'repeated') return questionId;
      throw outcome === 'unknown' ? new MarketError('not_found') : refused(NOT_ASKED[outcome]);
    },

    /**
     * Keeps the answer of the buyer until the agent has it. Every door calls this; wake the job afterwards. The same
     * answer again changes nothing. Throws `not_found` for a call of others; `invalid_state` if no such question is
     * open, or another answer was given before; `validation_failed` with a problem for each field.
     */
    async answer(
      buyerUserId: string,
      invocationId: string,
      { questionId, input }: QuestionAnswer,
    ): Promise<void> {
      const row = await own(buyerUserId, invocationId, questionId);
      const sha256 = sha256Hex(canonicalJson(input));
      if (row.answerSha256 === sha256) return;
      if (row.answerSha256 !== null) throw refused(ANSWERED);
      if (!row.isOpen || !row.sealedQuestion) throw refused(CLOSED);
      const { schema } = await unsealQuestion(cipher, invocationId, row.sealedQuestion);
      const problems = answerProblems(schema, input, ['body', 'input']);
      if (problems.length > 0) throw new MarketError('validation_failed', { invocationId, detail: problems });
      const sealedAnswer = await seal(invocationId, input);
      const outcome = await addAnswer(pool, invocationId, { questionId, sealedAnswer, sha256 });
      if (outcome === 'unknown') throw new MarketError('not_found');
      if (outcome === 'other') throw refused(ANSWERED);
      if (outcome === 'over') throw refused(CLOSED);
    },
  };
}

export type JobQuestions = ReturnType<typeof createJobQuestions>;

const ANSWERED = 'The question was answered before, and the first answer counts.';
const CLOSED = 'The question waits no longer: it has expired, or the call is over.';
const NOT_ASKED: Record<Exclude<Asked, 'asked' | 'repeated' | 'unknown'>, string> = {
  open: 'Another question of this call waits for the buyer. Ask the next one when you have the answer.',
  many: `A call has at most ${MOST_QUESTIONS} questions.`,
  suspended: 'The agent is suspended: it cannot ask buyers.',
  over: 'This call is over, or its answer or failure was called back before. Nothing was changed.',
};

/** The id of a question: that of the agent, or else one that is derived from its message. */
export const questionIdOf = ({ questionId }: AskedQuestion, message: string): string =>
  questionId ?? `qst_${sha256Hex(message).slice(0, 32)}`;

const refused = (message: string) => new MarketError('invalid_state', { message });

function elsewhere(): MarketError {
  const msg = 'must be an address of the origin of the endpoint';
  return new MarketError('validation_failed', {
    detail: [{ loc: ['body', 'answer_url'], msg, type: 'origin' }],
  });
}
