import { Type, type TLiteral } from '@sinclair/typebox';
import { EVENT_TYPES, type EventType } from '../domain/webhooks/event';
import {
  DEFAULT_GRACE_SECONDS,
  MAX_GRACE_SECONDS,
  MAX_WEBHOOKS_PER_ACCOUNT,
} from '../domain/webhooks/webhook';
import {
  AgentId,
  checkedLater,
  named,
  Nullable,
  page,
  pageQuery,
  strictObject,
  text,
  Timestamp,
} from './common';
import { defineOperation } from './operation';
import { Delivery, DeliveryId, DeliveryStatus } from './webhook-deliveries';

const tag = 'Webhooks';
const auth = { scope: 'webhooks:manage' } as const;
const WebhookId = text({ maxLength: 36, pattern: '^whk_[0-9a-f]{32}$' });
const params = strictObject({ webhook_id: WebhookId });
const Url = text({
  minLength: 1,
  maxLength: 2_048,
  description: 'HTTPS URL on a public host; a redirect counts as a failed attempt',
});
export const EventTypes = Type.Array(
  named(
    'EventType',
    Type.Union(EVENT_TYPES.map((type) => Type.Literal(type)) as unknown as [TLiteral<EventType>]),
  ),
  { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true },
);
const Agent = Nullable(AgentId);

const fields = {
  webhook_id: WebhookId,
  url: Type.String(),
  types: EventTypes,
  agent_id: Nullable(Type.String({ description: 'Limits the webhook to events of this agent' })),
  enabled: Type.Boolean(),
  disabled_reason: Type.Union([Type.Literal('owner'), Type.Literal('gone'), Type.Null()], {
    description: 'owner: you disabled it; gone: the endpoint answered 410',
  }),
  public_key: Type.Union([Type.String({ pattern: '^whpk_[A-Za-z0-9+/]{43}=$' }), Type.Null()], {
    description: 'Verifies the signatures `v1a` (Ed25519); null until the next rotation of an older webhook',
  }),
  previous_secret_expires_at: Type.Union([Timestamp, Type.Null()], {
    description: 'The previous secret and key pair also sign deliveries until then',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
};
const Webhook = named('Webhook', strictObject(fields));
const IssuedWebhook = named(
  'IssuedWebhook',
  strictObject({
    ...fields,
    secret: Type.String({
      description: 'Shown once, in this response',
      pattern: '^whsec_[A-Za-z0-9+/=]{44}$',
    }),
  }),
);

const example = {
  webhook_id: 'whk_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  url: 'https://example.com/hooks/market',
  types: ['invocation.succeeded', 'dispute.opened'],
  agent_id: null,
  enabled: true,
  disabled_reason: null,
  public_key: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
  previous_secret_expires_at: null,
  created_at: '2026-11-02T00:00:00.000Z',
  updated_at: '2026-11-02T00:00:00.000Z',
};
const issuedExample = { ...example, secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' };
const deliveryExample = {
  delivery_id: 'whd_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  event_id: 'evt_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  status: 'delivered',
  body: {
    type: 'credits.loaded',
    timestamp: '2026-11-02T00:00:00.000Z',
    data: {
      topup_id: 'top_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      credits: 100,
      amount_minor: 10_000,
      currency: 'INR',
      loaded_at: '2026-11-02T00:00:00.000Z',
    },
  },
  attempts: [
    { attempt: 1, at: '2026-11-02T00:00:01.000Z', status: 204, error: null, duration_ms: 41, answer: null },
  ],
  next_attempt_at: null,
  created_at: '2026-11-02T00:00:00.000Z',
  finished_at: '2026-11-02T00:00:01.000Z',
};

export const WebhookCreation = named(
  'WebhookCreation',
  strictObject({ url: Url, types: EventTypes, agent_id: Type.Optional(Agent) }),
);
export const WebhookChange = named(
  'WebhookChange',
  strictObject({
    url: Type.Optional(Url),
    types: Type.Optional(EventTypes),
    agent_id: Type.Optional(Agent),
    enabled: Type.Optional(Type.Boolean()),
  }),
);

export const createWebhook = defineOperation({
  id: 'createWebhook',
  method: 'post',
  path: '/v1/webhooks',
  tag,
  summary: 'Create a webhook',
  description:
    'Requests follow Standard Webhooks: headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, body ' +
    '`{type, timestamp, data}`. Delivery is at least once and not in order: at once, then after 5 s, 5 min, 30 min, 2 h, ' +
    '5 h, 10 h and 10 h. A webhook receives the events of your account: of your agents, bond, payouts, calls, disputes ' +
    'and credits. With `agent_id`, it receives only events of that agent; the agent must be yours, unless the only type ' +
    `is \`trust_score.updated\` and the agent is listed. An account can have ${MAX_WEBHOOKS_PER_ACCOUNT} webhooks.`,
  auth,
  body: checkedLater(WebhookCreation),
  responses: { 201: IssuedWebhook },
  errors: ['not_found', 'invalid_state', 'validation_failed', 'unsafe_url'],
  examples: { request: { url: example.url, types: example.types }, response: issuedExample },
});

export const listWebhooks = defineOperation({
  id: 'listWebhooks',
  method: 'get',
  path: '/v1/webhooks',
  tag,
  summary: 'List your webhooks, newest first',
  auth,
  query: strictObject(pageQuery),
  responses: { 200: page(Webhook) },
  examples: { response: { items: [example], next_cursor: null, total: 1 } },
});

export const getWebhook = defineOperation({
  id: 'getWebhook',
  method: 'get',
  path: '/v1/webhooks/{webhook_id}',
  tag,
  summary: 'Get a webhook',
  auth,
  params,
  responses: { 200: Webhook },
  errors: ['not_found'],
  examples: { response: example },
});

export const updateWebhook = defineOperation({
  id: 'updateWebhook',
  method: 'patch',
  path: '/v1/webhooks/{webhook_id}',
  tag,
  summary: 'Update a webhook',
  description:
    'Omitted fields keep their values. A webhook that is enabled again receives only later events; ' +
    'redeliver the ones that it missed.',
  auth,
  params,
  body: checkedLater(WebhookChange),
  responses: { 200: Webhook },
  errors: ['not_found', 'validation_failed', 'unsafe_url'],
  examples: { request: { enabled: true }, response: example },
});

export const deleteWebhook = defineOperation({
  id: 'deleteWebhook',
  method: 'delete',
  path: '/v1/webhooks/{webhook_id}',
  tag,
  summary: 'Delete a webhook',
  description: 'Nothing more is sent to it, including pending deliveries.',
  auth,
  params,
  responses: { 204: null },
  errors: ['not_found'],
});

export const testWebhook = defineOperation({
  id: 'testWebhook',
  method: 'post',
  path: '/v1/webhooks/{webhook_id}/test',
  tag,
  summary: 'Send a test event (`webhook.test`)',
  auth,
  params,
  responses: { 202: Delivery },
  errors: ['not_found', 'invalid_state', 'concurrency_limited'],
  examples: { response: deliveryExample },
});

export const rotateWebhookSecret = defineOperation({
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/v1/webhooks/{webhook_id}/rotate-secret',
  tag,
  summary: 'Rotate the secret of a webhook',
  description:
    'For `grace_seconds`, every delivery carries two signatures, by the new and by the previous secret, so ' +
    'that a receiver can change secrets without refusing deliveries. With 0, the previous secret stops ' +
    'signing at once.',
  auth,
  params,
  body: strictObject({
    grace_seconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_GRACE_SECONDS, default: DEFAULT_GRACE_SECONDS }),
    ),
  }),
  responses: { 200: IssuedWebhook },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { grace_seconds: 3_600 }, response: issuedExample },
});

export const listWebhookDeliveries = defineOperation({
  id: 'listWebhookDeliveries',
  method: 'get',
  path: '/v1/webhooks/{webhook_id}/deliveries',
  tag,
  summary: 'List the deliveries to a webhook, newest first',
  description: 'Includes every attempt. Finished deliveries are retained for 30 days.',
  auth,
  params,
  query: strictObject({ ...pageQuery, status: Type.Optional(DeliveryStatus) }),
  responses: { 200: page(Delivery) },
  errors: ['not_found'],
  examples: { response: { items: [deliveryExample], next_cursor: null, total: 1 } },
});

export const redeliverWebhook = defineOperation({
  id: 'redeliverWebhook',
  method: 'post',
  path: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
  tag,
  summary: 'Redeliver an event',
  description:
    'Sends the event at once and then by the whole retry schedule, whatever its status. The `webhook-id` ' +
    'stays the same, so that a receiver can recognize it.',
  auth,
  params: strictObject({ webhook_id: WebhookId, delivery_id: DeliveryId }),
  responses: { 202: Delivery },
  errors: ['not_found', 'invalid_state', 'concurrency_limited'],
  examples: { response: deliveryExample },
});

export const webhookOperations = [
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret,
  listWebhookDeliveries,
  redeliverWebhook,
];
