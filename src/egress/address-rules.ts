/**
 * Decides which IP addresses an outgoing call may connect to. Invariant: no connection is made to an address that did
 * not pass `isAllowedAddress` in the same call. The rule does not rely on `ipaddr.range()` alone, which classifies
 * some special IPv6 addresses as unicast; IPv6 addresses must also be in 2000::/3.
 */
import ipaddr from 'ipaddr.js';
import { netContains, type Address, type EgressPolicy } from './policy';

const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');
/** Publicly routable addresses of cloud-internal services: Azure's WireServer. */
const CLOUD_INTERNAL = new Set(['168.63.129.16']);

/** True when a call may connect to `ip` (text, without a zone) on `port`. */
export function isAllowedAddress(ip: string, port: number, policy: EgressPolicy): boolean {
  const address = parseAddress(ip);
  if (!address) return false;
  if (policy.deny.some((net) => netContains(net, address, port))) return false;
  if (isOwnNet(address, policy)) return false;
  if (policy.allow.some((net) => netContains(net, address, port))) return true;
  return isPublic(address) && !policy.ownAddresses().has(address.toNormalizedString());
}

/**
 * True for an address of loopback (text, an IPv6 address with or without brackets), which only EGRESS_ALLOW can open.
 */
export function isLoopback(host: string): boolean {
  return parseAddress(host.replace(/^\[|\]$/g, ''))?.range() === 'loopback';
}

/** True when the settings list the address as this service's own. */
export function isOwnAddress(ip: string, policy: EgressPolicy): boolean {
  const address = parseAddress(ip);
  return address !== undefined && isOwnNet(address, policy);
}

function isOwnNet(address: Address, policy: EgressPolicy): boolean {
  return policy.ownNets.some((net) => netContains(net, address, net.fromPort));
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
