/** Raw requests of attackers: cheap for the process that sends them, and from an address of their own. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Target {
  host: string;
  port: number;
  /** Counts a request that was begun, and its status once it is answered. */
  onRequest?: () => void;
  onStatus?: (status: number) => void;
}

export interface RawRequest {
  method?: string;
  path: string;
  cookie?: string | undefined;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

export function targetOf(url: string): Target {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** Opens a connection from one of the loopback addresses of attackers: 127.0.1.<n>. */
export function dial({ host, port, onRequest }: Target, address: number): Socket {
  onRequest?.();
  const socket = connect({ host, port, localAddress: `127.0.1.${address}`, allowHalfOpen: true });
  socket.on('error', () => undefined);
  return socket;
}

export function headOf({ method = 'POST', path, cookie, headers, body }: RawRequest): string {
  const lines = {
    host: 'market',
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...(cookie === undefined ? {} : { cookie }),
    ...headers,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${text.join('')}\r\n`;
}

/** Sends a request on a connection of its own. Resolves with the status once the answer begins; 0 without an answer. */
export async function send(target: Target, address: number, request: RawRequest): Promise<number> {
  const socket = dial(target, address);
  socket.write(headOf(request));
  if (request.body !== undefined) socket.write(request.body);
  const status = await new Promise<number>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(Number(chunk.toString('latin1', 9, 12))));
    socket.once('close', () => resolve(0));
    setTimeout(() => resolve(0), 60_000).unref();
  });
  target.onStatus?.(status);
  socket.destroy();
  return status;
}

/** Repeats `work` in `width` lanes until the signal aborts. */
export async function repeat(
  width: number,
  signal: AbortSignal,
  work: (lane: number) => Promise<unknown>,
): Promise<void> {
  const lane = async (n: number) => {
    while (!signal.aborted) {
      await work(n).catch(() => undefined);
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: width }, (_, n) => lane(n)));
}
