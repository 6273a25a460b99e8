/**
 * Worker threads for work that tenants ask for. Work of a tenant waits for its turn (`tenant-turns.ts`), has a deadline
 * in processor time, and runs in the process if it is small. Each kind of thread is a row (`ThreadKind`): its script,
 * its bounds, and what it means that a job was lost because its thread ended or exceeded the deadline
 * (docs/internals/queues.md#kinds-of-threads). No other file starts threads.
 */
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { createTenantTurns, type TenantTurns, type TurnOptions } from '../concurrency/tenant-turns';
import type { JobReply } from './thread-jobs';
import { newThreadCell, stepOf, type ThreadCell, watchThreadTime } from './thread-time';

/** Why a job has no reply. */
export interface Loss {
  /** `deadline`: of the job, or of the step that it was in; `memory`: V8's limit; `ended`: the thread ended. */
  reason: 'deadline' | 'memory' | 'ended' | 'closed';
  /** The thread was in a step that has a limit of its own (`within`). */
  inStep: boolean;
  error?: Error;
}

/** What is done in the process, because a thread would cost more. */
export interface InlineBounds {
  /** Up to this length, if the tenant used little time lately. */
  length: number;
  /** Up to this length, whatever the tenant used; default: none. */
  tinyLength?: number;
  /** A tenant with this much recent time does not block the process any more; default: any time. */
  heavyMs?: number;
  /** Measures and charges inline work; default: it is not charged. */
  clock?: () => number;
}

export interface ThreadKind<Request, Reply> {
  /** In logs and errors, such as `bodies`. */
  name: string;
  /** Path of the compiled worker, which calls `serveJobs`. */
  script: string;
  threads: number;
  /** Jobs that a thread has at once; default: one. A thread that takes turns itself has all of them. */
  jobsAtOnce?: number;
  memory?: ResourceLimits;
  /** Processor time of a job, up to eight times as long in elapsed time; default: none. */
  deadlineMs?: number;
  /** Further time for the first job of a thread, which loads the worker. */
  startMs?: number;
  /** How tenants wait for their turns. */
  turns: Omit<TurnOptions, 'slots'>;
  inline?: InlineBounds;
  /** Runs in the turn of a job behind it, such as a rest. */
  after?: (tookMs: number) => Promise<unknown>;
  /** What a lost job means: the reply in its place, an error, or the same job once more (`again`). */
  lost: (loss: Loss, request: Request, again: () => Promise<Reply>) => Reply | Promise<Reply>;
  logger?: { warn(fields: object, message: string): void };
}

export interface TenantThreads<Request, Reply> extends Pick<
  TenantTurns,
  'recentMs' | 'charge' | 'othersWait'
> {
  /** Does work of this length in the process, if the bounds allow that. Returns undefined if a thread has to. */
  inline<T>(tenant: string, length: number, work: () => T): { value: T } | undefined;
  /**
   * Performs a job in a thread, in the turn of the tenant. `moved`: memory of the request that is moved, not copied.
   * Rejects when the turn does not come, when the worker threw, and as the kind's `lost` says.
   */
  ask(tenant: string, request: Request, moved?: ArrayBuffer[]): Promise<Reply>;
  /** Begins jobs that need the same thread, which holds state for them; the kind has one thread. */
  session(tenant: string): ThreadSession<Request, Reply>;
  /** Starts the threads before there is work. */
  warm(): void;
  /** Ends the threads. Their jobs are lost. */
  close(): Promise<void>;
}

export interface ThreadSession<Request, Reply> {
  /** Like `TenantThreads.ask`. The job is lost when the thread of the first one has ended. */
  ask(request: Request): Promise<Reply>;
  /** Sends a message without a reply, if the thread of the first job still runs. */
  tell(request: Request): void;
}

type Outcome<Reply> = { reply: Reply } | { fault: string } | Loss;

export function createTenantThreads<Request, Reply>(
  kind: ThreadKind<Request, Reply>,
): TenantThreads<Request, Reply> {
  const { threads: size, jobsAtOnce = 1 } = kind;
  const turns = createTenantTurns({ ...kind.turns, slots: size * jobsAtOnce });
  const threads = new Set<Thread<Request, Reply>>();
  let isClosed = false;

  function start(): Thread<Request, Reply> {
    const thread = startThread(kind, (started) => threads.delete(started));
    threads.add(thread);
    return thread;
  }

  /** The thread with the fewest jobs; a new one while there is none without jobs. */
  function next(): Thread<Request, Reply> {
    const [idlest] = [...threads].sort((a, b) => a.jobs() - b.jobs());
    return idlest && (idlest.jobs() === 0 || threads.size >= size) ? idlest : start();
  }

  function inTurn(
    tenant: string,
    request: Request,
    post: () => Promise<Outcome<Reply>> | Loss,
  ): Promise<Reply> {
    const once = async (): Promise<Reply> => {
      const outcome = isClosed ? closedLoss() : await post();
      if ('reply' in outcome) return outcome.reply;
      if ('fault' in outcome) throw new Error(`${kind.name} worker: ${outcome.fault}`);
      return kind.lost(isClosed ? { ...outcome, reason: 'closed' } : outcome, request, once);
    };
    return turns.run(tenant, async () => {
      const beganAt = performance.now();
      try {
        return await once();
      } finally {
        await kind.after?.(performance.now() - beganAt);
      }
    });
  }

  return {
    recentMs: turns.recentMs,
    charge: turns.charge,
    othersWait: turns.othersWait,
    inline: createInline(kind.inline, turns),
    ask: (tenant, request, moved = []) => inTurn(tenant, request, () => next().run(request, moved)),
    session(tenant) {
      let mine: Thread<Request, Reply> | undefined;
      const run = (request: Request) => {
        mine ??= next();
        return threads.has(mine) ? mine.run(request, []) : endedLoss();
      };
      return {
        ask: (request) => inTurn(tenant, request, () => run(request)),
        tell: (request) => void (mine && threads.has(mine) && mine.tell(request)),
      };
    },
    warm() {
      while (threads.size < size) start();
    },
    async close() {
      isClosed = true;
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

/** Without bounds, nothing is done in the process. */
function createInline(
  { length: most, tinyLength = -1, heavyMs = Infinity, clock }: InlineBounds = { length: -1 },
  { recentMs, charge }: Pick<TenantTurns, 'recentMs' | 'charge'>,
) {
  return <T>(tenant: string, length: number, work: () => T): { value: T } | undefined => {
    if (length > most || (length > tinyLength && recentMs(tenant) >= heavyMs)) return undefined;
    if (!clock) return { value: work() };
    const beganAt = clock();
    try {
      return { value: work() };
    } finally {
      charge(tenant, clock() - beganAt);
    }
  };
}

const closedLoss = (): Loss => ({ reason: 'closed', inStep: false });
const endedLoss = (): Loss => ({ reason: 'ended', inStep: false });

interface Thread<Request, Reply> {
  jobs(): number;
  run(request: Request, moved: ArrayBuffer[]): Promise<Outcome<Reply>>;
  tell(request: Request): void;
  end(): Promise<void>;
}

/** Starts a thread without the environment of the process. It keeps the process running only while it has jobs. */
function startThread<Request, Reply>(
  kind: ThreadKind<Request, Reply>,
  onEnd: (thread: Thread<Request, Reply>) => void,
): Thread<Request, Reply> {
  const cell = newThreadCell();
  const { script, memory, startMs = 0, deadlineMs = Infinity } = kind;
  const worker = new Worker(script, {
    env: {},
    execArgv: [],
    workerData: { thread: cell },
    ...(memory && { resourceLimits: memory }),
  });
  const open = new Map<number, (outcome: Outcome<Reply>) => void>();
  let lastId = 0;
  let failure: Error | undefined;

  function settle(id: number, outcome: Outcome<Reply>): void {
    const resolve = open.get(id);
    open.delete(id);
    if (open.size === 0) worker.unref();
    resolve?.(outcome);
  }

  /** Fails the jobs at once. A thread that cannot be interrupted ends later. */
  function lose(reason: Loss['reason']): void {
    onEnd(thread);
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
      return new Promise<Outcome<Reply>>((resolve) => open.set(id, resolve)).finally(stop);
    },
    tell: (request) => worker.postMessage({ id: 0, request }),
    async end() {
      await worker.terminate();
    },
  };

  worker.unref();
  worker.on('message', (message: JobReply<Reply>) => settle(message.id, message));
  worker.on('error', (error: Error) => {
    failure = error;
    kind.logger?.warn({ err: error }, `the ${kind.name} worker failed`);
  });
  worker.on('exit', () => lose(isOutOfMemory(failure) ? 'memory' : 'ended'));
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
