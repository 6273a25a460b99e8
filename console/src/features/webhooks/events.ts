import type { ItemOf } from '../../client/queries';

export type EventName = ItemOf<'/v1/webhooks'>['types'][number];

/** Exhaustive: the types of the API decide which events there are. False for those that only developers receive. */
const IS_OF_BUYERS: Record<EventName, boolean> = {
  'invocation.progress': true,
  'invocation.input_required': true,
  'invocation.succeeded': true,
  'invocation.failed': true,
  'dispute.opened': true,
  'dispute.offered': true,
  'dispute.resolved': true,
  'credits.loaded': true,
  'topup.failed': true,
  'rubric.announced': false,
  'price.announced': true,
  'trust_score.updated': false,
  'agent.verification_completed': false,
  'agent.delisted': false,
  'agent.relisted': false,
  'agent.tools_changed': false,
  'finding.waived': false,
  'finding.contest_refused': false,
  'finding.waiver_ended': false,
  'review.written': false,
  'review.answered': true,
  'review.removed': true,
  'bond.slashed': false,
  'slash.finalized': false,
  'slash.overturned': false,
  'warranty.broken': true,
  'payout.initiated': false,
  'payout.completed': false,
  'payout.failed': false,
};
const EVENTS = Object.keys(IS_OF_BUYERS) as EventName[];

/** The events that an account can receive, with those that its webhook has already. */
export function eventsFor(isDeveloper: boolean, chosen: readonly EventName[] = []): EventName[] {
  return EVENTS.filter((name) => isDeveloper || IS_OF_BUYERS[name] || chosen.includes(name));
}
