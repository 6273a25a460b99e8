/**
 * Notifies callers that wait for a call of a question that its agent asks them. All waits of a process are polled with
 * one query each second.
 */
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import { readOpenQuestionIds } from '../../stores/jobs/job-questions';

const LOOK_EVERY_MS = 1_000;

interface Wait {
  invocationId: string;
  /** The id of the question that the caller knows; empty: none. */
  known: string;
  end: () => void;
}

export function createQuestionWatch({ pool, logger }: { pool: DbPool; logger: Logger }) {
  const waits = new Set<Wait>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const asked = [...waits];
    const open = await readOpenQuestionIds(pool, [...new Set(asked.map(({ invocationId }) => invocationId))]);
    for (const { invocationId, known, end } of asked) if (isNews(open.get(invocationId), known)) end();
  }

  function lookAgain(): void {
    look().catch((error: unknown) => logger.debug({ err: error }, 'could not poll for questions'));
  }

  const untilNews = (invocationId: string, known: string, gone: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = () => {
        gone.removeEventListener('abort', end);
        waits.delete(wait);
        if (waits.size === 0) timer = void clearInterval(timer);
        resolve();
      };
      const wait: Wait = { invocationId, known, end };
      waits.add(wait);
      timer ??= setInterval(lookAgain, LOOK_EVERY_MS).unref();
      gone.addEventListener('abort', end, { once: true });
      if (gone.aborted) end();
    });

  return {
    /**
     * Resolves when the call has an open question other than `known`, or when `gone` aborts. `known` is the question
     * that the caller knows; empty: none; undefined: the one that is open now.
     */
    async untilAsked(invocationId: string, known: string | undefined, gone: AbortSignal): Promise<void> {
      const open = (await readOpenQuestionIds(pool, [invocationId])).get(invocationId);
      if (known === undefined || !isNews(open, known))
        await untilNews(invocationId, known ?? open ?? '', gone);
    },
  };
}

const isNews = (open: string | undefined, known: string): boolean => open !== undefined && open !== known;
