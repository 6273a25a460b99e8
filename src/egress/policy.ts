/**
 * The egress policy, parsed once at start. `url-rules` defines what is refused; the deny list
 * refuses more; the allow list permits single subnets, for development fixtures.
 */
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { parsedUrl } from '../kit/parsed-url';
import { StartRefusal } from '../kit/start-refusal';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface Net {
  base: Address;
  prefixLength: number;
  fromPort: number;
  toPort: number;
}

export interface EgressPolicy {
  /** Subnets (with ports) that are allowed although the built-in rules refuse them. */
  allow: readonly Net[];
  /** Subnets that are refused in addition to the built-in rules; takes precedence over `allow`. */
  deny: readonly Net[];
  /** Refused ports at or above 1024. */
  deniedPorts: ReadonlySet<number>;
  /** Public host names of this service, refused because calls to them would loop. */
  ownHosts: ReadonlySet<string>;
  /** Subnets that lead to this service (load balancers); takes precedence over `allow`. */
  ownNets: readonly Net[];
  /** Normalized addresses of this machine's network interfaces. */
  ownAddresses: () => ReadonlySet<string>;
}

export interface PolicySettings {
  /** List of `CIDR[:port[-port]]`; IPv6 with ports is written `[2001:db8::/32]:443`. */
  EGRESS_ALLOW: string;
  EGRESS_DENY: string;
  PUBLIC_ORIGIN: string;
  /** Comma-separated list of further host names, addresses and CIDRs that lead to this service; default none. */
  EGRESS_OWN?: string;
  /** Comma-separated list of ports; default `INTERNAL_PORTS`. */
  EGRESS_DENY_PORTS?: string;
}

/** Ports at or above 1024 of services that are often open in internal networks. */
const INTERNAL_PORTS = [
  2049, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 5900, 6379, 6443, 7233, 9042, 9092, 9200, 10250,
  11211, 15672, 27017,
];

const OWN_ADDRESSES_TTL_MS = 10_000;
const NET_FORM =
  /^(?:\[([0-9a-f:.]+\/\d{1,3})\]|([0-9.]+\/\d{1,2})|([0-9a-f:]+\/\d{1,3}))(?::(\d{1,5})(?:-(\d{1,5}))?)?$/i;

/** Parses the policy. Throws `Error` with the name of the setting when a value is invalid. */
export function createPolicy(settings: PolicySettings): EgressPolicy {
  const own = entriesOf(settings.EGRESS_OWN ?? '').map(parseOwn);
  return {
    allow: parseNets('EGRESS_ALLOW', settings.EGRESS_ALLOW),
    deny: parseNets('EGRESS_DENY', settings.EGRESS_DENY),
    deniedPorts: parsePorts('EGRESS_DENY_PORTS', settings.EGRESS_DENY_PORTS ?? ''),
    ownHosts: new Set([
      withoutDot(new URL(settings.PUBLIC_ORIGIN).hostname),
      ...own.filter((entry) => typeof entry === 'string'),
    ]),
    ownNets: own.filter((entry) => typeof entry !== 'string'),
    ownAddresses: cachedOwnAddresses(),
  };
}

/** Parses a list of subnets. Throws `Error` with the name of the setting. */
export function parseNets(setting: string, list: string): Net[] {
  return entriesOf(list).map((entry) => parseNet(setting, entry));
}

function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function parsePorts(setting: string, list: string): ReadonlySet<number> {
  const entries = entriesOf(list);
  const wrong = entries.find((entry) => !/^\d{1,5}$/.test(entry));
  if (wrong !== undefined)
    throw new StartRefusal(`${setting}: ${JSON.stringify(wrong)} is not a port number`);
  return new Set(entries.length > 0 ? entries.map(Number) : INTERNAL_PORTS);
}

/** Parses an entry of EGRESS_OWN: a subnet, or the canonical form of a host name. */
function parseOwn(entry: string): Net | string {
  if (ipaddr.isValid(entry)) return parseNet('EGRESS_OWN', `${entry}/${entry.includes(':') ? 128 : 32}`);
  if (entry.includes('/')) return parseNet('EGRESS_OWN', entry);
  const url = parsedUrl(`https://${entry}/`);
  if (!url || /[:@?#\\]/.test(entry)) {
    throw new StartRefusal(`EGRESS_OWN: ${JSON.stringify(entry)} is not a host name, an address or a CIDR`);
  }
  return withoutDot(url.hostname);
}

function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

function parseNet(setting: string, entry: string): Net {
  const match = NET_FORM.exec(entry);
  const cidr = match?.[1] ?? match?.[2] ?? match?.[3];
  const fromPort = Number(match?.[4] ?? 0);
  const toPort = Number(match?.[5] ?? match?.[4] ?? 65_535);
  if (!cidr || !ipaddr.isValidCIDR(cidr) || fromPort > toPort || toPort > 65_535) {
    throw new StartRefusal(`${setting}: ${JSON.stringify(entry)} is not CIDR[:port[-port]]`);
  }
  const [base, prefixLength] = ipaddr.parseCIDR(cidr);
  return { base, prefixLength, fromPort, toPort };
}

/** Caches the interface addresses for ten seconds, because reading them costs system calls and they can change. */
function cachedOwnAddresses(): () => ReadonlySet<string> {
  let known: ReadonlySet<string> = new Set();
  let readAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - readAt > OWN_ADDRESSES_TTL_MS) {
      const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
      known = new Set(addresses.map(({ address }) => ipaddr.process(address).toNormalizedString()));
      readAt = now;
    }
    return known;
  };
}
