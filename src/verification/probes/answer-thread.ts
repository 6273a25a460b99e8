/**
 * Reads the answers to probes in a thread of a lower priority, one pass at a time. The detectors take about a second for an
 * agent with large answers, and probes run in the process of buyers' calls.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { AnswerReply, AnswerRequest } from './answer-worker';
import type { LiveResult, Observations } from './live-evidence';
import type { AnswerReader } from './live-testing';

export interface AnswerThread extends AnswerReader {
  close(): Promise<void>;
}

/** Every detector takes linear time: the largest answers of a pass take less than 20 s. The rest allows for a loaded machine. */
const DEADLINE_MS = 180_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

/** Path of the compiled worker: beside this file in dist, or in dist when this file runs from source. */
function workerFile(): string {
  const beside = join(__dirname, 'answer-worker.js');
  return existsSync(beside) ? beside : join(__dirname, '../../../dist/verification/probes/answer-worker.js');
}

/** The thread starts with the first answer. Its methods throw internal faults only. */
export function createAnswerThread({ deadlineMs = DEADLINE_MS } = {}): AnswerThread {
  let line: Promise<unknown> = Promise.resolve();
  let thread: Worker | undefined;
  let isClosed = false;

  function start(): Worker {
    const started = new Worker(workerFile(), { env: {}, execArgv: [], resourceLimits: RESOURCE_LIMITS });
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (thread === started) thread = undefined;
    });
    started.unref();
    return started;
  }

  /** The reply; undefined if the thread ended, or exceeded its deadline. */
  function ask(request: AnswerRequest, moved: ArrayBuffer[]): Promise<AnswerReply | undefined> {
    const mine = (thread ??= start());
    mine.ref();
    return new Promise((resolve) => {
      const end = (reply: AnswerReply | undefined) => {
        clearTimeout(deadline);
        mine.off('message', end).off('exit', gone);
        mine.unref();
        if (reply === undefined) {
          thread = undefined;
          void mine.terminate();
        }
        resolve(reply);
      };
      const gone = () => end(undefined);
      const deadline = setTimeout(gone, deadlineMs);
      mine.on('message', end).on('exit', gone);
      mine.postMessage(request, moved);
    });
  }

  async function run(request: AnswerRequest, moved: ArrayBuffer[] = []): Promise<boolean | LiveResult> {
    const mine = line.then(() => (isClosed ? undefined : ask(request, moved)));
    line = mine.catch(() => undefined);
    const reply = await mine;
    if (!reply) throw new Error('the thread that reads answers ended, or exceeded its deadline');
    if (!reply.ok) throw new Error(`answer worker: ${reply.fault}`);
    return reply.value;
  }

  return {
    saysWords: async (words, input, answer) => (await run({ op: 'words', words, input, answer })) === true,
    evidence: async (seen) => (await run({ op: 'evidence', seen }, buffersOf(seen))) as LiveResult,
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

/** The memory of the answers, to be moved instead of copied. Buffers of Node's shared pool stay. */
function buffersOf({ exchanges, attacks, expected }: Observations): ArrayBuffer[] {
  const all = [...exchanges, ...attacks.flatMap(({ exchange }) => exchange ?? []), ...expected];
  const whole = all.flatMap(({ answer }) =>
    answer?.byteOffset === 0 && answer.byteLength === answer.buffer.byteLength ? [answer.buffer] : [],
  );
  return [...new Set(whole as ArrayBuffer[])];
}
