/** The deliveries of an endpoint for its owner: listing, redelivery, and test events. */
import { MarketError } from '../../domain/errors';
import { type DbPool, withTransaction } from '../../stores/db';
import { countUntried, purgeEvents, recordTestEvent } from '../../stores/webhooks/outbox';
import {
  deliverAgain,
  type DeliveryFilter,
  listDeliveries,
  readDeliveryView,
} from '../../stores/webhooks/webhook-history';
import type { WebhookRow } from '../../stores/webhooks/webhooks';
import type { Webhooks } from './webhooks';

const KEEP_DAYS = 30;
const KEEP_MS = KEEP_DAYS * 86_400_000;
const PURGE_BATCH = 1_000;
/** Deliveries of an account without an attempt, from which on it gets no test event. */
const MAX_UNTRIED = 20;

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

    /** Starts a new round of a delivery. Throws `not_found`, or `invalid_state` if the endpoint is disabled. */
    async redeliver(userId: string, webhookId: string, deliveryId: string) {
      await enabled(userId, webhookId);
      const found = await deliverAgain(pool, webhookId, deliveryId);
      const delivery = found && (await readDeliveryView(pool, webhookId, deliveryId));
      if (!delivery) throw new MarketError('not_found');
      return delivery;
    },

    /**
     * Delivers an event `webhook.test`. Throws `invalid_state` if the endpoint is disabled, and `concurrency_limited` while
     * too many deliveries of the account have had no attempt.
     */
    async test(userId: string, webhookId: string) {
      await enabled(userId, webhookId);
      const eventId = await withTransaction(pool, async (tx) => {
        if ((await countUntried(tx, userId, MAX_UNTRIED)) >= MAX_UNTRIED) throw tooManyUntried();
        return recordTestEvent(tx, webhookId, { webhook_id: webhookId });
      });
      const delivery = await readDeliveryView(pool, webhookId, eventId);
      if (!delivery) throw new Error(`no delivery of ${eventId}`);
      return delivery;
    },

    /** Deletes ended, expired deliveries of all accounts. A loop of the worker calls it. */
    async purge(): Promise<void> {
      while ((await purgeEvents(pool, KEEP_MS, PURGE_BATCH)) >= PURGE_BATCH);
    },
  };
}

export type WebhookHistory = ReturnType<typeof createWebhookHistory>;

function tooManyUntried(): MarketError {
  const message = `${MAX_UNTRIED} deliveries of this account wait for their first attempt. Send a test when they have had it.`;
  return new MarketError('concurrency_limited', { message, retryAfterSeconds: 5 });
}

function requireEnabled({ disabledReason }: WebhookRow): void {
  if (disabledReason === null) return;
  throw new MarketError('invalid_state', {
    message: 'This webhook is disabled. Enable it first: PATCH it with {"enabled": true}.',
  });
}
