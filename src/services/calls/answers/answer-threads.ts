/**
 * Reads, hashes and rewrites answers of agents. Small ones are done at once, large ones in a thread of a lower
 * priority, in the turns of the tenants (docs/internals/bodies.md#answers).
 */
import { MarketError } from '../../../domain/errors';
import { createAskedThread, workerFile } from '../../../kit/concurrency/asked-threads';
import { createTenantTurns } from '../../../kit/concurrency/tenant-turns';
import {
  type AnswerKind,
  type AnswerOutcome,
  type AnswerResults,
  type AnswerTask,
  performAnswerTask,
} from './answer-task';
import type { AnswerRequest } from './answer-worker';

export interface AnswerThreads {
  /**
   * Performs a task in the tenant's turn; the bytes stay as they are. Throws `agent_error` as `performAnswerTask` does,
   * and `engine_unavailable` when the turn does not come, or when the thread has failed.
   */
  perform<K extends AnswerKind>(
    tenant: string,
    task: AnswerTask<K>,
    source: Buffer | string,
  ): Promise<AnswerResults[K]>;
  close(): Promise<void>;
}

/** Up to this size, an answer is read without the thread. */
const SMALL_LENGTH = 256 * 1024;
const PATIENCE_MS = 60_000;
/** The largest answer takes about 1 s. The rest allows for the start of the thread, and for a loaded machine. */
const DEADLINE_MS = 40_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };

export function createAnswerThreads({ smallLength = SMALL_LENGTH } = {}): AnswerThreads {
  const turns = createTenantTurns({ slots: 1, patienceMs: PATIENCE_MS, late: () => unavailable('too many') });
  const thread = createAskedThread<AnswerRequest, AnswerOutcome>({
    file: workerFile(__dirname, 'answer-worker.js'),
    resourceLimits: RESOURCE_LIMITS,
    deadlineMs: DEADLINE_MS,
  });

  function ask(task: AnswerTask, source: Buffer | string): Promise<AnswerOutcome | undefined> {
    if (typeof source === 'string') return thread.ask({ task, source });
    const copy = new Uint8Array(source);
    return thread.ask({ task, source: copy }, [copy.buffer]);
  }

  return {
    async perform<K extends AnswerKind>(tenant: string, task: AnswerTask<K>, source: Buffer | string) {
      if (source.length <= smallLength) return performAnswerTask(task, source);
      return resultOf(await turns.run(tenant, () => ask(task, source))) as AnswerResults[K];
    },
    close: () => thread.close(),
  };
}

function resultOf(outcome: AnswerOutcome | undefined): unknown {
  if (!outcome) throw unavailable('the thread ended');
  if (!outcome.ok) {
    if ('fault' in outcome) throw new Error(`answer worker: ${outcome.fault}`);
    throw new MarketError(outcome.code, { cause: new Error(outcome.reason) });
  }
  const { value } = outcome;
  if (typeof value !== 'object' || value === null || !('json' in value)) return value;
  const { buffer, byteOffset, byteLength } = value.json as Uint8Array;
  return { ...value, json: Buffer.from(buffer, byteOffset, byteLength) };
}

function unavailable(reason: string): Error {
  return new MarketError('engine_unavailable', { cause: new Error(`large answers: ${reason}`) });
}
