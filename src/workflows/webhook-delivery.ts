/**
 * Delivers one event to one address (contract, "Webhooks"), id `webhook/<event>/<endpoint>`: at once, and after each
 * failure again, by a fixed schedule of more than a day. The workflow holds ids only; payload and address are in
 * Postgres. Each redelivery that the owner requests is a round with its own workflow, and the workflow of the round
 * before ends.
 */
import { proxyActivities, sleep } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks';
import type { DeliveryEnd, WebhookDeliveryInput } from '../domain/webhooks/webhook-delivery';

const { attemptDelivery, giveUpDelivery } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '40s',
  // Detects a worker that died.
  heartbeatTimeout: '10s',
  // For internal faults (Postgres is unreachable). A failure of the endpoint is a return value.
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
});

export async function webhookDelivery(input: WebhookDeliveryInput): Promise<DeliveryEnd> {
  const { deliveryId, round, pausesMs } = input;
  for (const pauseMs of [0, ...pausesMs]) {
    if (pauseMs > 0) await sleep(pauseMs);
    const state = await attemptDelivery(deliveryId, round);
    if (state !== 'pending') return state;
  }
  await giveUpDelivery(deliveryId, round);
  return 'failed';
}
