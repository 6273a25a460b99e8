import type { DeliveryState } from '../domain/webhook-delivery';
import type { WebhookDeliveries } from '../services/webhook-deliveries';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** The steps of the `webhookDelivery` workflow, told to Temporal. */
export function createWebhookActivities(deliveries: Pick<WebhookDeliveries, 'attempt' | 'giveUp'>) {
  return {
    attemptDelivery: (deliveryId: string): Promise<DeliveryState> => deliveries.attempt(deliveryId),
    giveUpDelivery: (deliveryId: string): Promise<void> => deliveries.giveUp(deliveryId),
  };
}
