/**
 * Worker thread that counts tokens. Loading the vocabulary takes 0.3 s and 60 MB, and long texts take long to count.
 */
import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../threads/thread-priority';
import { createO200kCounter } from './token-count';
import { countEach, createTokenTurns } from './token-turns';

export interface TokenRequest {
  id: number;
  /** Identifies the tenant. */
  key: string;
  texts: readonly (string | Uint8Array)[];
}

export interface TokenReply {
  id: number;
  counts: number[];
}

const TURN_MS = 5;
/**
 * After so much work without a pause, the thread rests as long as it works, so that long texts leave half a core to
 * others.
 */
const REST_AFTER_MS = 1_000;

// Not as low as that of other threads: calls wait for it with their bodies, so a slower count needs more memory
// (test/long/memory.test.ts).
lowerThreadPriority(5);
const count = createO200kCounter();
const turns = createTokenTurns(TURN_MS, (id, counts) => {
  parentPort?.postMessage({ id, counts } satisfies TokenReply);
});
let isBusy = false;

parentPort?.on('message', ({ id, key, texts }: TokenRequest) => {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  turns.add({ id, key, length, steps: () => countEach(texts.map(asText), count) });
  if (!isBusy) work(performance.now());
});

/** Works turn by turn. Requests that arrive meanwhile join between two turns. */
function work(beganAt: number): void {
  isBusy = turns.turn();
  if (!isBusy) return;
  if (performance.now() - beganAt > REST_AFTER_MS) setTimeout(work, TURN_MS, beganAt);
  else setImmediate(work, beganAt);
}

function asText(text: string | Uint8Array): string {
  return typeof text === 'string'
    ? text
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('utf8');
}
