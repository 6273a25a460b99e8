import { Worker } from 'node:worker_threads';
import { workerFile } from '../threads/worker-file';
import { newThreadCell, type ThreadCell, watchThreadTime } from '../threads/thread-time';
import {
  newPhaseClock,
  PHASES,
  READY,
  readPhase,
  type SchemaReply,
  type SchemaRequest,
  type SchemaWorkerData,
} from './schema-protocol';
import { BoundedMap } from '../bounded-map';

/** A request without its id. The schema's text is omitted when the thread has the compiled schema. */
export type ThreadRequest =
  | { op: 'validate'; key: string; schema: string; value: string | Buffer }
  | { op: 'admit'; schema: string }
  | { op: 'sample'; schema: string; count: number; seed: number; generate: boolean };

export interface ThreadEnd {
  reason: 'deadline' | 'memory' | 'fault';
  error?: Error;
  /** False when the thread never became ready. */
  started: boolean;
}

export interface SchemaThread {
  readonly ready: boolean;
  /** True for the thread of slow work: its priority is lower, and its limits are in processor time. */
  readonly isSlow: boolean;
  run(request: ThreadRequest): void;
  end(): Promise<void>;
}

interface ThreadOptions {
  deadlineMs: number;
  isSlow: boolean;
  onReady(): void;
  /** Called when a request has exceeded its limit. The thread ends later, when it can be interrupted. */
  onOverrun(thread: SchemaThread): void;
  onReply(thread: SchemaThread, reply: SchemaReply): void;
  onEnd(thread: SchemaThread, end: ThreadEnd): void;
}

/** Limit for parsing. 10 MiB takes about 0.1 s, hostile input about 1 s; the limit is a safety net. */
const LOAD_LIMIT_MS = 15_000;
/**
 * Compile time limit in multiples of the deadline. A schema compiled within the deadline at admission; a loaded
 * machine may need longer.
 */
const COMPILE_DEADLINES = 2;
/**
 * Limit for making samples, in multiples of the deadline. The samples end much earlier by themselves; only one value
 * that takes too long, or a machine that is too busy, reaches the limit.
 */
const SAMPLE_DEADLINES = 48;
/** A busy thread that enters no phase for this long is considered lost. */
const SILENCE_LIMIT_MS = 30_000;
const LOOK_AGAIN_MS = 50;
/** Longer texts are transferred as bytes, which avoids a second copy. */
const TRANSFER_FROM_LENGTH = 65_536;
const MAX_KNOWN_KEYS = 10_000;
/** The worst 10 MiB of JSON occupy 300 MB when parsed; terminating a thread during parsing takes long. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 448, maxYoungGenerationSizeMb: 32, stackSizeMb: 16 };

/** Starts one worker thread and watches it; `onEnd` is called exactly once. */
export function startSchemaThread(options: ThreadOptions): SchemaThread {
  const shared = newPhaseClock();
  const cell = newThreadCell();
  const worker = startWorker({ clock: shared, thread: cell, isSlow: options.isSlow });
  const knownKeys = new BoundedMap<string, true>(MAX_KNOWN_KEYS);
  const state = { ready: false, started: false, overran: false };
  let nextId = 1;
  let failure: Error | undefined;
  const watch = createWatch(new BigInt64Array(shared), cell, options.deadlineMs, () => {
    state.overran = true;
    state.ready = false;
    options.onOverrun(thread);
    void worker.terminate();
  });

  const thread: SchemaThread = {
    get ready() {
      return state.ready;
    },
    isSlow: options.isSlow,
    run(request) {
      const { message, transfer } = toMessage(request, nextId++, knownKeys);
      worker.ref();
      watch.start();
      worker.postMessage(message, transfer);
    },
    async end() {
      watch.stop();
      await worker.terminate();
    },
  };

  worker.on('message', (message: typeof READY | SchemaReply) => {
    worker.unref();
    if (message === READY) {
      state.ready = true;
      state.started = true;
      return options.onReady();
    }
    // A reply that arrives after the termination is ignored: its request fails with the thread.
    if (state.overran) return undefined;
    watch.stop();
    if (message.kind === 'schema_needed') knownKeys.clear();
    return options.onReply(thread, message);
  });
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', () => {
    watch.stop();
    const reason = state.overran ? 'deadline' : isOutOfMemory(failure) ? 'memory' : 'fault';
    options.onEnd(thread, { reason, started: state.started, ...(failure && { error: failure }) });
  });
  return thread;
}

function startWorker(workerData: SchemaWorkerData): Worker {
  return new Worker(workerFile(__dirname, 'schema-worker.js'), {
    workerData,
    resourceLimits: RESOURCE_LIMITS,
    env: {},
    execArgv: [],
  });
}

function isOutOfMemory(failure: Error | undefined): boolean {
  return failure !== undefined && 'code' in failure && failure.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Calls `onOverrun` when a phase exceeds its limit. Time before the first phase is not counted. */
function createWatch(clock: BigInt64Array, cell: ThreadCell, deadlineMs: number, onOverrun: () => void) {
  const limits = {
    [PHASES.idle]: SILENCE_LIMIT_MS,
    [PHASES.load]: LOAD_LIMIT_MS,
    [PHASES.compile]: deadlineMs * COMPILE_DEADLINES,
    [PHASES.execute]: deadlineMs,
    [PHASES.sample]: deadlineMs * SAMPLE_DEADLINES,
  };
  let timer: NodeJS.Timeout | undefined;
  let isOver = watchThreadTime(cell);

  function look(startedAt: number): void {
    const { phase, elapsedMs } = readPhase(clock);
    const usedMs = phase === PHASES.idle ? Date.now() - startedAt : elapsedMs;
    const leftMs = limits[phase] - usedMs;
    if (isOver(usedMs, limits[phase])) onOverrun();
    else
      timer = setTimeout(look, leftMs > 0 ? Math.min(leftMs + 1, LOOK_AGAIN_MS) : LOOK_AGAIN_MS, startedAt);
  }

  return {
    start(): void {
      isOver = watchThreadTime(cell);
      timer = setTimeout(look, deadlineMs, Date.now());
    },
    stop: () => clearTimeout(timer),
  };
}

function toMessage(request: ThreadRequest, id: number, knownKeys: BoundedMap<string, true>) {
  if (request.op !== 'validate') return { message: { id, ...request } satisfies SchemaRequest, transfer: [] };
  const isKnown = knownKeys.has(request.key);
  knownKeys.set(request.key, true);
  const value = toTransferable(request.value);
  const message: SchemaRequest = { id, ...request, schema: isKnown ? undefined : request.schema, value };
  return { message, transfer: typeof value === 'string' ? [] : [value.buffer as ArrayBuffer] };
}

/** Copies the value for transfer, so that the caller keeps its bytes. The copy is made only when a thread is free. */
function toTransferable(value: string | Buffer): string | Uint8Array {
  if (typeof value !== 'string') return new Uint8Array(value);
  return value.length > TRANSFER_FROM_LENGTH ? new TextEncoder().encode(value) : value;
}
