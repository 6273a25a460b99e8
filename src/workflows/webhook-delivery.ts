/**
 * Delivers one event to one address (contract, "Webhooks"), id `webhook/<event>/<endpoint>`: at once, and after each
 * failure again by a fixed schedule over a day and more. It knows ids only; what is sent and where to lies in Postgres.
 */
import { proxyActivities, sleep } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks';
import { type DeliveryState, RETRY_PAUSES_MS, type WebhookDeliveryInput } from '../domain/webhook-delivery';

const { attemptDelivery, giveUpDelivery } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '40s',
  // Of our own faults (Postgres away); an endpoint's failure is an answer.
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
});

export async function webhookDelivery({ deliveryId }: WebhookDeliveryInput): Promise<DeliveryState> {
  for (const pauseMs of [0, ...RETRY_PAUSES_MS]) {
    if (pauseMs > 0) await sleep(pauseMs);
    const state = await attemptDelivery(deliveryId);
    if (state !== 'pending') return state;
  }
  await giveUpDelivery(deliveryId);
  return 'failed';
}
