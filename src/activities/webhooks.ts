import { heartbeat } from '@temporalio/activity';
import type { DeliveryEnd } from '../domain/webhooks/webhook-delivery';
import type { WebhookDeliveries } from '../services/webhooks/webhook-deliveries';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

const HEARTBEAT_MS = 3_000;

/** The steps of the `webhookDelivery` workflow, told to Temporal. */
export function createWebhookActivities(deliveries: Pick<WebhookDeliveries, 'attempt' | 'giveUp'>) {
  return {
    /** `round` is absent in workflows that began before there were rounds. */
    async attemptDelivery(deliveryId: string, round = 0): Promise<DeliveryEnd> {
      const beat = setInterval(heartbeat, HEARTBEAT_MS);
      try {
        return await deliveries.attempt(deliveryId, round);
      } finally {
        clearInterval(beat);
      }
    },
    giveUpDelivery: (deliveryId: string, round = 0): Promise<void> => deliveries.giveUp(deliveryId, round),
  };
}
