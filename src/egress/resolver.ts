/**
 * Names to addresses, asked anew for every call. c-ares is used because it ignores the hosts file and keeps hanging
 * look-ups away from the four threads that `dns.lookup` would share. Nothing is cached. A name that hangs costs its
 * own callers two seconds and nobody else anything: few look-ups of one name are under way at once, so that a storm
 * of calls to it does not use up what a name server is ready to do for us.
 */
import { Resolver } from 'node:dns/promises';
import { EgressError } from './egress-error';

/** Both c-ares tries fit into the deadline: the second waits twice as long as the first. */
const TRY_MS = 650;
const TRIES = 2;
const DEADLINE_MS = 2_000;
/** Look-ups of one name at once; a further call shares the latest of them, which has not been answered yet. */
const MAX_LOOK_UPS_OF_NAME = 8;
/** Nothing more to learn from a name with these: it has no address of that family. */
const NO_ADDRESS = new Set(['ENODATA', 'ENOTFOUND', 'ENONAME']);

/**
 * `resolve(host)` gives every address of the name, IPv4 first; it throws `EgressError('unreachable')` when there is
 * none or no server answers within two seconds. `servers`: comma list of `address:port`; empty means the system's.
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
    throw new Error(`EGRESS_DNS_SERVERS: ${JSON.stringify(servers)} is not a list of address:port`, {
      cause,
    });
  }
  return resolver;
}

/** What both families have answered at the deadline; a name without addresses of one family is no failure. */
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
  throw new EgressError('unreachable', message, undefined, { cause: failure });
}

/** False when `work` is not over at the deadline of a look-up. */
async function beforeDeadline(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), DEADLINE_MS);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
