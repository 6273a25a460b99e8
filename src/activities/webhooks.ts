import { ApplicationFailure } from '@temporalio/common';
import type { AttemptEnd, AttemptPlan } from '../domain/webhooks/webhook-delivery';
import type { WebhookDeliveries } from '../services/webhooks/webhook-deliveries';
import { withHeartbeats } from './heartbeat';

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;

/** When an attempt is made again whose account had its share of the attempts of a worker. */
const BUSY_RETRY_MS = 3_000;

/** The activities of the `webhookDelivery` workflow. */
export function createWebhookActivities(deliveries: Pick<WebhookDeliveries, 'attempt' | 'giveUp'>) {
  return {
    /** `plan` is absent in deliveries that an earlier release began. */
    attemptDelivery: (deliveryId: string, round: number, plan?: AttemptPlan): Promise<AttemptEnd> =>
      withHeartbeats(async () => {
        const end = await deliveries.attempt(deliveryId, round, plan);
        if (end !== 'busy') return end;
        const nextRetryDelay = BUSY_RETRY_MS * (1 + Math.random());
        throw ApplicationFailure.create({ message: 'wait', type: 'Busy', nextRetryDelay });
      }),
    giveUpDelivery: (deliveryId: string, round: number): Promise<void> =>
      deliveries.giveUp(deliveryId, round),
  };
}
