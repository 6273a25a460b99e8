/**
 * A pool of keep-alive connections that are pinned to addresses. Invariant: a connection is stored by host, port and
 * the address that the current call checked, and it connects to that address only, so reusing a connection means
 * reusing a checked address. The URL keeps the host name, so server name indication, certificate validation and the
 * Host header use the name.
 *
 * A connection carries one call at a time and is discarded when the call fails, because undici's own pool would
 * reconnect immediately after an abort.
 */
import type { LookupFunction, Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { buildConnector, Client } from 'undici';
import { parseAddress } from './url-rules';
import { connectFailure, EgressError } from './egress-error';
import { createHeadWatch, type HeadWatch } from './head-watch';

/** A failure before any byte of the request was sent. The caller may try another checked address. */
export class NotConnected extends Error {
  constructor(readonly failure: EgressError) {
    super(failure.message);
  }
}

/**
 * A connection (established on first use) for one call. The lease ends with exactly one of `release` and `discard`.
 */
export interface Lease {
  client: Client;
  /** True if an earlier call has used the connection. */
  isReused: boolean;
  /** The part of the answer to this call that has arrived. */
  head: Pick<HeadWatch, 'hasBegun' | 'finalStatus'>;
  /**
   * Returns the connection to the pool. The response must have been read to its end. If the server sent more than one
   * response, returns the error instead; the connection is then to be discarded.
   */
  release(): Error | undefined;
  /** Closes the connection at once; a call on it fails with `reason`. */
  discard(reason: Error): void;
}

export interface PinnedPoolOptions {
  /** PEM of certificate authorities that are trusted in addition to the public ones. */
  extraCaPem: string | undefined;
  connectTimeoutMs?: number;
  /** Maximum number of addresses with pooled connections; the least recently used is dropped. */
  maxAddresses?: number;
  idleMs?: number;
}

interface Connection {
  client: Client;
  /** The socket, which may still be in its handshake. */
  socket: Socket | undefined;
  head: HeadWatch;
  /** When its last call ended; undefined before the first. */
  freeSince: number | undefined;
}

interface Pinned {
  free: Connection[];
  usedAt: number;
  isDropped: boolean;
}

/**
 * A server or a balancer may reset an idle connection at the moment of its reuse, and then it is not known whether it
 * took the request. Only requests that may be repeated use connections that were idle for longer.
 */
const SURE_FOR_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;
/** Shorter than the 5 s after which Node.js servers close idle connections; a server's own hint takes precedence. */
const KEEP_ALIVE_MS = 4_000;

const contexts = new Map<string | undefined, SecureContext>();
/** Parsing the public authorities takes about 30 ms, so pools of one process share the result. */
function trusting(extraCaPem: string | undefined): SecureContext {
  const known = contexts.get(extraCaPem);
  if (known) return known;
  const made = createSecureContext({ ca: [...rootCertificates, ...(extraCaPem ? [extraCaPem] : [])] });
  contexts.set(extraCaPem, made);
  return made;
}

/**
 * Creates a pool. `take(host, port, ip)` leases a connection to exactly that address, reusing a free one if possible:
 * `sure` only one that was idle briefly, `new` none.
 */
export function createPinnedPool(options: PinnedPoolOptions) {
  const { extraCaPem, connectTimeoutMs = 5_000, maxAddresses = 500, idleMs = 60_000 } = options;
  const secureContext = trusting(extraCaPem);
  const kept = new Map<string, Pinned>();
  const sweeper = setInterval(() => sweep(kept, idleMs), Math.max(idleMs / 2, 10)).unref();

  /** Returns the entry of an address and marks it as most recently used. */
  function entryOf(key: string): Pinned {
    const entry = kept.get(key) ?? { free: [], usedAt: 0, isDropped: false };
    entry.usedAt = performance.now();
    kept.delete(key);
    kept.set(key, entry);
    if (kept.size > maxAddresses) dropOldest(kept);
    return entry;
  }

  return {
    acquire(host: string, port: number, ip: string, wish: 'any' | 'sure' | 'new' = 'any'): Lease {
      const entry = entryOf(`${host}|${port}|${ip}`);
      const connection =
        acquireFree(entry, wish) ?? connectionTo(host, port, ip, secureContext, connectTimeoutMs);
      connection.head.restart();
      return {
        client: connection.client,
        isReused: connection.freeSince !== undefined,
        head: connection.head,
        release() {
          const surplus = surplusOn(connection.socket);
          if (surplus) return surplus;
          connection.freeSince = performance.now();
          if (entry.isDropped) destroy(connection);
          else entry.free.push(connection);
          return undefined;
        },
        discard: (reason) => destroy(connection, reason),
      };
    },
    /** Number of idle connections. */
    freeConnections: () => [...kept.values()].reduce((sum, { free }) => sum + free.length, 0),
    close(): void {
      clearInterval(sweeper);
      for (const key of kept.keys()) drop(kept, key);
    },
  };
}

export type PinnedPool = ReturnType<typeof createPinnedPool>;

/** Takes the connection that was used last. */
function acquireFree({ free }: Pinned, wish: 'any' | 'sure' | 'new'): Connection | undefined {
  const last = wish === 'new' ? undefined : free.at(-1);
  const isOld = performance.now() - (last?.freeSince ?? 0) > SURE_FOR_MS;
  return wish === 'sure' && isOld ? undefined : last && free.pop();
}

function connectionTo(
  host: string,
  port: number,
  ip: string,
  secureContext: SecureContext,
  timeout: number,
): Connection {
  const pinned = { timeout, secureContext, lookup: pinnedLookup(ip), allowH2: false };
  const connect = buildConnector(pinned) as ConnectReturningSocket;
  const client = new Client(`https://${host.includes(':') ? `[${host}]` : host}:${port}`, {
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: MAX_HEADER_BYTES,
    // undici's idle timers are off: the overall deadline of each call also ends slow trickles
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      connection.socket = connect(target, (...[error, socket]) => {
        if (error) callback(new NotConnected(connectFailure(error)), null);
        else if (isSameAddress(socket.remoteAddress, ip)) callback(null, watched(socket, connection.head));
        else callback(new NotConnected(leftAddress(socket)), null);
      });
    },
  });
  const connection: Connection = { client, socket: undefined, head: createHeadWatch(), freeSince: undefined };
  return connection;
}

/** undici's connector returns the socket synchronously, which its types do not declare. */
type ConnectReturningSocket = (...args: Parameters<buildConnector.connector>) => Socket;

/** Lets `head` see what the client reads. */
function watched<S extends Socket>(socket: S, head: HeadWatch): S {
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    const bytes: unknown = read(size);
    if (Buffer.isBuffer(bytes)) head.see(bytes);
    return bytes;
  };
  return socket;
}

/** Guards the invariant: the connection must be to the checked address. */
function leftAddress(socket: Socket): EgressError {
  socket.destroy();
  return new EgressError('unsafe_url', 'connected to an address other than the checked one');
}

/** Resolves every host name to the checked address. Not called for IP literals, which are checked separately. */
function pinnedLookup(ip: string): LookupFunction {
  const family = ip.includes(':') ? 6 : 4;
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [{ address: ip, family }]);
    else callback(null, ip, family);
  };
}

function isSameAddress(remote: string | undefined, ip: string): boolean {
  if (remote === ip) return true;
  const parsed = remote === undefined ? undefined : parseAddress(remote);
  return parsed !== undefined && parsed.toNormalizedString() === parseAddress(ip)?.toNormalizedString();
}

/**
 * An error caused by bytes after the end of a response, as undici reports it. A server may close the connection there
 * without error.
 */
function surplusOn(socket: Socket | undefined): Error | undefined {
  const error = socket?.errored;
  return error && (error.name === 'HTTPParserError' || error.message === 'bad response') ? error : undefined;
}

function destroy({ client, socket }: Connection, reason: Error | null = null): void {
  client.destroy(reason).catch(() => undefined);
  socket?.destroy();
}

function drop(kept: Map<string, Pinned>, key: string): void {
  const entry = kept.get(key);
  if (!entry) return;
  kept.delete(key);
  entry.isDropped = true; // leased connections are closed on release
  for (const connection of entry.free.splice(0)) destroy(connection);
}

function dropOldest(kept: Map<string, Pinned>): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined) drop(kept, oldest);
}

/** Drops addresses that were idle too long, and connections that their servers closed. */
function sweep(kept: Map<string, Pinned>, idleMs: number): void {
  const now = performance.now();
  for (const [key, entry] of kept) {
    if (now - entry.usedAt > idleMs) drop(kept, key);
    else entry.free = entry.free.filter(({ client }) => client.stats.connected);
  }
}
