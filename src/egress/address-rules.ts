/**
 * The address rule: which IP addresses a call may go to. Invariant: no connection is made to an address that did not
 * pass `isAllowedAddress` in the same call. No library is the rule by itself: `range()` calls some special IPv6
 * addresses unicast, so that IPv6 must also lie in 2000::/3.
 */
import ipaddr from 'ipaddr.js';
import { netContains, type Address, type EgressPolicy } from './policy';

const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');
/** Public by number, but a cloud's internal services: Azure's wire server. */
const CLOUD_INTERNAL = new Set(['168.63.129.16']);

/** True when a call may connect to `ip` (text, without zone) at `port`. */
export function isAllowedAddress(ip: string, port: number, policy: EgressPolicy): boolean {
  const address = parseAddress(ip);
  if (!address) return false;
  if (policy.deny.some((net) => netContains(net, address, port))) return false;
  if (isOwnNet(address, policy)) return false;
  if (policy.allow.some((net) => netContains(net, address, port))) return true;
  return isPublic(address) && !policy.ownAddresses().has(address.toNormalizedString());
}

/** True for an address that the settings call ours. */
export function isOwnAddress(ip: string, policy: EgressPolicy): boolean {
  const address = parseAddress(ip);
  return address !== undefined && isOwnNet(address, policy);
}

function isOwnNet(address: Address, policy: EgressPolicy): boolean {
  return policy.ownNets.some((net) => netContains(net, address, net.fromPort));
}

/** The address with IPv4-in-IPv6 unwrapped; undefined when the text is not one plain address. */
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
