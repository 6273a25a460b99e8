/**
 * Names to addresses, asked anew for every call. c-ares is used because it ignores the hosts file and keeps hanging
 * look-ups away from the four threads that `dns.lookup` would share.
 */
import { Resolver } from 'node:dns/promises';
import { EgressError } from './egress-error';

/** Both c-ares tries fit into the deadline: the second waits twice as long as the first. */
const TRY_MS = 650;
const TRIES = 2;
const DEADLINE_MS = 2_000;
/** Nothing more to learn from a name with these: it has no address of that family. */
const NO_ADDRESS = new Set(['ENODATA', 'ENOTFOUND', 'ENONAME']);

/**
 * `resolve(host)` gives every address of the name, IPv4 first; it throws `EgressError('unreachable')` when there is
 * none or no server answers within two seconds. `servers`: comma list of `address:port`; empty means the system's.
 */
export function createResolver(servers: string) {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  const list = servers
    .split(',')
    .map((server) => server.trim())
    .filter(Boolean);
  if (list.length > 0) resolver.setServers(list);

  async function lookUp(host: string): Promise<string[]> {
    const [v4, v6] = await Promise.all([family(resolver.resolve4(host)), family(resolver.resolve6(host))]);
    const addresses = [...v4.addresses, ...v6.addresses];
    if (addresses.length > 0) return addresses;
    const cause = v4.failure ?? v6.failure;
    throw new EgressError('unreachable', 'the host name does not resolve', undefined, { cause });
  }

  return {
    async resolve(host: string): Promise<string[]> {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        const giveUp = () => reject(new EgressError('unreachable', 'the host name did not resolve in time'));
        timer = setTimeout(giveUp, DEADLINE_MS);
      });
      try {
        return await Promise.race([lookUp(host), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    close(): void {
      resolver.cancel();
    },
  };
}

/** A name without addresses of one family is no failure. */
async function family(query: Promise<string[]>): Promise<{ addresses: string[]; failure?: unknown }> {
  try {
    return { addresses: await query };
  } catch (error) {
    const isAbsent = NO_ADDRESS.has((error as NodeJS.ErrnoException).code ?? '');
    return isAbsent ? { addresses: [] } : { addresses: [], failure: error };
  }
}

export type EgressResolver = ReturnType<typeof createResolver>;
