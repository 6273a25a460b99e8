import type { WebhookHistory } from '../../services/webhooks/webhook-history';
import type { AccountEvent } from '../../services/webhooks/event-streams';
import { eventBody } from '../../services/webhooks/webhook-source';
import type { IssuedWebhook, Webhook } from '../../services/webhooks/webhooks';

export function webhookView(webhook: Webhook) {
  return {
    webhook_id: webhook.webhookId,
    url: webhook.url,
    types: webhook.types,
    agent_id: webhook.agentId,
    enabled: webhook.disabledReason === null,
    disabled_reason: webhook.disabledReason,
    public_key: webhook.publicKey,
    previous_secret_expires_at: webhook.previousSecretUntil?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

export function issuedWebhookView(issued: IssuedWebhook) {
  return { ...webhookView(issued), secret: issued.secret };
}

export function webhookDeliveryView(delivery: Awaited<ReturnType<WebhookHistory['test']>>) {
  const { type, data, eventAt } = delivery;
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    status: delivery.state,
    body: eventBody({ type, data, createdAt: eventAt }),
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  };
}

/** An event of the account's stream: the body of a delivery, with the event's id. */
export function accountEventView(event: AccountEvent) {
  return { id: event.eventId, ...eventBody(event) };
}
