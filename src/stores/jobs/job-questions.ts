/** What agents ask the buyers of their jobs (`migrations/0070_job_questions.sql`, ADR 0306). */
import { type Db, onlyRow } from '../db';

export interface NewQuestion {
  questionId: string;
  /** Sealed; the context is `jobContext(invocationId)`. */
  sealedQuestion: Buffer;
  sha256: string;
  /** How long it may wait for the buyer. */
  windowMs: number;
}

/** The most questions of a call. */
export const MOST_QUESTIONS = 32;

/**
 * `repeated`: the question was asked before. `open`: another one waits for the buyer. `many`: the call had as many as
 * it may have.
 */
export type Asked = 'asked' | 'repeated' | 'open' | 'many' | 'suspended' | 'over' | 'unknown';

/** Keeps a question, and stops the clock of its job. */
export async function addQuestion(db: Db, invocationId: string, question: NewQuestion): Promise<Asked> {
  const { questionId, sealedQuestion, sha256, windowMs } = question;
  const result = await db.query<{ outcome: Asked }>({
    name: 'job-ask',
    text: 'SELECT job_ask($1, $2, $3, $4, $5, $6) AS outcome',
    values: [invocationId, questionId, sealedQuestion, sha256, windowMs, MOST_QUESTIONS],
  });
  return onlyRow(result).outcome;
}

/** `repeated`: the same answer was given before. `other`: another one was. */
export type Answered = 'answered' | 'repeated' | 'other' | 'over' | 'unknown';

/** Keeps the answer to a question until it is delivered; the clock of the job goes on. */
export async function addAnswer(
  db: Db,
  invocationId: string,
  answer: { questionId: string; sealedAnswer: Buffer; sha256: string },
): Promise<Answered> {
  const result = await db.query<{ outcome: Answered }>({
    name: 'job-answer',
    text: 'SELECT job_answer($1, $2, $3, $4) AS outcome',
    values: [invocationId, answer.questionId, answer.sealedAnswer, answer.sha256],
  });
  return onlyRow(result).outcome;
}

/** A question of a call, whatever became of it. */
export interface QuestionRow {
  questionId: string;
  buyerUserId: string;
  askedAt: Date;
  expiresAt: Date;
  isOpen: boolean;
  /** Null once the answer was delivered, or the call has ended. */
  sealedQuestion: Buffer | null;
  /** Null before the answer. */
  answerSha256: string | null;
}

const QUESTION = `question_id AS "questionId", buyer_user_id AS "buyerUserId", asked_at AS "askedAt",
  expires_at AS "expiresAt", is_open AS "isOpen", question AS "sealedQuestion", answer_sha256 AS "answerSha256"`;

export async function readQuestion(
  db: Db,
  invocationId: string,
  questionId: string,
): Promise<QuestionRow | undefined> {
  const { rows } = await db.query<QuestionRow>({
    name: 'job-question',
    text: `SELECT ${QUESTION} FROM job_questions WHERE invocation_id = $1 AND question_id = $2`,
    values: [invocationId, questionId],
  });
  return rows[0];
}

/** The question of a call that waits for the buyer. */
export async function readOpenQuestion(db: Db, invocationId: string): Promise<QuestionRow | undefined> {
  const { rows } = await db.query<QuestionRow>({
    name: 'job-question-open',
    text: `SELECT ${QUESTION} FROM job_questions WHERE invocation_id = $1 AND is_open`,
    values: [invocationId],
  });
  return rows[0];
}

/** The ids of the open questions of these calls, by call. */
export async function readOpenQuestionIds(db: Db, invocationIds: string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ invocation_id: string; question_id: string }>({
    name: 'job-questions-open',
    text: 'SELECT invocation_id, question_id FROM job_questions WHERE invocation_id = ANY($1) AND is_open',
    values: [invocationIds],
  });
  return new Map(rows.map((row) => [row.invocation_id, row.question_id]));
}

/** An answer that its agent has not accepted yet. Both are sealed; the context is `jobContext(invocationId)`. */
export interface UndeliveredAnswer {
  questionId: string;
  sealedQuestion: Buffer;
  sealedAnswer: Buffer;
  attempts: number;
}

/** The oldest answer to a question of the job that its agent has not accepted yet. */
export async function readUndeliveredAnswer(
  db: Db,
  invocationId: string,
): Promise<UndeliveredAnswer | undefined> {
  const { rows } = await db.query<UndeliveredAnswer>({
    name: 'job-answer-undelivered',
    text: `SELECT question_id AS "questionId", question AS "sealedQuestion", answer AS "sealedAnswer", attempts
             FROM job_questions WHERE invocation_id = $1 AND answer IS NOT NULL ORDER BY answered_at LIMIT 1`,
    values: [invocationId],
  });
  return rows[0];
}

/** Notes an attempt to deliver an answer. */
export async function noteAnswerSent(
  db: Db,
  invocationId: string,
  { questionId, isAccepted }: { questionId: string; isAccepted: boolean },
): Promise<void> {
  await db.query({
    name: 'job-answer-sent',
    text: 'SELECT job_answer_sent($1, $2, $3)',
    values: [invocationId, questionId, isAccepted],
  });
}
