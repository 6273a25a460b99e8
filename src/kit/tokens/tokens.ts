/**
 * Counts o200k_base tokens without blocking the process. One thread is fed by a fair queue, so that one tenant's long
 * texts do not delay another's short ones. Measured: 0.2 ms for a small text, 0.15 s for 1 MiB of JSON, 3 s for the
 * most hostile 1 MiB.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createFairQueue } from '../schemas/schema-queue';
import type { TokenReply, TokenRequest } from './token-worker';

export interface TokenCounter {
  /**
   * Counts the tokens of each text (UTF-8). `key` identifies the tenant in the fair queue. Rejects only when the
   * counter is closed.
   */
  count(key: string, texts: readonly (string | Buffer)[]): Promise<number[]>;
  close(): Promise<void>;
}

interface Job {
  key: string;
  heavy: boolean;
  texts: readonly (string | Buffer)[];
  resolve(counts: number[]): void;
  reject(error: Error): void;
}

const RESTART_MS = 500;

/** Path of the compiled worker: beside this file in dist, or in dist when this file runs from source. */
function workerFile(): string {
  const beside = join(__dirname, 'token-worker.js');
  return existsSync(beside) ? beside : join(__dirname, '../../../dist/kit/tokens/token-worker.js');
}

/**
 * Creates a token counter. With `warm` (default), the thread loads its vocabulary at once, otherwise with the first
 * text.
 */
export function createTokenCounter(
  logger: { warn(fields: object, message: string): void },
  { warm = true } = {},
): TokenCounter {
  const queue = createFairQueue<Job>(() => Date.now());
  let worker: Worker | undefined;
  let current: Job | undefined;
  let closed = false;
  let lastId = 0;

  function start(): void {
    const thread = new Worker(workerFile(), { env: {}, execArgv: [] });
    thread.unref();
    thread.on('message', ({ counts }: TokenReply) => {
      const done = current;
      current = undefined;
      thread.unref();
      done?.resolve(counts);
      dispatch();
    });
    thread.on('error', (error) => logger.warn({ err: error }, 'the token counter failed'));
    thread.on('exit', () => {
      worker = undefined;
      if (closed) return;
      // The text that was being counted is retried on a new thread.
      if (current) queue.unshift(current);
      current = undefined;
      setTimeout(() => dispatch(), RESTART_MS).unref();
    });
    worker = thread;
  }

  function dispatch(): void {
    if (closed || current) return;
    current = queue.shift(false);
    if (!current) return;
    if (!worker) start();
    worker?.ref();
    lastId += 1;
    worker?.postMessage({ id: lastId, texts: current.texts } satisfies TokenRequest);
  }

  if (warm) start();
  return {
    count(key, texts) {
      if (closed) return Promise.reject(new Error('the token counter is closed'));
      return new Promise((resolve, reject) => {
        queue.push({ key, heavy: false, texts, resolve, reject });
        dispatch();
      });
    },
    async close() {
      closed = true;
      for (const job of [...queue.drain(), ...(current ? [current] : [])]) {
        job.reject(new Error('the token counter is closed'));
      }
      await worker?.terminate();
    },
  };
}
