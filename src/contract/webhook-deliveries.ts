/** Deliveries of events to webhooks, as their owners read them. */
import { Type } from '@sinclair/typebox';
import { named, Nullable, strictObject, text, Timestamp } from './common';

export const DeliveryId = text({ maxLength: 36, pattern: '^whd_[0-9a-f]{32}$' });

export const DeliveryStatus = named(
  'DeliveryStatus',
  Type.Union(
    [Type.Literal('pending'), Type.Literal('delivered'), Type.Literal('failed'), Type.Literal('gone')],
    { description: 'failed: every attempt failed; gone: 410, or the webhook was disabled' },
  ),
);
export const Delivery = named(
  'WebhookDelivery',
  strictObject({
    delivery_id: DeliveryId,
    event_id: Type.String({ description: 'The `webhook-id` of every attempt' }),
    status: DeliveryStatus,
    body: strictObject({
      type: Type.String(),
      timestamp: Timestamp,
      data: Type.Record(Type.String(), Type.Unknown()),
    }),
    attempts: Type.Array(
      strictObject({
        attempt: Type.Integer({ minimum: 1 }),
        at: Timestamp,
        status: Type.Union([Type.Integer(), Type.Null()], {
          description: 'HTTP status; null without a response',
        }),
        error: Type.Union([Type.String(), Type.Null()], {
          description:
            'Why the attempt got no usable response: unreachable (also for an address that is not public), tls, timeout, redirect, …',
        }),
        duration_ms: Type.Integer(),
        answer: Type.Union([Type.String({ maxLength: 500 }), Type.Null()], {
          description:
            'The beginning of the answer: untrusted text of one line, in which headers of the request and secrets are masked; null if it was empty or no text',
        }),
      }),
    ),
    next_attempt_at: Type.Union([Timestamp, Type.Null()], {
      description: 'Null before the first attempt, and when none follows',
    }),
    created_at: Timestamp,
    finished_at: Nullable(Timestamp),
  }),
);
