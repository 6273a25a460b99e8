/**
 * Reads the answers to probes in threads of a lower priority, because probes run in the process of buyers' calls.
 * Developers take turns, one pass of each at once. Answers are attacker-controlled: reading that exceeds its deadline,
 * or ends, is evidence and no fault, so the calls are not made again.
 */
import type { GapCode } from '../../domain/evidence/evidence-facts';
import { createTenantThreads, type ThreadKind } from '../../kit/threads/tenant-threads';
import { ownMemory } from '../../kit/threads/thread-jobs';
import { workerFile } from '../../kit/threads/worker-file';
import type { AnswerReply, AnswerRequest } from './answer-worker';
import {
  type AnswerReader,
  type LiveResults,
  type Observations,
  unreadEvidence,
  withoutAnswers,
} from './live-evidence';

export interface AnswerThread {
  /** The reader for answers of agents of one developer. Its methods throw faults of the service only. */
  of(developer: string): AnswerReader;
  close(): Promise<void>;
}

const PROBE_ANSWERS: ThreadKind<AnswerRequest, AnswerReply | undefined> = {
  name: 'answers to probes',
  script: workerFile(__dirname, 'answer-worker.js'),
  // Passes that are read at once, of different developers.
  threads: 2,
  memory: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
  // Every detector takes linear time: ordinary passes take less than a second, the largest some.
  deadlineMs: 20_000,
  turns: {
    mostRunning: 1,
    patienceMs: 10 * 60_000,
    late: () => new Error('answers to probes waited too long for a thread that reads them'),
  },
  // Evidence: what the answers say is not known.
  lost: ({ reason }) => {
    if (reason === 'closed') throw new Error('the threads that read answers have ended');
    return undefined;
  },
};

/** A thread starts with the first answer. */
export function createAnswerThread({ deadlineMs = PROBE_ANSWERS.deadlineMs ?? 0 } = {}): AnswerThread {
  const threads = createTenantThreads({ ...PROBE_ANSWERS, deadlineMs });
  return {
    of: (developer) => ({
      async saysWords(words, input, answer) {
        const reply = await threads.ask(developer, { op: 'words', words, input, answer });
        return reply?.ok === true && reply.value === true;
      },
      async evidence(stage, seen) {
        const unread = (why: GapCode) => unreadEvidence(stage, blank, sizes, why);
        const { blank, sizes } = withoutAnswers(seen);
        const reply = await threads.ask(developer, { op: 'evidence', stage, seen }, memoryOf(seen));
        if (!reply) return unread('too_slow');
        return reply.ok ? (reply.value as LiveResults[typeof stage]) : unread('reader_ended');
      },
    }),
    close: threads.close,
  };
}

/** The memory of the answers, to be moved instead of copied. */
function memoryOf({ exchanges, attacks, expected, repeats }: Observations): ArrayBuffer[] {
  const all = [...exchanges, ...attacks.flatMap(({ exchange }) => exchange ?? []), ...expected, ...repeats];
  return [...new Set(all.flatMap(({ answer }) => (answer ? ownMemory(answer) : [])))];
}
