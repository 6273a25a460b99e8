/** Worker thread for large answers (`answer-threads.ts`). */
import type { AnswerFindings } from '../../../domain/calls/answer-findings';
import { MAX_VALUE_LENGTH, problemsOf } from '../../../kit/schemas/compiled-schemas';
import { asBuffer, ownMemory, serveJobs } from '../../../kit/threads/thread-jobs';
import { createO200kCounter } from '../../../kit/tokens/token-count';
import { countNow } from '../../../kit/tokens/token-turns';
import {
  type AnswerOutcome,
  type AnswerReview,
  type AnswerTask,
  outcomeOf,
  performAnswerTask,
} from './answer-task';

export interface AnswerRequest {
  task: AnswerTask;
  source: Uint8Array | string;
  review: AnswerReview | undefined;
}

/** Loads the vocabulary with the first answer whose tokens are counted. */
let counter: ReturnType<typeof createO200kCounter> | undefined;

serveJobs<AnswerRequest, AnswerOutcome>(
  ({ task, source, review }) =>
    outcomeOf(() => {
      const result = performAnswerTask(task, typeof source === 'string' ? source : asBuffer(source));
      const json = jsonOf(result);
      return review && json ? { ...(result as object), found: findings(json, review) } : result;
    }),
  {
    moved: (outcome) => {
      const json = outcome.ok ? jsonOf(outcome.value) : undefined;
      return json ? ownMemory(json) : [];
    },
  },
);

function jsonOf(result: unknown): Buffer | undefined {
  return (result as { json?: Buffer } | undefined)?.json;
}

/** Validates an answer and counts tokens. The thread is ended when the validation exceeds its limit. */
function findings(json: Buffer, { check, sampleBytes }: AnswerReview): AnswerFindings {
  const beganAt = performance.now();
  const isChecked = check !== null && json.length <= MAX_VALUE_LENGTH;
  const matches = isChecked ? problemsOf(check, JSON.parse(json.toString())).length === 0 : null;
  const sampleTokens = sampleBytes === null ? null : tokensOf(json.subarray(0, sampleBytes));
  return { matches, sampleTokens, tookMs: performance.now() - beganAt };
}

function tokensOf(bytes: Buffer): number {
  counter ??= createO200kCounter();
  const [tokens = 0] = countNow([bytes.toString()], counter);
  return tokens;
}
