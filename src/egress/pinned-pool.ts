/**
 * Keep-alive connections, pinned. Invariant: a pool is keyed by host, port and the address that was vetted in this
 * call, and its sockets connect to that address only; so reuse of a connection is reuse of a vetted address.
 * The URL keeps the host name: server name indication, certificate check and Host header stay those of the name.
 */
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { LookupFunction } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { parseAddress } from './address-rules';
import { connectFailure, EgressError } from './egress-error';

/** A failure before any byte of the request was sent: another vetted address may be tried. */
export class NotConnected extends Error {
  constructor(readonly failure: EgressError) {
    super(failure.message);
  }
}

export interface PoolsOptions {
  /** PEM of authorities that are trusted besides the public ones. */
  extraCaPem: string | undefined;
  connectTimeoutMs?: number;
  maxPools?: number;
  idleMs?: number;
}

interface Entry {
  pool: Pool;
  usedAt: number;
}

const MAX_CONNECTIONS_PER_ADDRESS = 1_024;
const MAX_HEADER_BYTES = 16_384;
/** Node's servers close idle connections after 5 s; reuse must end before that, unless the server says otherwise. */
const KEEP_ALIVE_MS = 4_000;

/** `poolFor(host, port, ip)`: the pool of that pinned address, made when missing; least recently used ones are closed. */
export function createPinnedPools(options: PoolsOptions) {
  const { extraCaPem, connectTimeoutMs = 5_000, maxPools = 500, idleMs = 60_000 } = options;
  const secureContext = createSecureContext({ ca: [...rootCertificates, ...(extraCaPem ? [extraCaPem] : [])] });
  const entries = new Map<string, Entry>();
  const sweeper = setInterval(() => dropIdle(entries, idleMs), Math.max(idleMs / 2, 10)).unref();

  return {
    poolFor(host: string, port: number, ip: string): Pool {
      const key = `${host}|${port}|${ip}`;
      const found = entries.get(key);
      const entry = found ?? { pool: createPool(host, port, ip, secureContext, connectTimeoutMs), usedAt: 0 };
      entry.usedAt = performance.now();
      if (found) entries.delete(key); // re-inserted as the most recent
      else dropOldest(entries, maxPools - 1);
      entries.set(key, entry);
      return entry.pool;
    },
    /** Number of open pools. */
    size: () => entries.size,
    async close(): Promise<void> {
      clearInterval(sweeper);
      const pools = [...entries.values()].map(({ pool }) => pool);
      entries.clear();
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

function createPool(host: string, port: number, ip: string, secureContext: SecureContext, timeout: number): Pool {
  const origin = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Pool(origin, {
    connections: MAX_CONNECTIONS_PER_ADDRESS,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: MAX_HEADER_BYTES,
    // idle timers would outlive a trickle anyway: the overall deadline of each call ends it
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: pinnedConnector(ip, secureContext, timeout),
  });
}

function pinnedConnector(ip: string, secureContext: SecureContext, timeout: number): buildConnector.connector {
  const pinned = { timeout, secureContext, lookup: pinnedLookup(ip), allowH2: false };
  const connect = buildConnector(pinned as buildConnector.BuildOptions);
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error) return callback(new NotConnected(connectFailure(error)), null);
      if (isSameAddress(socket.remoteAddress, ip)) return callback(null, socket);
      socket.destroy();
      // cannot happen; if it did, a call would have left the vetted address
      const wrong = new EgressError('unsafe_url', 'connected to another address than the vetted one');
      return callback(new NotConnected(wrong), null);
    });
  };
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

function dropOldest(entries: Map<string, Entry>, keep: number): void {
  for (const [key, { pool }] of entries) {
    if (entries.size <= keep) return;
    entries.delete(key);
    closeWhenDone(pool);
  }
}

function dropIdle(entries: Map<string, Entry>, idleMs: number): void {
  const now = performance.now();
  for (const [key, { pool, usedAt }] of entries) {
    if (now - usedAt < idleMs || pool.stats.running > 0 || pool.stats.pending > 0) continue;
    entries.delete(key);
    closeWhenDone(pool);
  }
}

/** Lets running calls finish, then closes. */
function closeWhenDone(pool: Pool): void {
  pool.close().catch(() => pool.destroy());
}
