import ipaddr from 'ipaddr.js';

/** So many times the points of a /64 network are the points of its /48, which one customer of a provider may have. */
export const WIDE_FACTOR = 10;

/** The rate limit key of an unauthenticated client: its IPv4 address, or the /64 network of its IPv6 address. */
export function clientNetwork(address: string | undefined): string {
  const parsed = readAddress(address ?? '');
  if (!parsed) return 'unknown';
  return parsed instanceof ipaddr.IPv6 ? networkOf(parsed.parts.slice(0, 4), 64) : parsed.toString();
}

/** The /48 around a /64 network that `clientNetwork` returned; undefined for an IPv4 address. */
export function widerNetwork(network: string): string | undefined {
  const [parts, bits] = network.split('::/');
  return bits === '64' ? networkOf((parts ?? '').split(':').slice(0, 3), 48) : undefined;
}

/**
 * The addresses of a header `X-Forwarded-For`, from the first that can be read behind the last one that cannot, in
 * their plain form: ports, brackets, quotes and zones are removed. An entry that is no address hides what stands before
 * it, so that the proxy that wrote it counts as the client.
 */
export function forwardedAddresses(header: string): string[] {
  const addresses: string[] = [];
  for (const entry of header.split(',').reverse()) {
    const address = readAddress(withoutPort(entry));
    if (!address) break;
    addresses.unshift(address.toString());
  }
  return addresses;
}

/** Strict: an IPv4 address has four decimal numbers without leading zeros, which some readers take for octal ones. */
function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const isValid = text.includes(':') ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
  return isValid ? ipaddr.process(text) : undefined;
}

/** `"[2001:db8::1]:443"` → `2001:db8::1`, `203.0.113.7:51234` → `203.0.113.7`. */
function withoutPort(entry: string): string {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const inBrackets = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  const address = inBrackets ?? text.replace(/^([\d.]+):\d{1,5}$/, '$1');
  return address.replace(/%[\w.-]*$/, '');
}

function networkOf(parts: readonly (number | string)[], bits: number): string {
  return `${parts.map((part) => part.toString(16)).join(':')}::/${bits}`;
}
