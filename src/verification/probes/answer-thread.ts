/**
 * Reads the answers to probes in a thread of a lower priority, one pass at a time. The detectors take about a second for an
 * agent with large answers, and probes run in the process of buyers' calls.
 */
import { createAskedThread, ownMemory, workerFile } from '../../kit/concurrency/asked-threads';
import type { AnswerReply, AnswerRequest } from './answer-worker';
import type { LiveResult, Observations } from './live-evidence';
import type { AnswerReader } from './live-testing';

export interface AnswerThread extends AnswerReader {
  close(): Promise<void>;
}

/** Every detector takes linear time: the largest answers of a pass take less than 20 s. The rest allows for a loaded machine. */
const DEADLINE_MS = 180_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

/** The thread starts with the first answer. Its methods throw internal faults only. */
export function createAnswerThread({ deadlineMs = DEADLINE_MS } = {}): AnswerThread {
  let line: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const thread = createAskedThread<AnswerRequest, AnswerReply>({
    file: workerFile(__dirname, 'answer-worker.js'),
    resourceLimits: RESOURCE_LIMITS,
    deadlineMs,
  });

  async function run(request: AnswerRequest, moved: ArrayBuffer[] = []): Promise<boolean | LiveResult> {
    const mine = line.then(() => (isClosed ? undefined : thread.ask(request, moved)));
    line = mine.catch(() => undefined);
    const reply = await mine;
    if (!reply) throw new Error('the thread that reads answers ended, or exceeded its deadline');
    if (!reply.ok) throw new Error(`answer worker: ${reply.fault}`);
    return reply.value;
  }

  return {
    saysWords: async (words, input, answer) => (await run({ op: 'words', words, input, answer })) === true,
    evidence: async (seen) => (await run({ op: 'evidence', seen }, memoryOf(seen))) as LiveResult,
    async close() {
      isClosed = true;
      await thread.close();
    },
  };
}

/** The memory of the answers, to be moved instead of copied. */
function memoryOf({ exchanges, attacks, expected, repeats }: Observations): ArrayBuffer[] {
  const all = [...exchanges, ...attacks.flatMap(({ exchange }) => exchange ?? []), ...expected, ...repeats];
  return [...new Set(all.flatMap(({ answer }) => (answer ? ownMemory(answer) : [])))];
}
