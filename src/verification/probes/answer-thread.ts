/**
 * Reads the answers to probes in threads of a lower priority, because probes run in the process of buyers' calls.
 * Developers take turns, one pass of each at once. Answers are attacker-controlled: reading that exceeds its deadline,
 * or ends, is evidence and no fault, so the calls are not made again.
 */
import type { GapCode } from '../../domain/evidence/evidence-facts';
import { createAskedThread, ownMemory, workerFile } from '../../kit/concurrency/asked-threads';
import { createTenantTurns } from '../../kit/concurrency/tenant-turns';
import type { AnswerReply, AnswerRequest } from './answer-worker';
import { type LiveResults, type Observations, unreadEvidence, withoutAnswers } from './live-evidence';
import type { AnswerReader } from './live-testing';

export interface AnswerThread {
  /** The reader for answers of agents of one developer. Its methods throw faults of the service only. */
  of(developer: string): AnswerReader;
  close(): Promise<void>;
}

/** In processor time. Every detector takes linear time: ordinary passes take less than a second, the largest some. */
const DEADLINE_MS = 20_000;
/** Passes that are read at once, of different developers. */
const THREADS = 2;
const PATIENCE_MS = 10 * 60_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

/** A thread starts with the first answer. */
export function createAnswerThread({ deadlineMs = DEADLINE_MS } = {}): AnswerThread {
  let isClosed = false;
  const turns = createTenantTurns({
    slots: THREADS,
    mostRunning: 1,
    patienceMs: PATIENCE_MS,
    late: () => new Error('answers to probes waited too long for a thread that reads them'),
  });
  const idle = Array.from({ length: THREADS }, () =>
    createAskedThread<AnswerRequest, AnswerReply>({
      file: workerFile(__dirname, 'answer-worker.js'),
      resourceLimits: RESOURCE_LIMITS,
      deadlineMs,
    }),
  );
  const threads = [...idle];

  function run(
    developer: string,
    request: AnswerRequest,
    moved: ArrayBuffer[] = [],
  ): Promise<AnswerReply | undefined> {
    return turns.run(developer, async () => {
      const thread = idle.pop();
      if (isClosed || !thread) throw new Error('the threads that read answers have ended');
      try {
        const reply = await thread.ask(request, moved);
        if (isClosed) throw new Error('the threads that read answers have ended');
        return reply;
      } finally {
        idle.push(thread);
      }
    });
  }

  return {
    of: (developer) => ({
      async saysWords(words, input, answer) {
        const reply = await run(developer, { op: 'words', words, input, answer });
        return reply?.ok === true && reply.value === true;
      },
      async evidence(stage, seen) {
        const unread = (why: GapCode) => unreadEvidence(stage, blank, sizes, why);
        const { blank, sizes } = withoutAnswers(seen);
        const reply = await run(developer, { op: 'evidence', stage, seen }, memoryOf(seen));
        if (!reply) return unread('too_slow');
        return reply.ok ? (reply.value as LiveResults[typeof stage]) : unread('reader_ended');
      },
    }),
    async close() {
      isClosed = true;
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** The memory of the answers, to be moved instead of copied. */
function memoryOf({ exchanges, attacks, expected, repeats }: Observations): ArrayBuffer[] {
  const all = [...exchanges, ...attacks.flatMap(({ exchange }) => exchange ?? []), ...expected, ...repeats];
  return [...new Set(all.flatMap(({ answer }) => (answer ? ownMemory(answer) : [])))];
}
