/** Worker thread for large answers (`answer-threads.ts`). */
import { asBuffer, ownMemory, serveJobs } from '../../../kit/threads/thread-jobs';
import { type AnswerOutcome, type AnswerTask, outcomeOf, performAnswerTask } from './answer-task';

export interface AnswerRequest {
  task: AnswerTask;
  source: Uint8Array | string;
}

serveJobs<AnswerRequest, AnswerOutcome>(
  ({ task, source }) =>
    outcomeOf(() => performAnswerTask(task, typeof source === 'string' ? source : asBuffer(source))),
  {
    moved: (outcome) => {
      const json = outcome.ok ? (outcome.value as { json?: Uint8Array } | undefined)?.json : undefined;
      return json ? ownMemory(json) : [];
    },
  },
);
