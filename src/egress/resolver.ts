/**
 * Resolves host names for every call, without a cache. Uses c-ares, which ignores the hosts file and does not occupy
 * the four threads that `dns.lookup` shares. A name server that hangs delays only calls to its own names, by two
 * seconds. The number of concurrent lookups per name is limited, so that many calls to one name do not exhaust the
 * name server's capacity.
 */
import { Resolver } from 'node:dns/promises';
import { unresolved } from './egress-error';
import { withTimeout } from '../kit/with-timeout';
import { StartRefusal } from '../kit/start-refusal';

/** Both c-ares tries fit into the deadline; the second waits twice as long as the first. */
const TRY_MS = 650;
const TRIES = 2;
const DEADLINE_MS = 2_000;
/** Maximum concurrent lookups per name; further calls share the latest pending lookup. */
const MAX_LOOK_UPS_OF_NAME = 8;
/** Error codes that mean the name has no address of that family. */
const NO_ADDRESS = new Set(['ENODATA', 'ENOTFOUND', 'ENONAME']);

/**
 * Creates a resolver. `resolve(host)` returns every address of the name, IPv4 first. It throws
 * `EgressError('unreachable')` when there is none, or no server responds within two seconds. `servers` is a
 * comma-separated list of `address:port`; empty uses the system's servers.
 */
export function createResolver(servers: string) {
  const resolver = startResolver(servers);
  const running = new Map<string, { count: number; latest: Promise<string[]> }>();

  return {
    async resolve(host: string): Promise<string[]> {
      const others = running.get(host);
      if (others && others.count >= MAX_LOOK_UPS_OF_NAME) return others.latest;
      const mine = addressesOf(resolver, host);
      const entry = { count: (others?.count ?? 0) + 1, latest: mine };
      running.set(host, entry);
      try {
        return await mine;
      } finally {
        const left = running.get(host);
        if (left && left.count > 1) left.count -= 1;
        else running.delete(host);
      }
    },

    /** Returns the texts of the TXT records of a name; none when no server responds within two seconds. */
    async texts(name: string): Promise<string[]> {
      let records: string[][] = [];
      const query = resolver.resolveTxt(name).then(
        (found) => void (records = found),
        () => undefined,
      );
      await beforeDeadline(query);
      return records.map((parts) => parts.join(''));
    },

    close(): void {
      resolver.cancel();
    },
  };
}

export type EgressResolver = ReturnType<typeof createResolver>;

function startResolver(servers: string): Resolver {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  const list = servers
    .split(',')
    .map((server) => server.trim())
    .filter(Boolean);
  try {
    if (list.length > 0) resolver.setServers(list);
  } catch (cause) {
    throw new StartRefusal(`EGRESS_DNS_SERVERS: ${JSON.stringify(servers)} is not a list of address:port`, {
      cause,
    });
  }
  return resolver;
}

/**
 * Collects what both address families returned by the deadline. A name without addresses of one family is not an
 * error.
 */
async function addressesOf(resolver: Resolver, host: string): Promise<string[]> {
  const found: [string[], string[]] = [[], []];
  let failure: unknown;
  const ask = async (at: 0 | 1, query: Promise<string[]>) => {
    try {
      found[at] = await query;
    } catch (error) {
      if (!NO_ADDRESS.has((error as NodeJS.ErrnoException).code ?? '')) failure ??= error;
    }
  };
  const both = Promise.all([ask(0, resolver.resolve4(host)), ask(1, resolver.resolve6(host))]);
  const inTime = await beforeDeadline(both);
  const addresses = found.flat();
  if (addresses.length > 0) return addresses;
  const message = inTime ? 'the host name does not resolve' : 'the host name did not resolve in time';
  throw unresolved(message, failure);
}

/** True when `work` completes before the lookup deadline. */
function beforeDeadline(work: Promise<unknown>): Promise<boolean> {
  return withTimeout(
    DEADLINE_MS,
    work.then(() => true),
    () => false,
  );
}
