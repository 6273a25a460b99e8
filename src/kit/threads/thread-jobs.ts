/** The worker's side of `TenantThreads`: performs the jobs that arrive, and replies to each. */
import { parentPort, type TransferListItem } from 'node:worker_threads';
import { lowerThreadPriority } from './thread-priority';

/** `id`: 0 for a message without a reply. */
export interface JobMessage<Request> {
  id: number;
  request: Request;
}

export type JobReply<Reply> = { id: number; reply: Reply } | { id: number; fault: string };

export interface ServeOptions<Reply> {
  /** Priority of the thread (docs/internals/queues.md#priorities); 0: that of the process. */
  nice?: number;
  /** Memory of a reply that is moved instead of copied. */
  moved?: (reply: Reply) => TransferListItem[];
}

/** Performs jobs in this thread. What `perform` throws is a fault of the service: `TenantThreads.ask` rejects. */
export function serveJobs<Request, Reply>(
  perform: (request: Request) => Reply | Promise<Reply>,
  { nice = 10, moved = () => [] }: ServeOptions<Reply> = {},
): void {
  const port = parentPort;
  if (!port) throw new Error('a worker must run in a worker thread');
  lowerThreadPriority(nice);
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

/** Bytes arrive from another thread as a plain array. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
