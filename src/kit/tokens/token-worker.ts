/**
 * Worker thread that counts tokens. Loading the vocabulary takes 0.3 s and 60 MB, and long texts take long to count.
 */
import { asBuffer, serveJobs } from '../threads/thread-jobs';
import { createO200kCounter } from './token-count';
import { countEach, createTokenTurns } from './token-turns';

export interface TokenRequest {
  /** Identifies the tenant. */
  key: string;
  texts: readonly (string | Uint8Array)[];
}

const TURN_MS = 5;
/**
 * After so much work without a pause, the thread rests as long as it works, so that long texts leave half a core to
 * others.
 */
const REST_AFTER_MS = 1_000;

const count = createO200kCounter();
const turns = createTokenTurns(TURN_MS);
let isBusy = false;

serveJobs<TokenRequest, number[]>(
  ({ key, texts }) =>
    new Promise((done) => {
      const length = texts.reduce((sum, text) => sum + text.length, 0);
      turns.add({ key, length, steps: () => countEach(texts.map(asText), count), done });
      if (!isBusy) work(performance.now());
    }),
);

/** Works turn by turn. Requests that arrive meanwhile join between two turns. */
function work(beganAt: number): void {
  isBusy = turns.turn();
  if (!isBusy) return;
  if (performance.now() - beganAt > REST_AFTER_MS) setTimeout(work, TURN_MS, beganAt);
  else setImmediate(work, beganAt);
}

function asText(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : asBuffer(text).toString('utf8');
}
