/**
 * Limits call chains between agents. Every outgoing request carries the number of marketplace calls that led
 * to it in `X-Marketplace-Hops`; an agent that calls the marketplace in turn sends the header back. A chain
 * therefore ends at the limit, even when it runs through several agents or through an address that points
 * back to this service.
 */
export const HOPS_HEADER = 'x-marketplace-hops';

/** Maximum depth of nested calls. */
export const MAX_HOPS = 5;

const HOPS_FORM = /^\d{1,9}$/;

/** Reads the hop count of a request: 0 without the header, undefined when the value is not a plain number. */
export function readHops(header: string | undefined): number | undefined {
  if (header === undefined) return 0;
  return HOPS_FORM.test(header) ? Number(header) : undefined;
}

/** Header value for a call that is caused by a request with `hops` hops. */
export function nextHops(hops: number): string {
  return String(hops + 1);
}
