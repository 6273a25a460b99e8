import { createServer, STATUS_CODES, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../domain/errors';
import { clientNetwork } from '../kit/client-address';
import { newTraceId } from '../kit/ids/ids';
import { rawErrorBody } from './answers/errors';

/** Limits for clients. Slow clients are disconnected, so that they cannot hold connections. */
const LIMITS = {
  /** Connections of a client network (an IPv4 address, or an IPv6 /64) at a time. */
  connectionsPerAddress: Infinity,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
};

/** Returns the headers of every response to an address. */
type HeadersFor = (address: string | undefined) => Record<string, string>;

/** A connection that was refused is destroyed after this time, whether or not its client closes it. */
const LINGER_MS = 1_000;

/**
 * Creates an HTTP server with bounded waits, which answers unreadable requests with the contract's error body, too. It
 * closes connections beyond `connectionsPerAddress`, except those of trusted proxies (`isProxy`).
 */
export function createHttpServer(
  listener: RequestListener,
  headersFor: HeadersFor,
  limits: Partial<typeof LIMITS> = {},
  isProxy: (address: string) => boolean = () => false,
): Server {
  const { connectionsPerAddress, ...times } = { ...LIMITS, ...limits };
  const server = createServer(times, listener);
  server.maxHeadersCount = 100;
  server.on('clientError', (error, socket) => answerClientError(error, socket, headersFor));
  boundConnections(server, connectionsPerAddress, isProxy);
  return server;
}

function boundConnections(server: Server, most: number, isProxy: (address: string) => boolean): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || isProxy(address)) return;
    const network = clientNetwork(address);
    const count = (open.get(network) ?? 0) + 1;
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
    if (count > most) socket.destroy();
  });
}

/** Answers a request that Node's parser refused before it reached Express. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, headersFor: HeadersFor): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  const [status, code] = refusalOf(error.code);
  const traceId = newTraceId();
  const body = rawErrorBody(code, traceId);
  const address = 'remoteAddress' in socket ? (socket as Socket).remoteAddress : undefined;
  const shared = Object.entries(headersFor(address)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Trace-Id: ${traceId}\r\n${shared.join('')}` +
      'X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n' +
      body,
  );
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
}

function hasBegunAnswer(socket: Duplex): boolean {
  const message = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage;
  return message?.headersSent === true;
}

function refusalOf(errorCode: string | undefined): [number, ErrorCode] {
  if (errorCode === 'HPE_HEADER_OVERFLOW') return [431, 'invalid_header'];
  if (errorCode === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'request_timeout'];
  return [400, 'malformed_request'];
}
