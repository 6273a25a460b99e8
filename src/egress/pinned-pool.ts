/**
 * Keep-alive connections, pinned. Invariant: connections are kept by host, port and the address that was vetted in
 * this call, and connect to that address only; so reuse of a connection is reuse of a vetted address. The URL keeps
 * the host name: server name indication, certificate check and Host header stay those of the name.
 * A connection carries one call at a time and is thrown away when the call fails (undici's own pool would connect
 * again at once after an abort).
 */
import type { LookupFunction, Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { buildConnector, Client } from 'undici';
import { parseAddress } from './address-rules';
import { connectFailure, EgressError } from './egress-error';

/** A failure before any byte of the request was sent: another vetted address may be tried. */
export class NotConnected extends Error {
  constructor(readonly failure: EgressError) {
    super(failure.message);
  }
}

/** One connection (made on first use) for one call; ends with exactly one of `release` and `discard`. */
export interface Lease {
  client: Client;
  /** The call is over and its answer was read to the end: the connection may be used again. */
  release(): void;
  /** What broke the connection when its server sent more than one answer. */
  surplus(): Error | undefined;
  /** Closes the connection, whatever is going on; the call on it fails with `reason`. */
  discard(reason: Error): void;
}

export interface PinnedPoolOptions {
  /** PEM of authorities that are trusted besides the public ones. */
  extraCaPem: string | undefined;
  connectTimeoutMs?: number;
  /** Addresses for which connections are kept; the least recently used one goes first. */
  maxAddresses?: number;
  idleMs?: number;
}

interface Connection {
  client: Client;
  /** The socket of a handshake that may still be under way. */
  socket: Socket | undefined;
}

interface Pinned {
  free: Connection[];
  usedAt: number;
  isDropped: boolean;
}

const MAX_HEADER_BYTES = 16_384;
/** Node's servers close idle connections after 5 s; reuse must end before that, unless the server says otherwise. */
const KEEP_ALIVE_MS = 4_000;

/** `take(host, port, ip)`: a lease on a connection to exactly that address, a kept one when there is one. */
export function createPinnedPool(options: PinnedPoolOptions) {
  const { extraCaPem, connectTimeoutMs = 5_000, maxAddresses = 500, idleMs = 60_000 } = options;
  const secureContext = createSecureContext({
    ca: [...rootCertificates, ...(extraCaPem ? [extraCaPem] : [])],
  });
  const kept = new Map<string, Pinned>();
  const sweeper = setInterval(() => sweep(kept, idleMs), Math.max(idleMs / 2, 10)).unref();

  /** The entry of an address, as the most recently used one. */
  function entryOf(key: string): Pinned {
    const entry = kept.get(key) ?? { free: [], usedAt: 0, isDropped: false };
    entry.usedAt = performance.now();
    kept.delete(key);
    kept.set(key, entry);
    if (kept.size > maxAddresses) dropOldest(kept);
    return entry;
  }

  return {
    take(host: string, port: number, ip: string): Lease {
      const entry = entryOf(`${host}|${port}|${ip}`);
      const connection = entry.free.pop() ?? connectionTo(host, port, ip, secureContext, connectTimeoutMs);
      return {
        client: connection.client,
        release: () => (entry.isDropped ? destroy(connection) : void entry.free.push(connection)),
        surplus: () => surplusOn(connection.socket),
        discard: (reason) => destroy(connection, reason),
      };
    },
    /** Connections that wait for their next call. */
    freeConnections: () => [...kept.values()].reduce((sum, { free }) => sum + free.length, 0),
    close(): void {
      clearInterval(sweeper);
      for (const key of kept.keys()) drop(kept, key);
    },
  };
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
    // idle timers would outlive a trickle anyway: the overall deadline of each call ends it
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      connection.socket = connect(target, (...[error, socket]) => {
        if (error) callback(new NotConnected(connectFailure(error)), null);
        else if (isSameAddress(socket.remoteAddress, ip)) callback(null, socket);
        else callback(new NotConnected(leftAddress(socket)), null);
      });
    },
  });
  const connection: Connection = { client, socket: undefined };
  return connection;
}

/** undici's connector returns the socket at once, which its types do not say. */
type ConnectReturningSocket = (...args: Parameters<buildConnector.connector>) => Socket;

/** Cannot happen; if it did, a call would have left the vetted address. */
function leftAddress(socket: Socket): EgressError {
  socket.destroy();
  return new EgressError('unsafe_url', 'connected to another address than the vetted one');
}

/** Answers every look-up with the vetted address (never called for literal addresses, which are vetted apart). */
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

/** Bytes after the end of an answer, as undici reports them; a server may close the connection there. */
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
  entry.isDropped = true; // connections in use are closed when they come back
  for (const connection of entry.free.splice(0)) destroy(connection);
}

function dropOldest(kept: Map<string, Pinned>): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined) drop(kept, oldest);
}

/** Forgets addresses that were not used for long, and connections that their servers have closed. */
function sweep(kept: Map<string, Pinned>, idleMs: number): void {
  const now = performance.now();
  for (const [key, entry] of kept) {
    if (now - entry.usedAt > idleMs) drop(kept, key);
    else entry.free = entry.free.filter(({ client }) => client.stats.connected);
  }
}
