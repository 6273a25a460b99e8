/** Worker threads that answer one request at a time, each within a deadline. */
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { newThreadCell, type ThreadCell, watchThreadTime } from './thread-time';

const cells = new WeakMap<Worker, ThreadCell>();

const ROOT = resolve(__dirname, '../../..');

/** Path of a compiled worker: in the folder of the caller, or in dist when the caller runs from source. */
export function workerFile(folder: string, name: string): string {
  const beside = join(folder, name);
  return existsSync(beside) ? beside : join(ROOT, 'dist', relative(join(ROOT, 'src'), folder), name);
}

/** Starts a thread without the environment of the process. It keeps the process running only while it is asked. */
export function startAskedThread(file: string, resourceLimits: ResourceLimits): Worker {
  const cell = newThreadCell();
  const thread = new Worker(file, { env: {}, execArgv: [], resourceLimits, workerData: { thread: cell } });
  cells.set(thread, cell);
  thread.on('error', () => undefined);
  thread.unref();
  return thread;
}

/** The memory of bytes that have their own, to be moved to a thread. Buffers of Node's shared pool stay. */
export function ownMemory({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer[] {
  return byteOffset === 0 && byteLength === buffer.byteLength ? [buffer as ArrayBuffer] : [];
}

export interface AskOptions {
  /** In processor time if the thread has lowered its priority. */
  deadlineMs: number;
  /** Memory of the request that is moved and not copied. */
  moved?: ArrayBuffer[];
}

/** The thread's reply; undefined if it ended, or exceeded its deadline and was terminated. */
export function askThread<Reply>(
  thread: Worker,
  request: unknown,
  { deadlineMs, moved = [] }: AskOptions,
): Promise<Reply | undefined> {
  thread.ref();
  return new Promise((resolve) => {
    const end = (reply: Reply | undefined) => {
      clearTimeout(deadline);
      thread.off('message', end).off('exit', gone);
      thread.unref();
      if (reply === undefined) void thread.terminate();
      resolve(reply);
    };
    const gone = () => end(undefined);
    const isOver = watchThreadTime(cells.get(thread) ?? newThreadCell());
    const beganAt = performance.now();
    const look = () => {
      if (isOver(performance.now() - beganAt + 1, deadlineMs)) gone();
      else deadline = setTimeout(look, deadlineMs / 4);
    };
    let deadline = setTimeout(look, deadlineMs);
    thread.on('message', end).on('exit', gone);
    thread.postMessage(request, moved);
  });
}

/** One thread that starts with the first request and is replaced after it has ended. The caller asks in turns. */
export function createAskedThread<Request, Reply>(options: {
  file: string;
  resourceLimits: ResourceLimits;
  deadlineMs: number;
}) {
  let thread: Worker | undefined;

  function start(): Worker {
    const started = startAskedThread(options.file, options.resourceLimits);
    started.once('exit', () => {
      if (thread === started) thread = undefined;
    });
    return started;
  }

  return {
    async ask(request: Request, moved: ArrayBuffer[] = []): Promise<Reply | undefined> {
      const mine = (thread ??= start());
      const reply = await askThread<Reply>(mine, request, { deadlineMs: options.deadlineMs, moved });
      if (reply === undefined && thread === mine) thread = undefined;
      return reply;
    },
    async close(): Promise<void> {
      await thread?.terminate();
    },
  };
}
