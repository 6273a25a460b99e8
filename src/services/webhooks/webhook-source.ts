import type { Cipher } from '../../kit/crypto/cipher';
import { signWebhook } from '../../kit/crypto/webhook-signature';
import type { DbPool } from '../../stores/db';
import { type EventRow, readEvent } from '../../stores/webhooks/outbox';
import { disableGone, readWebhook } from '../../stores/webhooks/webhooks';
import { createPrompts, dataOf } from './question-prompts';
import type { DeliverySource } from './webhook-deliveries';
import { signersAt, unsealWebhook } from './webhook-secrets';

/** The body for an event (Standard Webhooks). */
export function eventBody({ type, createdAt, data }: Pick<EventRow, 'type' | 'createdAt' | 'data'>) {
  return { type, timestamp: createdAt.toISOString(), data: dataOf({ type, data }) };
}

/**
 * Events for the webhook endpoints of accounts. The message id is the event's id and the same for every attempt. The
 * timestamp is that of the attempt, so that receivers can reject old messages. Every valid secret and key
 * pair signs.
 */
export function createWebhookSource({ pool, cipher }: { pool: DbPool; cipher: Cipher }): DeliverySource {
  const withPrompt = createPrompts({ pool, cipher });
  return {
    isStable: true,

    async payload({ eventId }) {
      const event = await readEvent(pool, eventId);
      return event && Buffer.from(JSON.stringify(eventBody(await withPrompt(event))));
    },

    async request({ endpointId, eventId }, body) {
      const row = await readWebhook(pool, endpointId);
      if (!row || row.disabledReason) return undefined;
      const target = await unsealWebhook(cipher, row);
      const nowMs = Date.now();
      const signers = signersAt(target, nowMs);
      return { url: target.url, headers: signWebhook(signers, eventId, Math.floor(nowMs / 1000), body) };
    },

    disable: (endpointId) => disableGone(pool, endpointId),
  };
}
