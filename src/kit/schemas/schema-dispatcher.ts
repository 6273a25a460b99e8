/**
 * Dispatches work to threads, one task per thread, in the order of the fair queue. A thread that ends fails only its
 * own task and is replaced.
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

  function spawn(): void {
    if (!closed && threads.size < size) {
      threads.add(startSchemaThread({ deadlineMs, onReady: dispatch, onOverrun, onReply, onEnd }));
    }
  }

  function dispatch(): void {
    for (const thread of threads) {
      if (!thread.ready || busy.has(thread)) continue;
      const slowLaneBusy = size > 1 && busy.jobs().some(queue.isSlow);
      const job = queue.shift(slowLaneBusy);
      if (!job) return;
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

  /** The thread stays busy until it has ended, so that its work counts as slow. */
  const onOverrun = (thread: SchemaThread) =>
    settle(queue, busy.get(thread), { reason: 'deadline', started: true });

  function onEnd(thread: SchemaThread, end: ThreadEnd): void {
    threads.delete(thread);
    const job = busy.end(thread);
    if (closed) return job?.reject(closedError());
    logger.warn({ schemaKey: job?.key, reason: end.reason, err: end.error }, 'schema worker ended');
    settle(queue, job, end);
    if (end.started) return spawn();
    if (threads.size === 0) for (const waiting of queue.drain()) waiting.reject(faultOf(end));
    setTimeout(spawn, RESTART_MS).unref();
  }

  if (warm) for (let count = 0; count < size; count += 1) spawn();

  return {
    /** Runs a request. `key`: its line in the queue; `heavy`: runs one at a time. Rejects for internal faults only. */
    submit(key: string, heavy: boolean, request: ThreadRequest): Promise<Outcome> {
      if (closed) return Promise.reject(closedError());
      return new Promise((resolve, reject) => {
        queue.push({ key, heavy, request, resolve, reject });
        if (busy.jobs().length === threads.size) spawn();
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

/** The jobs of the threads. The time of heavy ones is charged. */
function createBusyThreads(queue: { charge(key: string, ms: number): void }) {
  const busy = new Map<SchemaThread, { job: Job; beganAt: number }>();
  return {
    has: (thread: SchemaThread) => busy.has(thread),
    get: (thread: SchemaThread) => busy.get(thread)?.job,
    jobs: () => [...busy.values()].map(({ job }) => job),
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
