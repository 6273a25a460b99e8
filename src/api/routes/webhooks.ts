import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../contract/webhooks';
import { MarketError } from '../../domain/errors';
import { DEFAULT_GRACE_SECONDS } from '../../domain/webhooks/webhook';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import type { WebhookHistory } from '../../services/webhooks/webhook-history';
import { eventBody } from '../../services/webhooks/webhook-source';
import type { IssuedWebhook, Webhook, Webhooks } from '../../services/webhooks/webhooks';
import type { RouteBinder } from '../binding/route';

export interface WebhookRouteDeps {
  webhooks: Webhooks;
  webhookHistory: WebhookHistory;
}

/** Everything under /v1/webhooks, for the owner of the endpoint alone. */
export function webhookRoutes(binder: RouteBinder, { webhooks, webhookHistory }: WebhookRouteDeps): void {
  binder.bind(createWebhook, async ({ principal, body }) => {
    const wish = { url: body.url, types: body.types, agentId: body.agent_id ?? null };
    return toIssued(await webhooks.create(principal.userId, wish));
  });

  binder.bind(listWebhooks, async ({ principal, query }) => {
    const { limit, beforeId, nextCursor } = pageOf(`webhooks/${principal.userId}`, 'whk', query);
    const { items, total } = await webhooks.list(principal.userId, { limit, beforeId });
    const shown = items.slice(0, limit);
    const cursor = items.length > limit ? nextCursor(shown.at(-1)?.webhookId) : null;
    return { items: shown.map(toWebhook), next_cursor: cursor, total };
  });

  binder.bind(getWebhook, async ({ principal, params }) =>
    toWebhook(await webhooks.get(principal.userId, params.webhook_id)),
  );

  binder.bind(updateWebhook, async ({ principal, params, body }) => {
    const { agent_id: agentId, ...rest } = body;
    const patch = { ...rest, ...(agentId !== undefined && { agentId }) };
    return toWebhook(await webhooks.update(principal.userId, params.webhook_id, patch));
  });

  binder.bind(deleteWebhook, async ({ principal, params }) => {
    await webhooks.delete(principal.userId, params.webhook_id);
    return undefined;
  });

  binder.bind(rotateWebhookSecret, async ({ principal, params, body }) => {
    const graceSeconds = body.grace_seconds ?? DEFAULT_GRACE_SECONDS;
    return toIssued(await webhooks.rotate(principal.userId, params.webhook_id, graceSeconds));
  });

  deliveryRoutes(binder, webhookHistory);
}

function deliveryRoutes(binder: RouteBinder, history: WebhookHistory): void {
  binder.bind(testWebhook, async ({ principal, params }) =>
    toDelivery(await history.test(principal.userId, params.webhook_id)),
  );

  binder.bind(listWebhookDeliveries, async ({ principal, params, query }) => {
    const scope = `webhook-deliveries/${params.webhook_id}/${query.status ?? ''}`;
    const { limit, beforeId, nextCursor } = pageOf(scope, 'whd', query);
    const filter = { limit, beforeId, state: query.status };
    const { rows, total } = await history.list(principal.userId, params.webhook_id, filter);
    const shown = rows.slice(0, limit);
    const cursor = rows.length > limit ? nextCursor(shown.at(-1)?.deliveryId) : null;
    return { items: shown.map(toDelivery), next_cursor: cursor, total };
  });

  binder.bind(redeliverWebhook, async ({ principal, params }) =>
    toDelivery(await history.redeliver(principal.userId, params.webhook_id, params.delivery_id)),
  );
}

function pageOf(
  scope: string,
  prefix: string,
  query: { limit?: number | undefined; cursor?: string | undefined },
) {
  const nextCursor = (id = '') => encodeCursor(scope, [id]);
  const limit = query.limit ?? 20;
  if (query.cursor === undefined) return { limit, beforeId: undefined, nextCursor };
  const [beforeId] = decodeCursor(scope, query.cursor, [new RegExp(`^${prefix}_[0-9a-f]{32}$`)]) ?? [];
  if (beforeId !== undefined) return { limit, beforeId, nextCursor };
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}

function toWebhook(webhook: Webhook) {
  return {
    webhook_id: webhook.webhookId,
    url: webhook.url,
    types: webhook.types,
    agent_id: webhook.agentId,
    enabled: webhook.disabledReason === null,
    disabled_reason: webhook.disabledReason,
    previous_secret_expires_at: webhook.previousSecretUntil?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

function toIssued(issued: IssuedWebhook) {
  return { ...toWebhook(issued), secret: issued.secret };
}

function toDelivery(delivery: Awaited<ReturnType<WebhookHistory['test']>>) {
  const { type, data, eventAt } = delivery;
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    status: delivery.state,
    body: eventBody({ type, data, createdAt: eventAt }),
    attempts: delivery.attempts,
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  };
}
