/**
 * What calls to strangers may reach, read once at boot. Everything is refused that the rules of `url-rules` and
 * `address-rules` refuse; the deny list adds to that; the allow list opens single nets for development fixtures.
 */
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface Net {
  base: Address;
  prefixLength: number;
  fromPort: number;
  toPort: number;
}

export interface EgressPolicy {
  /** Nets (with ports) that are allowed although the built-in rules refuse them. */
  allow: readonly Net[];
  /** Nets that are refused besides the built-in rules; stronger than `allow`. */
  deny: readonly Net[];
  /** The service's own public hosts: calling them would loop. */
  ownHosts: ReadonlySet<string>;
  /** Addresses of this machine's interfaces, normalised. */
  ownAddresses: () => ReadonlySet<string>;
}

export interface PolicySettings {
  /** `CIDR[:port[-port]]` list; IPv6 with ports is written `[2001:db8::/32]:443`. */
  EGRESS_ALLOW: string;
  EGRESS_DENY: string;
  PUBLIC_ORIGIN: string;
}

const OWN_ADDRESSES_TTL_MS = 10_000;
const NET_FORM =
  /^(?:\[([0-9a-f:.]+\/\d{1,3})\]|([0-9.]+\/\d{1,2})|([0-9a-f:]+\/\d{1,3}))(?::(\d{1,5})(?:-(\d{1,5}))?)?$/i;

/** The policy of the given settings; throws an error that names the setting when one cannot be read. */
export function createPolicy(settings: PolicySettings): EgressPolicy {
  return {
    allow: parseNets('EGRESS_ALLOW', settings.EGRESS_ALLOW),
    deny: parseNets('EGRESS_DENY', settings.EGRESS_DENY),
    ownHosts: new Set([new URL(settings.PUBLIC_ORIGIN).hostname]),
    ownAddresses: cachedOwnAddresses(),
  };
}

export function parseNets(setting: string, list: string): Net[] {
  const entries = list.split(',').map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry) => parseNet(setting, entry));
}

function parseNet(setting: string, entry: string): Net {
  const match = NET_FORM.exec(entry);
  const cidr = match?.[1] ?? match?.[2] ?? match?.[3];
  const fromPort = Number(match?.[4] ?? 0);
  const toPort = Number(match?.[5] ?? match?.[4] ?? 65_535);
  if (!cidr || !ipaddr.isValidCIDR(cidr) || fromPort > toPort || toPort > 65_535) {
    throw new Error(`${setting}: ${JSON.stringify(entry)} is not CIDR[:port[-port]]`);
  }
  const [base, prefixLength] = ipaddr.parseCIDR(cidr);
  return { base, prefixLength, fromPort, toPort };
}

export function netContains(net: Net, address: Address, port: number): boolean {
  if (port < net.fromPort || port > net.toPort) return false;
  if (address instanceof ipaddr.IPv4) {
    return net.base instanceof ipaddr.IPv4 && address.match(net.base, net.prefixLength);
  }
  return net.base instanceof ipaddr.IPv6 && address.match(net.base, net.prefixLength);
}

/** Interfaces come and go; reading them costs a system call each, so they are kept for ten seconds. */
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
