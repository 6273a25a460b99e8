/**
 * Delivers one event to one address (contract, "Webhooks"), id `webhook/<event>/<endpoint>`: at once, and after each
 * failure again by a fixed schedule over a day and more. It knows ids only; what is sent and where to lies in Postgres.
 * A delivery that its owner asks for again gets a workflow of its own for that round, and the one before ends.
 */
import { proxyActivities, sleep } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks';
import {
  type DeliveryEnd,
  RETRY_PAUSES_MS,
  type WebhookDeliveryInput,
} from '../domain/webhooks/webhook-delivery';

const { attemptDelivery, giveUpDelivery } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '40s',
  // A worker that died is noticed by its silence.
  heartbeatTimeout: '10s',
  // Of our own faults (Postgres away); an endpoint's failure is an answer.
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
});

export async function webhookDelivery(input: WebhookDeliveryInput): Promise<DeliveryEnd> {
  const { deliveryId, round = 0, pausesMs = RETRY_PAUSES_MS } = input;
  for (const pauseMs of [0, ...pausesMs]) {
    if (pauseMs > 0) await sleep(pauseMs);
    const state = await attemptDelivery(deliveryId, round);
    if (state !== 'pending') return state;
  }
  await giveUpDelivery(deliveryId, round);
  return 'failed';
}
