/**
 * Counts o200k_base tokens without blocking the process. In one thread, tenants take turns of a few milliseconds
 * (`token-turns.ts`), so that one tenant's long texts do not delay another's. Measured: 0.2 ms for a small text, 0.15 s
 * for 1 MiB of JSON, 3 s for the most hostile 1 MiB. Small texts are counted in the process (`small-texts.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTenantThreads, type ThreadKind } from '../threads/tenant-threads';
import { asMessage } from '../threads/thread-jobs';
import { workerFile } from '../threads/worker-file';
import { createSmallTexts, loadVocabularyHere } from './small-texts';
import type { TokenRequest } from './token-worker';

export interface TokenCounter {
  /**
   * Counts the tokens of each text (UTF-8). `key` identifies the tenant, who takes turns with others. Rejects only when
   * the counter is closed.
   */
  count(key: string, texts: readonly (string | Buffer)[]): Promise<number[]>;
  close(): Promise<void>;
}

/** No token of o200k_base is longer. */
export const LONGEST_TOKEN_BYTES = 128;

const RESTART_MS = 500;

const TOKENS: ThreadKind<TokenRequest, number[]> = {
  name: 'token',
  script: workerFile(__dirname, 'token-worker.js'),
  threads: 1,
  // The thread has all texts, and takes turns of a few milliseconds itself.
  jobsAtOnce: Infinity,
  // Not as low as that of other threads: calls wait for it with their bodies, so a slower count needs more memory
  // (test/long/memory.test.ts).
  nice: 5,
  turns: { patienceMs: Infinity, late: closedError },
  // What has no result yet is counted by a new thread: every text ends, and its sender pays for it.
  async lost({ reason }, _request, again) {
    if (reason === 'closed') throw closedError();
    await sleep(RESTART_MS, undefined, { ref: false });
    return again();
  },
};

/**
 * Creates a token counter. With `warm` (default), the thread and the process load their vocabularies at once, otherwise
 * with the first text.
 */
export function createTokenCounter(
  logger: { warn(fields: object, message: string): void },
  { warm = true } = {},
): TokenCounter {
  const threads = createTenantThreads({ ...TOKENS, logger });
  const countSmall = createSmallTexts();
  let closed = false;
  if (warm) {
    threads.warm();
    loadVocabularyHere();
  }
  return {
    async count(key, texts) {
      if (closed) throw closedError();
      const sent = (text: string | Buffer) => (typeof text === 'string' ? text : asMessage(text));
      return countSmall(key, texts) ?? threads.ask(key, { key, texts: texts.map(sent) });
    },
    close() {
      closed = true;
      return threads.close();
    },
  };
}

function closedError(): Error {
  return new Error('the token counter is closed');
}
