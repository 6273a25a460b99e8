/**
 * Child processes that read attacker-controlled files. V8 aborts the whole process when it cannot allocate, and no
 * `try` catches that, so a thread is not enough: the process that moves money must not end because of a file.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessLimits {
  /** Heap of V8. */
  heapMb: number;
  /**
   * All private memory of the process, with buffers and native allocations, without what V8 reserves for code (Linux).
   */
  memoryMb: number;
  /** Counts all threads of the process. */
  processorSeconds: number;
  /** Elapsed time from the start of the work. It ends a process that gets no processor, and one that waits. */
  deadlineMs: number;
  /** Elapsed time until the process is ready to work; default: a minute. */
  startMs?: number;
}

/**
 * How a process ended: `done` by itself, `slow` by its deadline, which a busy machine may cause, `spent` by the limit
 * of its processor time, `ended` by its input in any other way.
 */
export type ProcessEnd = 'done' | 'slow' | 'spent' | 'ended';

/** Messages of the child: first `ready`, then parts of its result, then `done`. */
type FromChild<Part> = { kind: 'ready' } | { kind: 'part'; part: Part } | { kind: 'done' };

/** Signals that someone sends to end the service. They say nothing about the input. */
const OF_OPERATORS: ReadonlySet<NodeJS.Signals> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);
/** More than V8's default (1 MB) and less than the usual stack of a process (8 MB). */
const STACK_KB = 3_900;
const START_DEADLINE_MS = 60_000;

/**
 * Runs the compiled module `file` with the work in a process of its own and hands over the parts of its result as they
 * arrive. The process has no environment, writes no file, and runs with a lower priority. Throws for faults of the
 * service only: a process that could not start, or that an operator or the signal ended.
 */
export async function runLimited<Work, Part>(
  file: string,
  work: Work,
  { limits, signal, onPart }: { limits: ProcessLimits; signal: AbortSignal; onPart(part: Part): void },
): Promise<ProcessEnd> {
  signal.throwIfAborted();
  const child = startLimited(file, limits);
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  const timers = new AbortController();
  let state = 'starting' as State;
  /** Ends the process that is still in the given state by then. */
  const endAfter = async (ms: number, during: State) => {
    await sleep(ms, undefined, { signal: timers.signal, ref: false });
    if (state !== during) return;
    if (during === 'working') state = 'late';
    stop();
  };
  const endLater = (ms: number, during: State) => void endAfter(ms, during).catch(() => undefined);
  try {
    endLater(limits.startMs ?? START_DEADLINE_MS, 'starting');
    const ended = endOf(child);
    child.on('message', (message: FromChild<Part>) => {
      if (message.kind === 'ready') {
        state = 'working';
        endLater(limits.deadlineMs, 'working');
        child.send(work as object, () => undefined);
      } else if (message.kind === 'part') onPart(message.part);
      else {
        state = 'done';
        stop();
      }
    });
    const how = await ended;
    signal.throwIfAborted();
    return verdictOf(state, how);
  } finally {
    timers.abort();
    signal.removeEventListener('abort', stop);
    stop();
  }
}

interface HowEnded {
  code: number | null;
  by: NodeJS.Signals | null;
}

type State = 'starting' | 'working' | 'late' | 'done';

function verdictOf(state: State, { code, by }: HowEnded): ProcessEnd {
  if (state === 'done') return 'done';
  if (state === 'late') return 'slow';
  if (state === 'working' && by === 'SIGXCPU') return 'spent';
  if (state === 'working' && (by === null || !OF_OPERATORS.has(by))) return 'ended';
  throw new Error(`a reading process ended while ${state}: ${by ?? `exit code ${code}`}`);
}

/** Resolves when the process has ended and its last message has arrived. Rejects when it could not be started. */
function endOf(child: ChildProcess): Promise<HowEnded> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, by) => resolve({ code, by }));
  });
}

/**
 * The process is the leader of its own group, so that Ctrl+C in a terminal reaches the service alone, which then ends
 * it. When memory of the machine runs out, the kernel ends it first.
 */
function startLimited(file: string, limits: ProcessLimits): ChildProcess {
  const node = [
    process.execPath,
    `--max-old-space-size=${limits.heapMb}`,
    `--stack-size=${STACK_KB}`,
    '--disallow-code-generation-from-strings',
    file,
  ];
  const [command = '', ...given] =
    process.platform === 'win32' ? node : ['/bin/sh', '-c', scriptOf(limits), 'sh', ...node];
  return spawn(command, given, {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    detached: process.platform !== 'win32',
  });
}

/** A limit that the platform does not have is left out; the deadline and the heap are limited everywhere. */
function scriptOf({ memoryMb, processorSeconds }: ProcessLimits): string {
  return [
    `ulimit -S -t ${processorSeconds}`,
    `ulimit -H -t ${processorSeconds + 1}`,
    `ulimit -d ${memoryMb * 1_024 + reservedForCodeKb()}`,
    'ulimit -c 0',
    'ulimit -f 0',
    'unset PWD OLDPWD',
    'echo 1000 > /proc/self/oom_score_adj',
    'exec nice -n 10 "$@"',
  ].join(' 2>/dev/null; ');
}

let reservedKb: number | undefined;

/**
 * The address space that V8 reserves for machine code, which the system counts as memory of the process although hardly
 * any of it is used: nothing in Node 20, 512 MB in Node 24. The child is the same program as this process, so its share
 * is the same.
 */
function reservedForCodeKb(): number {
  reservedKb ??= process.platform === 'linux' ? codeMappingsKb(readFileSync('/proc/self/maps', 'utf8')) : 0;
  return reservedKb;
}

/** Sums the private mappings of `/proc/<pid>/maps` that are writable and executable. */
function codeMappingsKb(maps: string): number {
  const mappings = [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp /gm)];
  const bytes = mappings.map(([, from = '0', to = '0']) => Number(BigInt(`0x${to}`) - BigInt(`0x${from}`)));
  return Math.ceil(bytes.reduce((sum, each) => sum + each, 0) / 1_024);
}

/** The child's side: performs one piece of work, whose parts it sends as it has them. Ends with the parent. */
export function serveLimited<Work, Part>(
  perform: (work: Work, send: (part: Part) => Promise<void>) => Promise<void>,
): void {
  const send = (message: FromChild<Part>): Promise<void> =>
    new Promise((resolve) => {
      process.send?.(message, undefined, undefined, () => resolve());
    });
  process.once('disconnect', () => process.exit());
  process.once('message', (work: Work) => {
    void perform(work, (part) => send({ kind: 'part', part })).then(() => send({ kind: 'done' }));
  });
  void send({ kind: 'ready' });
}
