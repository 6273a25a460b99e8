/**
 * Worker threads for work that tenants ask for. Work of a tenant waits for its turn (`tenant-turns.ts`), has a deadline
 * in processor time, and runs in the process if it is small. Each kind of thread is a row (`ThreadKind`): its script,
 * its bounds, and what it means that a job was lost because its thread ended or exceeded the deadline
 * (docs/internals/queues.md#kinds-of-threads). No other file starts threads.
 */
import { createTenantTurns, type TenantTurns, type TurnOptions } from '../concurrency/tenant-turns';
import { type Loss, type Outcome, startThread, type Thread, type ThreadTerms } from './worker-thread';

export type { Loss };

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

export interface ThreadKind<Request, Reply> extends ThreadTerms<Request> {
  threads: number;
  /** Jobs that a thread has at once; default: one. A thread that takes turns itself has all of them. */
  jobsAtOnce?: number;
  /** How tenants wait for their turns. */
  turns: Omit<TurnOptions, 'slots'>;
  inline?: InlineBounds;
  /** Runs in the turn of a job behind it, such as a rest. */
  after?: (tookMs: number) => Promise<unknown>;
  /** What a lost job means: the reply in its place, an error, or the same job once more (`again`). */
  lost: (loss: Loss, request: Request, again: () => Promise<Reply>) => Reply | Promise<Reply>;
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
  /** Like `ask`, but leaves the job out, and resolves with undefined, if `unless` is true in its turn. */
  askUnless(tenant: string, request: Request, unless: () => boolean): Promise<Reply | undefined>;
  /** Begins jobs that need the same thread, which holds state for them; the kind has one thread. */
  session(tenant: string): ThreadSession<Request, Reply>;
  /** Starts a thread before there is work, and in place of one that exceeded its limits. */
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

export function createTenantThreads<Request, Reply>(
  kind: ThreadKind<Request, Reply>,
): TenantThreads<Request, Reply> {
  const turns = createTenantTurns({ ...kind.turns, slots: kind.threads * (kind.jobsAtOnce ?? 1) });
  const roster = createRoster<Request, Reply>(kind);
  let isClosed = false;

  function perform(request: Request, post: () => Promise<Outcome<Reply>>): Promise<Reply> {
    const once = async (): Promise<Reply> => {
      const outcome = isClosed ? closedLoss() : await post();
      if ('reply' in outcome) return outcome.reply;
      if ('fault' in outcome) throw new Error(`${kind.name} worker: ${outcome.fault}`);
      return kind.lost(isClosed ? { ...outcome, reason: 'closed' } : outcome, request, once);
    };
    return withRest(once, kind.after);
  }

  const inThread = (request: Request, moved: ArrayBuffer[] = []) =>
    perform(request, () => roster.pick((thread) => thread.run(request, moved)));

  return {
    recentMs: turns.recentMs,
    charge: turns.charge,
    othersWait: turns.othersWait,
    inline: createInline(kind.inline, turns),
    ask: (tenant, request, moved = []) => turns.run(tenant, () => inThread(request, moved)),
    askUnless: (tenant, request, unless) =>
      turns.run(tenant, () => (unless() ? Promise.resolve(undefined) : inThread(request))),
    session(tenant) {
      let mine: Thread<Request, Reply> | undefined;
      const run = async (request: Request) => {
        mine ??= await roster.pick((thread) => thread);
        return roster.has(mine) ? mine.run(request, []) : endedLoss();
      };
      return {
        ask: (request) => turns.run(tenant, () => perform(request, () => run(request))),
        tell: (request) => void (mine && roster.has(mine) && mine.tell(request)),
      };
    },
    warm: roster.warm,
    async close() {
      isClosed = true;
      await roster.end();
    },
  };
}

async function withRest<T>(work: () => Promise<T>, rest?: (tookMs: number) => Promise<unknown>): Promise<T> {
  const beganAt = performance.now();
  try {
    return await work();
  } finally {
    await rest?.(performance.now() - beganAt);
  }
}

/** The running threads of a kind. They start when there is work. */
function createRoster<Request, Reply>(kind: ThreadKind<Request, Reply>) {
  const threads = new Set<Thread<Request, Reply>>();
  /** Threads that were ended, and may still run code that cannot be interrupted. */
  const ending = new Set<Promise<void>>();
  let isWarm = false;

  function warm(): void {
    isWarm = true;
    if (threads.size === 0) start();
  }

  function start(): Thread<Request, Reply> {
    const thread = startThread<Request, Reply>(kind, (ended, { reason, exited }) => {
      threads.delete(ended);
      ending.add(exited);
      void exited.then(() => {
        ending.delete(exited);
        if (isWarm && (reason === 'deadline' || reason === 'memory')) warm();
      });
    });
    threads.add(thread);
    return thread;
  }

  /** Undefined while as many ended threads still run as the kind has threads. */
  function idlest(): Thread<Request, Reply> | undefined {
    const [first] = [...threads].sort((a, b) => a.jobs() - b.jobs());
    if (first && (first.jobs() === 0 || threads.size >= kind.threads)) return first;
    return ending.size < kind.threads ? start() : undefined;
  }

  return {
    has: (thread: Thread<Request, Reply>) => threads.has(thread),
    /** Gives `use` the thread with the fewest jobs; a new one while there is none without jobs. */
    async pick<T>(use: (thread: Thread<Request, Reply>) => T | Promise<T>): Promise<T> {
      for (;;) {
        const thread = idlest();
        if (thread) return use(thread);
        await Promise.race(ending);
      }
    },
    warm,
    end() {
      isWarm = false;
      return Promise.all([...threads].map((thread) => thread.end()));
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
