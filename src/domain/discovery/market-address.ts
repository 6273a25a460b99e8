/** Where the market is, as the documents for registries and crawlers write it. */
export interface MarketAddress {
  /** Public base URL of the marketplace, without a trailing slash. */
  origin: string;
  /** The host of the origin, without a port. */
  hostname: string;
}

const IPV4 = /^[0-9.]+$/;

/**
 * The host as a reverse-DNS name, `com.example.market` for `market.example.com`. The name of a host without DNS is its
 * address, in the characters of such names.
 */
export function namespaceOf(hostname: string): string {
  if (IPV4.test(hostname)) return hostname;
  if (hostname.includes(':')) return hostname.replaceAll(/[[\]]/g, '').replaceAll(':', '-');
  return hostname.split('.').reverse().join('.');
}

/** The public page of an agent, which is its canonical address. */
export function agentPage(origin: string, agentId: string): string {
  return `${origin}/console/agents/${agentId}`;
}

/** At most `most` characters of a text in one line; the last one is `…` where something was left out. */
export function shortened(text: string, most: number): string {
  const characters = Array.from(text.replaceAll(/\s+/g, ' ').trim());
  return characters.length > most
    ? `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('');
}
