/** One worker thread, its jobs, and how it ends. Only `TenantThreads` uses it. */
import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { JobReply, ThreadData } from './thread-jobs';
import { newThreadCell, stepOf, type ThreadCell, watchThreadTime } from './thread-time';

/** Why a job has no reply. */
export interface Loss {
  /** `deadline`: of the job, or of the step that it was in; `memory`: V8's limit; `ended`: the thread ended. */
  reason: 'deadline' | 'memory' | 'ended' | 'closed';
  /** The thread was in a step that has a limit of its own (`within`). */
  inStep: boolean;
  error?: Error;
}

export type Outcome<Reply> = { reply: Reply } | { fault: string } | Loss;

/** What a `ThreadKind` says about each of its threads. */
export interface ThreadTerms<Request> {
  /** In logs and errors: `<name> worker ended`. */
  name: string;
  /** Path of the compiled worker, which calls `serveJobs`. */
  script: string;
  /** Priority of the threads (docs/internals/queues.md#priorities); default: 10. 0: that of the process. */
  nice?: number;
  memory?: ResourceLimits;
  /** Processor time of a job, up to eight times as long in elapsed time; default: none. */
  deadlineMs?: number;
  /** Further time for the first job of a thread, which loads the worker. */
  startMs?: number;
  /** Logs the ends of threads, with what `logged` returns about a job that ended one. */
  logger?: { warn(fields: object, message: string): void };
  logged?: (request: Request) => object;
}

export interface Thread<Request, Reply> {
  jobs(): number;
  run(request: Request, moved: ArrayBuffer[]): Promise<Outcome<Reply>>;
  tell(request: Request): void;
  end(): Promise<void>;
}

/** Starts a thread without the environment of the process. It keeps the process running only while it has jobs. */
export function startThread<Request, Reply>(
  kind: ThreadTerms<Request>,
  onEnd: (thread: Thread<Request, Reply>, end: { reason: Loss['reason']; exited: Promise<void> }) => void,
): Thread<Request, Reply> {
  const cell = newThreadCell();
  const { name, script, nice = 10, memory, startMs = 0, deadlineMs = Infinity, logger } = kind;
  const worker = new Worker(script, {
    env: {},
    execArgv: [],
    workerData: { thread: cell, nice } satisfies ThreadData,
    ...(memory && { resourceLimits: memory }),
  });
  const open = new Map<number, { request: Request; resolve: (outcome: Outcome<Reply>) => void }>();
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  let lastId = 0;
  let isStopped = false;
  let failure: Error | undefined;
  let lost: object | undefined;

  function settle(id: number, outcome: Outcome<Reply>): void {
    const job = open.get(id);
    open.delete(id);
    if (open.size === 0) worker.unref();
    job?.resolve(outcome);
  }

  /** Fails the jobs at once. A thread that cannot be interrupted ends later. */
  function lose(reason: Loss['reason']): void {
    if (lost) return;
    onEnd(thread, { reason, exited });
    lost = { reason, ...[...open.values()].map(({ request }) => kind.logged?.(request))[0] };
    const inStep = stepOf(cell) !== 'none';
    for (const id of [...open.keys()]) settle(id, { reason, inStep, ...(failure && { error: failure }) });
  }

  const thread: Thread<Request, Reply> = {
    jobs: () => open.size,
    run(request, moved) {
      worker.ref();
      lastId += 1;
      const id = lastId;
      const limitMs = deadlineMs + (id === 1 ? startMs : 0);
      const stop = watch(cell, limitMs, () => {
        lose('deadline');
        void worker.terminate();
      });
      worker.postMessage({ id, request }, moved);
      return new Promise<Outcome<Reply>>((resolve) => open.set(id, { request, resolve })).finally(stop);
    },
    tell: (request) => worker.postMessage({ id: 0, request }),
    async end() {
      isStopped = true;
      await worker.terminate();
    },
  };

  worker.unref();
  worker.on('message', (message: JobReply<Reply>) => settle(message.id, message));
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', () => {
    lose(isOutOfMemory(failure) ? 'memory' : 'ended');
    if (!isStopped) logger?.warn({ ...lost, err: failure }, `${name} worker ended`);
  });
  return thread;
}

function isOutOfMemory(failure: Error | undefined): boolean {
  return failure !== undefined && 'code' in failure && failure.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** How often a job is looked at that may be in a step with a limit of its own. */
const LOOK_MS = 50;

/** Calls `onOver` once when the job, or a step of it, has used up its time. */
function watch(cell: ThreadCell, deadlineMs: number, onOver: () => void): () => void {
  if (deadlineMs === Infinity) return () => undefined;
  const isOver = watchThreadTime(cell);
  const beganAt = performance.now();
  const everyMs = Math.min(LOOK_MS, deadlineMs);
  const look = () => {
    if (stepOf(cell) === 'over' || isOver(performance.now() - beganAt, deadlineMs)) onOver();
    else timer = setTimeout(look, everyMs);
  };
  let timer = setTimeout(look, everyMs);
  return () => clearTimeout(timer);
}
