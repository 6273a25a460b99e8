/** The worker's side of `TenantThreads`: performs the jobs that arrive, and replies to each. */
import { parentPort, type TransferListItem, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from './thread-priority';
import type { ThreadCell } from './thread-time';

/** `id`: 0 for a message without a reply. */
export interface JobMessage<Request> {
  id: number;
  request: Request;
}

export type JobReply<Reply> = { id: number; reply: Reply } | { id: number; fault: string };

/** `workerData` of every thread. */
export interface ThreadData {
  thread: ThreadCell;
  nice: number;
}

export interface ServeOptions<Reply> {
  /** Memory of a reply that is moved instead of copied. */
  moved?: (reply: Reply) => TransferListItem[];
}

/** Performs jobs in this thread. What `perform` throws is a fault of the service: `TenantThreads.ask` rejects. */
export function serveJobs<Request, Reply>(
  perform: (request: Request) => Reply | Promise<Reply>,
  { moved = () => [] }: ServeOptions<Reply> = {},
): void {
  const port = parentPort;
  if (!port) throw new Error('a worker must run in a worker thread');
  lowerThreadPriority((workerData as ThreadData).nice);
  const fail = (id: number, error: unknown) =>
    port.postMessage({ id, fault: String((error as Error).stack) } satisfies JobReply<Reply>);
  const done = (id: number, reply: Reply) => {
    if (id !== 0) port.postMessage({ id, reply } satisfies JobReply<Reply>, moved(reply));
  };
  port.on('message', ({ id, request }: JobMessage<Request>) => {
    try {
      const result = perform(request);
      if (!(result instanceof Promise)) return done(id, result);
      result.then(
        (reply) => done(id, reply),
        (error: unknown) => fail(id, error),
      );
    } catch (error) {
      fail(id, error);
    }
  });
}

/** The memory of bytes that have their own, to be moved to a thread. Buffers of Node's shared pool stay. */
export function ownMemory({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer[] {
  return byteOffset === 0 && byteLength === buffer.byteLength ? [buffer as ArrayBuffer] : [];
}

/** Bytes to be sent to a thread: a view of a larger memory is copied, because all of that memory would be sent. */
export function asMessage(bytes: Uint8Array): Uint8Array {
  return ownMemory(bytes).length > 0 ? bytes : new Uint8Array(bytes);
}

/** Bytes arrive from another thread as a plain array. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
