/** Webhook event types (contract, "Webhooks"). */
export const EVENT_TYPES = [
  'trust_score.updated',
  'agent.verification_completed',
  'agent.delisted',
  'agent.relisted',
  'agent.tools_changed',
  'finding.waived',
  'finding.contest_refused',
  'finding.waiver_ended',
  'review.written',
  'review.answered',
  'review.removed',
  'invocation.progress',
  'invocation.input_required',
  'invocation.succeeded',
  'invocation.failed',
  'dispute.opened',
  'dispute.offered',
  'dispute.resolved',
  'bond.slashed',
  'slash.finalized',
  'slash.overturned',
  'warranty.broken',
  'payout.initiated',
  'payout.completed',
  'payout.failed',
  'credits.loaded',
  'topup.failed',
  'rubric.announced',
  'price.announced',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The recipients of an event. */
export interface EventAudience {
  /** The accounts that the event concerns, such as the agent's developer or the buyer of the call. */
  userIds: readonly string[];
  /** The agent that the event is about; matched against endpoints that subscribe to one agent. */
  agentId?: string;
  /**
   * True when the agent is listed and the event is public: endpoints of other accounts that subscribe to this
   * agent receive it too.
   */
  public?: boolean;
}

/** A domain event. Every recipient sees all of `data`, so it contains no bodies and no secrets. */
export interface MarketEvent {
  type: EventType;
  /** Keys in snake_case, credits as numbers, times as ISO 8601 text. */
  data: Readonly<Record<string, unknown>>;
  audience: EventAudience;
}
