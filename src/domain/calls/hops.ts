/**
 * Loops of agents. Every request that leaves for a stranger says in `X-Marketplace-Hops` how many calls of this service
 * led to it; an agent that calls us in turn sends the header back. A chain, also one through several agents or through
 * an address that leads to ourselves, ends at the limit (reference: security §2.5, T22).
 */
export const HOPS_HEADER = 'x-marketplace-hops';

/** At most so many calls lie one inside the other. */
export const MAX_HOPS = 5;

const HOPS_FORM = /^\d{1,9}$/;

/** How many calls led to a request, by its header; undefined when the value is not a plain number. */
export function readHops(header: string | undefined): number | undefined {
  if (header === undefined) return 0;
  return HOPS_FORM.test(header) ? Number(header) : undefined;
}

/** The header's value of a call that a request with `hops` causes. */
export function nextHops(hops: number): string {
  return String(hops + 1);
}
