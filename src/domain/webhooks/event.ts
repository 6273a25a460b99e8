/** What webhooks tell of (contract, "Webhooks"). */
export const EVENT_TYPES = [
  'trust_score.updated',
  'agent.verification_completed',
  'agent.delisted',
  'agent.relisted',
  'invocation.succeeded',
  'invocation.failed',
  'dispute.opened',
  'dispute.resolved',
  'bond.slashed',
  'slash.finalized',
  'slash.overturned',
  'payout.initiated',
  'payout.completed',
  'payout.failed',
  'credits.loaded',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Who is told of an event. */
export interface EventAudience {
  /** The accounts whose event it is: the agent's developer, the buyer of the call. */
  userIds: readonly string[];
  /** The agent that it is about; endpoints may have named one. */
  agentId?: string;
  /** The agent is listed and everybody may know: endpoints of others that named this agent are told too. */
  public?: boolean;
}

/** Something that happened. `data` holds what everybody in the audience may know: no bodies, no secrets. */
export interface MarketEvent {
  type: EventType;
  /** snake_case, credits as numbers, times as ISO 8601 text. */
  data: Readonly<Record<string, unknown>>;
  audience: EventAudience;
}
