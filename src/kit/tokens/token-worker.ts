/**
 * Worker thread that counts tokens. Loading the vocabulary takes 0.3 s and 60 MB, and long texts take long to count.
 */
import { parentPort } from 'node:worker_threads';
import { createO200kCounter } from './token-count';

export interface TokenRequest {
  id: number;
  texts: readonly (string | Uint8Array)[];
}

export interface TokenReply {
  id: number;
  counts: number[];
}

const count = createO200kCounter();

parentPort?.on('message', ({ id, texts }: TokenRequest) => {
  const counts = texts.map((text) =>
    count(typeof text === 'string' ? text : Buffer.from(text).toString('utf8')),
  );
  parentPort?.postMessage({ id, counts } satisfies TokenReply);
});
