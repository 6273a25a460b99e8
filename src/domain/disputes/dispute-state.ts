/**
 * Dispute states as a table: from → to, and by whom (contract, "Disputes"). The database enforces the same
 * transitions. `won` and `lost` are from the buyer's point of view: a dispute of a call in progress is
 * created as `won`.
 */
export const DISPUTE_STATUSES = ['open', 'accepted', 'contested', 'won', 'lost'] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

export const DISPUTE_REASONS = [
  'output_incorrect',
  'no_response',
  'schema_violation',
  'unauthorized',
  'other',
] as const;
export type DisputeReason = (typeof DISPUTE_REASONS)[number];

/**
 * How a dispute was decided. `developer_silent`: the developer did not respond before the deadline. `offer_accepted`:
 * the buyer took the part of the charge that the developer offered.
 */
export const DISPUTE_RESOLUTIONS = [
  'call_in_progress',
  'developer_accepted',
  'developer_silent',
  'offer_accepted',
  'operator',
] as const;
export type DisputeResolution = (typeof DISPUTE_RESOLUTIONS)[number];

export const DISPUTE_TRANSITIONS = {
  open: { accepted: 'developer, or the end of the time to respond', contested: 'developer' },
  contested: { accepted: 'buyer, by accepting an offer', won: 'operator', lost: 'operator' },
  accepted: {},
  won: {},
  lost: {},
} as const satisfies Record<DisputeStatus, Partial<Record<DisputeStatus, string>>>;

/** How an offer of a part of the charge ended. `replaced`: by a newer one; `ended`: with its dispute. */
export const OFFER_STATUSES = ['open', 'accepted', 'declined', 'replaced', 'ended'] as const;
export type OfferStatus = (typeof OFFER_STATUSES)[number];

/** Offers of one dispute. */
export const MOST_OFFERS = 10;

/** True when the status is final. */
export function isDecided(status: DisputeStatus): boolean {
  return Object.keys(DISPUTE_TRANSITIONS[status]).length === 0;
}

/** True when the table allows this transition. */
export function mayDisputeMove(from: DisputeStatus, to: DisputeStatus): boolean {
  return Object.hasOwn(DISPUTE_TRANSITIONS[from], to);
}
