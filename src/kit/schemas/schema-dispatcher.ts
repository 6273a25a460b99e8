/**
 * Dispatches work to threads, one task per thread, in the order of the fair queue. A thread that ends fails only its
 * own task and is replaced. Of several threads, the slow one performs all slow work, with a lower priority, and helps
 * the others when they are busy (docs/internals/queues.md#priorities).
 */
import type { SchemaReply } from './schema-protocol';
import { createFairQueue } from './schema-queue';
import { startSchemaThread, type SchemaThread, type ThreadEnd, type ThreadRequest } from './schema-thread';

export type Outcome =
  { kind: 'reply'; reply: SchemaReply } | { kind: 'ended'; reason: 'deadline' | 'memory' };

export interface DispatcherOptions {
  size: number;
  deadlineMs: number;
  /** Starts all threads at once; otherwise each starts when there is work and all others are busy. */
  warm: boolean;
  logger: { warn(fields: object, message: string): void };
}

interface Job {
  key: string;
  heavy: boolean;
  request: ThreadRequest;
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/** Delay before a thread that failed to start is started again. */
const RESTART_MS = 1_000;

export function createSchemaDispatcher({ size, deadlineMs, warm, logger }: DispatcherOptions) {
  const queue = createFairQueue<Job>(() => Date.now());
  const threads = new Set<SchemaThread>();
  const busy = createBusyThreads(queue);
  let closed = false;

  /** Starts a missing thread: the slow one if it is wanted or the only one that is missing. */
  function spawn(wantsSlow = false): void {
    if (closed || threads.size >= size) return;
    const isSlow = size > 1 && !hasSlow(threads) && (wantsSlow || threads.size === size - 1);
    threads.add(startSchemaThread({ deadlineMs, isSlow, onReady: dispatch, onOverrun, onReply, onEnd }));
  }

  function dispatch(): void {
    for (const thread of slowLast(threads)) {
      const job = thread.ready && !busy.has(thread) && queue.shift(size > 1 && !thread.isSlow);
      if (!job) continue;
      busy.begin(thread, job);
      thread.run(job.request);
    }
  }

  function onReply(thread: SchemaThread, reply: SchemaReply): void {
    const job = busy.end(thread);
    if (job && reply.kind === 'schema_needed') queue.unshift(job);
    else if (job && reply.kind === 'fault') job.reject(new Error(`schema worker: ${reply.message}`));
    else job?.resolve({ kind: 'reply', reply });
    dispatch();
  }

  /** The thread stays busy until it has ended. Work of the same key that waits has become slow. */
  function onOverrun(thread: SchemaThread): void {
    settle(queue, busy.get(thread), { reason: 'deadline', started: true });
    if (!hasSlow(threads)) spawn(true);
  }

  function onEnd(thread: SchemaThread, end: ThreadEnd): void {
    threads.delete(thread);
    const job = busy.end(thread);
    if (closed) return job?.reject(closedError());
    logger.warn({ schemaKey: job?.key, reason: end.reason, err: end.error }, 'schema worker ended');
    settle(queue, job, end);
    if (end.started) return spawn(thread.isSlow || !hasSlow(threads));
    if (threads.size === 0) for (const waiting of queue.drain()) waiting.reject(faultOf(end));
    setTimeout(() => spawn(thread.isSlow), RESTART_MS).unref();
  }

  if (warm) for (let count = 0; count < size; count += 1) spawn();

  return {
    /** Runs a request. `key`: its line in the queue; `heavy`: runs one at a time. Rejects for internal faults only. */
    submit(key: string, heavy: boolean, request: ThreadRequest): Promise<Outcome> {
      if (closed) return Promise.reject(closedError());
      return new Promise((resolve, reject) => {
        const job = { key, heavy, request, resolve, reject };
        queue.push(job);
        if (queue.isSlow(job) && !hasSlow(threads)) spawn(true);
        else if (busy.size() === threads.size) spawn();
        dispatch();
      });
    },

    /** Terminates the threads and rejects waiting work. */
    async close(): Promise<void> {
      closed = true;
      for (const job of queue.drain()) job.reject(closedError());
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

const hasSlow = (threads: Iterable<SchemaThread>) => [...threads].some(({ isSlow }) => isSlow);

const slowLast = (threads: Iterable<SchemaThread>) =>
  [...threads].sort((a, b) => Number(a.isSlow) - Number(b.isSlow));

/** The jobs of the threads. The time of heavy ones is charged. */
function createBusyThreads(queue: { charge(key: string, ms: number): void }) {
  const busy = new Map<SchemaThread, { job: Job; beganAt: number }>();
  return {
    has: (thread: SchemaThread) => busy.has(thread),
    get: (thread: SchemaThread) => busy.get(thread)?.job,
    size: () => busy.size,
    begin: (thread: SchemaThread, job: Job) => void busy.set(thread, { job, beganAt: Date.now() }),
    end(thread: SchemaThread): Job | undefined {
      const ended = busy.get(thread);
      busy.delete(thread);
      if (ended?.job.heavy) queue.charge(ended.job.key, Date.now() - ended.beganAt);
      return ended?.job;
    },
  };
}

/** Fails the request of a thread that has ended, or that has exceeded its limit and will end. */
function settle(queue: { markSlow(key: string): void }, job: Job | undefined, end: ThreadEnd): void {
  if (!job || end.reason === 'fault') return job?.reject(faultOf(end));
  queue.markSlow(job.key);
  job.resolve({ kind: 'ended', reason: end.reason });
}

function closedError(): Error {
  return new Error('the schema pool is closed');
}

function faultOf({ error }: ThreadEnd): Error {
  return new Error('the schema worker ended', { cause: error });
}
