/** The bodies of events: what a webhook receives, and what the event stream yields. */
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
import { EVENT_TYPES, type EventType } from '../domain/webhooks/event';
import { AgentId, Credits, named, Nullable, Slug, strictObject, Timestamp } from './common';
import { Pricing } from './manifest';
import { Warranty, WarrantyFigures } from './warranties';
import { BadgeName } from './trust';

const review = {
  review_id: Type.String(),
  agent_id: AgentId,
  invocation_id: Type.String(),
  rating: Type.Integer({ minimum: 1, maximum: 5 }),
};
const agent = { agent_id: AgentId, slug: Slug };
const Badge = Nullable(BadgeName);

const call = {
  invocation_id: Type.String(),
  agent_id: AgentId,
  version: Type.String(),
  surface: Type.String({ description: 'Where the call was made, such as invoke, chat or mcp' }),
  status: Type.String(),
  usage: strictObject({
    tokens_in: Type.Integer(),
    tokens_out: Type.Integer(),
    duration_ms: Type.Integer(),
    credits_charged: Credits,
  }),
  error_code: Nullable(Type.String({ description: 'Why the call failed; null for a successful one' })),
  invoked_at: Timestamp,
  settled_at: Nullable(Timestamp),
};
const dispute = {
  dispute_id: Type.String(),
  invocation_id: Type.String(),
  agent_id: AgentId,
  reason: Type.String(),
  status: Type.String(),
  resolution: Nullable(Type.String()),
  refunded_credits: Credits,
  opened_at: Timestamp,
  respond_by: Nullable(Timestamp),
  resolved_at: Nullable(Timestamp),
};
const slash = {
  slash_id: Type.String(),
  agent_id: AgentId,
  status: Type.String(),
  resolution: Nullable(Type.String()),
  credits: Credits,
  requested_credits: Credits,
  refund: Type.String(),
  explanation: Type.String(),
  evidence: Type.Record(Type.String(), Type.Unknown()),
  applied_at: Timestamp,
  counter_by: Timestamp,
  resolved_at: Nullable(Timestamp),
  top_up_by: Nullable(Timestamp),
  bond_credits: Credits,
};
const payout = {
  payout_id: Type.String(),
  status: Type.String(),
  credits: Credits,
  method: Type.String(),
  amount_minor: Type.Optional(Type.Integer()),
  currency: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String({ description: 'Why the payout failed' })),
  period_end: Timestamp,
};

/**
 * The fields of `data` of each type of event. Fields can be added: a receiver ignores those that it does not know.
 */
const EVENT_FIELDS: Record<EventType, TProperties> = {
  'trust_score.updated': {
    ...agent,
    score: Type.Number(),
    previous_score: Nullable(Type.Number()),
    badge: Badge,
    previous_badge: Badge,
    rubric_version: Type.String(),
    verified_at: Timestamp,
  },
  'agent.verification_completed': {
    ...agent,
    version: Type.String(),
    run_id: Type.String(),
    outcome: Type.String({
      description: 'live, rejected or superseded; passed or failed for a version that serves',
    }),
    score: Type.Number(),
    badge: Badge,
    rubric_version: Type.String(),
    verified_at: Timestamp,
  },
  'agent.delisted': { ...agent, reasons: Type.Array(Type.String()) },
  'agent.relisted': agent,
  'agent.tools_changed': {
    ...agent,
    version: Type.String(),
    list_id: Type.String(),
    state: Type.String({ description: 'candidate, verified or refused' }),
    tools_digest: Type.String(),
    added: Type.Integer(),
    removed: Type.Integer(),
    changed: Type.Integer(),
  },
  'finding.waived': {
    ...agent,
    finding_id: Type.String(),
    waiver_id: Type.String(),
    expires_at: Nullable(Timestamp),
  },
  'finding.contest_refused': { ...agent, finding_id: Type.String(), contest_id: Type.String() },
  'finding.waiver_ended': { ...agent, finding_id: Type.String(), waiver_id: Type.String() },
  'review.written': review,
  'review.answered': review,
  'review.removed': review,
  'invocation.progress': {
    invocation_id: Type.String(),
    agent_id: AgentId,
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    reported_at: Timestamp,
  },
  'invocation.input_required': {
    invocation_id: Type.String(),
    agent_id: AgentId,
    version: Type.String(),
    surface: Type.String(),
    question_id: Type.String(),
    prompt: Nullable(
      Type.String({ description: 'What the agent asks: untrusted text; null once the question is closed' }),
    ),
    asked_at: Timestamp,
    expires_at: Timestamp,
  },
  'invocation.succeeded': call,
  'invocation.failed': call,
  'dispute.opened': dispute,
  'dispute.offered': {
    dispute_id: Type.String(),
    invocation_id: Type.String(),
    agent_id: AgentId,
    offer_id: Type.String(),
    refund_credits: Credits,
    charged_credits: Credits,
    offered_at: Timestamp,
  },
  'dispute.resolved': dispute,
  'bond.slashed': slash,
  'slash.finalized': slash,
  'slash.overturned': slash,
  'warranty.broken': {
    agent_id: AgentId,
    month: Type.String({ description: 'In UTC, such as 2026-11' }),
    warranty: Warranty,
    figures: WarrantyFigures,
    slash_id: Nullable(
      Type.String({ description: 'The slash that pays the remedy; null if the bond was empty' }),
    ),
    remedy_credits: Credits,
    decided_at: Timestamp,
  },
  'payout.initiated': payout,
  'payout.completed': payout,
  'payout.failed': payout,
  'credits.loaded': {
    topup_id: Type.String(),
    credits: Credits,
    amount_minor: Type.Integer(),
    currency: Type.String(),
    loaded_at: Nullable(Timestamp),
  },
  'topup.failed': {
    topup_id: Nullable(
      Type.String({ description: 'Null when the payment method ended between two top-ups' }),
    ),
    credits: Credits,
    amount_minor: Nullable(Type.Integer()),
    currency: Type.String(),
    reason: Type.String({
      description:
        'A code, such as card_declined, authentication_required, method_ended or provider_unreachable',
    }),
    failed_in_a_row: Type.Integer(),
    stopped: Type.Boolean({ description: 'Automatic top-ups have stopped until they are set anew' }),
    failed_at: Timestamp,
  },
  'rubric.announced': {
    rubric_version: Type.String(),
    weights_changed: Type.Boolean(),
    changelog: Type.String(),
    rfc_url: Nullable(Type.String()),
    announced_at: Timestamp,
    comment_ends_at: Timestamp,
  },
  'price.announced': {
    ...agent,
    version: Type.String(),
    pricing: Pricing,
    next_pricing: Pricing,
    price_effective_at: Timestamp,
  },
};

const EventId = Type.Optional(
  Type.String({ description: 'Id of the event, in the event stream; a webhook receives it as `webhook-id`' }),
);

/** `trust_score.updated` becomes `TrustScoreUpdated`. */
const nameOf = (type: string) =>
  type.replace(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const eventOf = (type: string, fields: TProperties): TObject =>
  named(
    `${nameOf(type)}Event`,
    strictObject({ id: EventId, type: Type.Literal(type), timestamp: Timestamp, data: strictObject(fields) }),
  );

/** The body of each type of event, with the test event of a webhook. */
export const EVENT_BODIES: readonly [type: EventType | 'webhook.test', body: TObject][] = [
  ...EVENT_TYPES.map((type): [EventType, TObject] => [type, eventOf(type, EVENT_FIELDS[type])]),
  ['webhook.test', eventOf('webhook.test', { webhook_id: Type.String() })],
];

/** The body that a webhook receives, by its `type`. */
export const WebhookEvent = named(
  'WebhookEvent',
  Type.Union(
    EVENT_BODIES.map(([, body]) => body),
    { description: 'An event, as a webhook receives it; `type` says which `data` it has' },
  ),
);
