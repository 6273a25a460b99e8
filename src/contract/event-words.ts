import type { EventType } from '../domain/webhooks/event';

/** What a type of event is: the sentence that says when it is written, and its recipients. */
export interface EventWords {
  when: string;
  to: string;
}

/** The words of each type, for the OpenAPI document and docs/reference/events.md. */
export const EVENT_WORDS: Record<EventType, EventWords> = {
  'trust_score.updated': {
    when: 'The trust score of an agent has changed.',
    to: 'the developer, and webhooks of other accounts that name the agent, if it is listed',
  },
  'agent.verification_completed': {
    when: 'A verification run has ended with a report.',
    to: 'the developer',
  },
  'finding.waived': {
    when: 'An operator has waived a finding: it costs no points until the waiver ends.',
    to: 'the developer',
  },
  'review.written': {
    when: 'A buyer has reviewed a paid call. The developer may answer once.',
    to: 'the developer',
  },
  'review.answered': { when: 'The developer has answered a review.', to: 'the buyer' },
  'review.removed': {
    when: 'An operator has removed a review. `GET /v1/invocations/{invocation_id}/review` has the reason.',
    to: 'the buyer',
  },
  'finding.contest_refused': {
    when: "An operator has refused the developer's objection to a finding.",
    to: 'the developer',
  },
  'finding.waiver_ended': {
    when: 'The waiver of a finding has ended, and the finding counts again.',
    to: 'the developer',
  },
  'agent.delisted': { when: 'An agent has left search.', to: 'the developer' },
  'agent.tools_changed': {
    when: 'The MCP server of an agent lists other tools than the verified ones, or a run has decided on them. `GET /v1/agents/{agent_id}/tool-changes` has what differs.',
    to: 'the developer',
  },
  'agent.relisted': { when: 'An agent is in search again.', to: 'the developer' },
  'invocation.progress': {
    when: 'The agent of a job has reported its progress. At most one each ten seconds of a call.',
    to: 'the buyer',
  },
  'invocation.input_required': {
    when: 'The agent of a job has asked its buyer a question. `GET /v1/invocations/{invocation_id}` has its schema.',
    to: 'the buyer',
  },
  'invocation.succeeded': { when: 'A call was answered and charged.', to: 'the buyer and the developer' },
  'invocation.failed': { when: 'A call failed and was refunded.', to: 'the buyer and the developer' },
  'dispute.opened': { when: 'A buyer has disputed a call.', to: 'the buyer and the developer' },
  'dispute.offered': {
    when: 'The developer of a contested dispute has offered to return a part of the charge. The buyer accepts or declines it.',
    to: 'the buyer and the developer',
  },
  'dispute.resolved': { when: 'A dispute was decided.', to: 'the buyer and the developer' },
  'bond.slashed': { when: 'An operator has slashed the bond.', to: 'the developer' },
  'slash.finalized': {
    when: 'A slash has become final, and its amount went to the buyers, or to the platform as a penalty.',
    to: 'the developer',
  },
  'warranty.broken': {
    when: 'An agent has broken its warranty in a month. The remedy leaves the bond, and goes to the buyers when the slash is final.',
    to: 'the developer and the buyers of the month',
  },
  'slash.overturned': {
    when: 'An operator has overturned a slash, and its amount is back in the bond.',
    to: 'the developer',
  },
  'payout.initiated': { when: 'A payout was reserved.', to: 'the developer' },
  'payout.completed': { when: 'A payout was paid.', to: 'the developer' },
  'payout.failed': { when: 'A payout failed, or the bank sent it back.', to: 'the developer' },
  'credits.loaded': { when: 'A top-up succeeded.', to: 'the account' },
  'topup.failed': {
    when: 'An automatic top-up failed, or automatic top-ups stopped because their payment method has ended.',
    to: 'the account',
  },
  'rubric.announced': {
    when: 'An operator announced a new rubric. Comments are taken until `comment_ends_at`; then it takes effect.',
    to: 'every developer',
  },
  'price.announced': {
    when: 'A price of an agent will rise. Calls cost `pricing` until `price_effective_at`, and `next_pricing` from then on.',
    to: 'accounts with paid calls of the agent in the last 30 days, not the developer',
  },
};
