/** The deliveries of an endpoint for its owner: listing, redelivery, and test events. */
import { MarketError } from '../../domain/errors';
import { EVENTS_KEPT_MS } from '../../domain/webhooks/event-stream';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { countRequested, purgeEvents, recordTestEvent } from '../../stores/webhooks/outbox';
import {
  deliverAgain,
  type DeliveryFilter,
  listDeliveries,
  readDeliveryView,
} from '../../stores/webhooks/webhook-history';
import { purgeInbox } from '../../stores/webhooks/event-inbox';
import type { WebhookRow } from '../../stores/webhooks/webhooks';
import type { Webhooks } from './webhooks';

const KEEP_DAYS = 30;
const KEEP_MS = KEEP_DAYS * 86_400_000;
const PURGE_BATCH = 1_000;
/** Test events and redeliveries of an account that may wait for an attempt. */
const MAX_REQUESTED = 20;

export function createWebhookHistory({ pool, webhooks }: { pool: DbPool; webhooks: Pick<Webhooks, 'own'> }) {
  async function enabled(userId: string, webhookId: string): Promise<void> {
    requireEnabled(await webhooks.own(userId, webhookId));
  }

  return {
    /** The deliveries to an endpoint, newest first. Throws `not_found` for everybody but its owner. */
    async list(userId: string, webhookId: string, filter: DeliveryFilter) {
      await webhooks.own(userId, webhookId);
      return listDeliveries(pool, webhookId, filter);
    },

    /**
     * Starts a new round of a delivery. Throws `not_found`, `invalid_state` if the endpoint is disabled, and
     * `concurrency_limited` while too many test events and redeliveries of the account wait for an attempt.
     */
    async redeliver(userId: string, webhookId: string, deliveryId: string) {
      await enabled(userId, webhookId);
      const found = await withTransaction(pool, async (tx) => {
        await requireFewRequested(tx, userId);
        return deliverAgain(tx, webhookId, deliveryId);
      });
      const delivery = found && (await readDeliveryView(pool, webhookId, deliveryId));
      if (!delivery) throw new MarketError('not_found');
      return delivery;
    },

    /**
     * Delivers an event `webhook.test`. Throws `invalid_state` if the endpoint is disabled, and `concurrency_limited`
     * while too many test events and redeliveries of the account wait for an attempt.
     */
    async test(userId: string, webhookId: string) {
      await enabled(userId, webhookId);
      const eventId = await withTransaction(pool, async (tx) => {
        await requireFewRequested(tx, userId);
        return recordTestEvent(tx, webhookId, { webhook_id: webhookId });
      });
      const delivery = await readDeliveryView(pool, webhookId, eventId);
      if (!delivery) throw new Error(`no delivery of ${eventId}`);
      return delivery;
    },

    /** Deletes ended, expired deliveries of all accounts, and old events of streams. A loop of the worker calls it. */
    async purge(): Promise<void> {
      while ((await purgeEvents(pool, KEEP_MS, PURGE_BATCH)) >= PURGE_BATCH);
      while ((await purgeInbox(pool, EVENTS_KEPT_MS, PURGE_BATCH)) >= PURGE_BATCH);
    },
  };
}

export type WebhookHistory = ReturnType<typeof createWebhookHistory>;

async function requireFewRequested(tx: Db, userId: string): Promise<void> {
  if ((await countRequested(tx, userId, MAX_REQUESTED)) < MAX_REQUESTED) return;
  const message = `${MAX_REQUESTED} test events and redeliveries of this account wait for an attempt. Request the next one when these were sent.`;
  throw new MarketError('concurrency_limited', { message, retryAfterSeconds: 5 });
}

function requireEnabled({ disabledReason }: WebhookRow): void {
  if (disabledReason === null) return;
  throw new MarketError('invalid_state', {
    message: 'This webhook is disabled. Enable it first: PATCH it with {"enabled": true}.',
  });
}
