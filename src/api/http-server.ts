import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
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
  const serve: RequestListener = (req, res) => {
    const refusal = formRefusalOf(req);
    if (!refusal) return listener(req, res);
    refuseInTurn(req, res, refusal, headersFor);
  };
  // `formRefusalOf` counts the headers and checks the host: Node would drop the headers behind its limit without an
  // error.
  const server = createServer({ ...times, requireHostHeader: false }, serve);
  server.maxHeadersCount = 0;
  server.on('checkExpectation', serve);
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    if (!formRefusalOf(req)) res.writeContinue();
    serve(req, res);
  });
  server.on('connect', (_req, socket: Duplex) => {
    if (messageOf(socket)) socket.destroy();
    else refuse(socket, NO_TUNNELS, headersFor);
  });
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

const NO_TUNNELS: FormRefusal = {
  status: 405,
  code: 'method_not_allowed',
  message: 'This server opens no tunnels: CONNECT is not supported.',
};

/** Answers a request that Node's parser refused before it reached Express. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, headersFor: HeadersFor): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  const [status, code] = refusalOf(error.code);
  refuse(socket, { status, code }, headersFor);
}

type Refusal = Omit<FormRefusal, 'message'> & { message?: string };

/** Headers and text of the contract's error body for a request that Express does not get. */
function answerTo({ status, code, message }: Refusal, address: string | undefined, headersFor: HeadersFor) {
  const traceId = newTraceId();
  const body = rawErrorBody(code, traceId, message);
  const headers: Record<string, string> = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Trace-Id': traceId,
    ...headersFor(address),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  return { status, headers, body };
}

/**
 * Answers a request after those before it on its connection, which is then closed: what else it carries is not read.
 */
function refuseInTurn(
  req: IncomingMessage,
  res: ServerResponse,
  refusal: Refusal,
  headersFor: HeadersFor,
): void {
  const { status, headers, body } = answerTo(refusal, req.socket.remoteAddress, headersFor);
  res.writeHead(status, headers);
  res.end(body);
  res.once('close', () => req.destroy());
  setTimeout(() => req.destroy(), LINGER_MS).unref();
}

/** Writes the same to a connection without a request that can be answered. */
function refuse(socket: Duplex, refusal: Refusal, headersFor: HeadersFor): void {
  const address = 'remoteAddress' in socket ? (socket as Socket).remoteAddress : undefined;
  const { status, headers, body } = answerTo(refusal, address, headersFor);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
}

function hasBegunAnswer(socket: Duplex): boolean {
  return messageOf(socket)?.headersSent === true;
}

/** The response that Node writes to a connection. */
function messageOf(socket: Duplex): { headersSent?: boolean } | null | undefined {
  return (socket as { _httpMessage?: { headersSent?: boolean } | null })._httpMessage;
}

function refusalOf(errorCode: string | undefined): [number, ErrorCode] {
  if (errorCode === 'HPE_HEADER_OVERFLOW') return [431, 'invalid_header'];
  if (errorCode === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'request_timeout'];
  return [400, 'malformed_request'];
}

/** Why a request is refused before anything of it is used. */
interface FormRefusal {
  status: number;
  code: ErrorCode;
  message: string;
}

const MOST_HEADERS = 100;
/** RFC 9110 §7.2: the host of a URI with an optional port. It is empty for a target without an authority. */
const HOST = /^[\w.~!$&'()*+;=:%[\]-]*$/;

/**
 * Checks what Node's parser lets through: too many headers, a `Host` that is missing, repeated or malformed (RFC 9112
 * §3.2), and an expectation other than `100-continue`. Node itself would drop the headers behind its limit.
 */
function formRefusalOf(req: IncomingMessage): FormRefusal | undefined {
  const names = req.rawHeaders.filter((_text, index) => index % 2 === 0);
  if (names.length > MOST_HEADERS)
    return headerRefusal(
      431,
      `The request has ${names.length} headers; at most ${MOST_HEADERS} are accepted.`,
    );
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  if (hosts > 1) return headerRefusal(400, `The request has ${hosts} Host headers; send one.`);
  if (hosts === 0 && req.httpVersion === '1.1') return headerRefusal(400, 'The request has no Host header.');
  if (!HOST.test(req.headers.host ?? ''))
    return headerRefusal(400, 'The Host header is not a host with an optional port.');
  const { expect } = req.headers;
  if (expect !== undefined && expect.trim().toLowerCase() !== '100-continue')
    return headerRefusal(417, 'Only the expectation 100-continue can be met.');
  return undefined;
}

function headerRefusal(status: number, message: string): FormRefusal {
  return { status, code: 'invalid_header', message };
}
