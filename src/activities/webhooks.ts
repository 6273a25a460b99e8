import type { DeliveryEnd } from '../domain/webhooks/webhook-delivery';
import type { WebhookDeliveries } from '../services/webhooks/webhook-deliveries';
import { withHeartbeats } from './heartbeat';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** The activities of the `webhookDelivery` workflow. */
export function createWebhookActivities(deliveries: Pick<WebhookDeliveries, 'attempt' | 'giveUp'>) {
  return {
    attemptDelivery: (deliveryId: string, round: number): Promise<DeliveryEnd> =>
      withHeartbeats(() => deliveries.attempt(deliveryId, round)),
    giveUpDelivery: (deliveryId: string, round: number): Promise<void> =>
      deliveries.giveUp(deliveryId, round),
  };
}
