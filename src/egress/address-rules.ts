/**
 * Decides which IP addresses an outgoing call may connect to. Invariant: no connection is made to an address that did
 * not pass `isAllowedAddress` in the same call. The rule does not rely on `ipaddr.range()` alone, which classifies
 * some special IPv6 addresses as unicast; IPv6 addresses must also be in 2000::/3.
 */
import ipaddr from 'ipaddr.js';
import type { Address, EgressPolicy, Net } from './policy';

const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');
/** Publicly routable addresses of cloud-internal services: Azure's WireServer. */
const CLOUD_INTERNAL = new Set(['168.63.129.16']);

/** `ours`: the settings list the address as this service's own. */
export type AddressVerdict = 'allowed' | 'ours' | 'not_public';

/** Decides whether a call may connect to `ip` (text, without a zone) on `port`. */
export function judgeAddress(ip: string, port: number, policy: EgressPolicy): AddressVerdict {
  const address = parseAddress(ip);
  if (!address) return 'not_public';
  if (policy.ownNets.some((net) => netContains(net, address, net.fromPort))) return 'ours';
  if (policy.deny.some((net) => netContains(net, address, port))) return 'not_public';
  if (policy.allow.some((net) => netContains(net, address, port))) return 'allowed';
  const isOthers = isPublic(address) && !policy.ownAddresses().has(address.toNormalizedString());
  return isOthers ? 'allowed' : 'not_public';
}

/** True when a call may connect to `ip` on `port`. */
export function isAllowedAddress(ip: string, port: number, policy: EgressPolicy): boolean {
  return judgeAddress(ip, port, policy) === 'allowed';
}

/**
 * True for an address of loopback (text, an IPv6 address with or without brackets), which only EGRESS_ALLOW can open.
 */
export function isLoopback(host: string): boolean {
  return parseAddress(host.replace(/^\[|\]$/g, ''))?.range() === 'loopback';
}

/** Parses an address and unwraps IPv4-mapped IPv6. Returns undefined when the text is not one plain address. */
export function parseAddress(ip: string): Address | undefined {
  if (ip.includes('%')) return undefined;
  if (!ipaddr.IPv4.isValidFourPartDecimal(ip) && !ipaddr.IPv6.isValid(ip)) return undefined;
  return ipaddr.process(ip);
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_IPV6, 3);
  return !CLOUD_INTERNAL.has(address.toString());
}

function netContains(net: Net, address: Address, port: number): boolean {
  if (port < net.fromPort || port > net.toPort) return false;
  if (address instanceof ipaddr.IPv4) {
    return net.base instanceof ipaddr.IPv4 && address.match(net.base, net.prefixLength);
  }
  return net.base instanceof ipaddr.IPv6 && address.match(net.base, net.prefixLength);
}
