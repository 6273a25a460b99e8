import type { Static } from '@sinclair/typebox';
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
  WebhookChange,
  WebhookCreation,
} from '../../contract/webhooks';
import { DEFAULT_GRACE_SECONDS } from '../../domain/webhooks/webhook';
import { compileCheck } from '../../kit/schemas/validator';
import type { WebhookHistory } from '../../services/webhooks/webhook-history';
import type { Webhooks } from '../../services/webhooks/webhooks';
import { idPosition, listPage } from '../requests/list-page';
import { issuedWebhookView, webhookDeliveryView, webhookView } from '../views/webhooks';
import type { RouteBinder } from '../binding/route';

export interface WebhookRouteDeps {
  webhooks: Webhooks;
  webhookHistory: WebhookHistory;
}

const checkCreation = compileCheck(WebhookCreation, 'body');
const checkChange = compileCheck(WebhookChange, 'body');
const WEBHOOK_POSITION = idPosition('whk');
const DELIVERY_POSITION = idPosition('whd');

/** /v1/webhooks and below, for the owner of each endpoint. */
export function webhookRoutes(binder: RouteBinder, { webhooks, webhookHistory }: WebhookRouteDeps): void {
  binder.bind(createWebhook, async ({ principal, body }) => {
    await webhooks.requireValid(body, checkCreation(body));
    const { agent_id: agentId = null, ...rest } = body as Static<typeof WebhookCreation>;
    return issuedWebhookView(await webhooks.create(principal.userId, { ...rest, agentId }));
  });

  binder.bind(listWebhooks, ({ principal: { userId }, query }) =>
    listPage(
      { list: ['webhooks', userId], position: WEBHOOK_POSITION, query },
      ([beforeId], limit) => webhooks.list(userId, { limit, beforeId }),
      { position: ({ webhookId }) => [webhookId], view: webhookView },
    ),
  );

  binder.bind(getWebhook, async ({ principal, params }) =>
    webhookView(await webhooks.get(principal.userId, params.webhook_id)),
  );

  binder.bind(updateWebhook, async ({ principal, params, body }) => {
    const current = await webhooks.get(principal.userId, params.webhook_id);
    await webhooks.requireValid(body, checkChange(body), current);
    const { agent_id: agentId, ...rest } = body as Static<typeof WebhookChange>;
    const patch = { ...rest, ...(agentId !== undefined && { agentId }) };
    return webhookView(await webhooks.update(principal.userId, params.webhook_id, patch));
  });

  binder.bind(deleteWebhook, async ({ principal, params }) => {
    await webhooks.delete(principal.userId, params.webhook_id);
    return undefined;
  });

  binder.bind(rotateWebhookSecret, async ({ principal, params, body }) => {
    const graceSeconds = body.grace_seconds ?? DEFAULT_GRACE_SECONDS;
    return issuedWebhookView(await webhooks.rotate(principal.userId, params.webhook_id, graceSeconds));
  });

  deliveryRoutes(binder, webhookHistory);
}

function deliveryRoutes(binder: RouteBinder, history: WebhookHistory): void {
  binder.bind(testWebhook, async ({ principal, params }) =>
    webhookDeliveryView(await history.test(principal.userId, params.webhook_id)),
  );

  binder.bind(listWebhookDeliveries, ({ principal, params: { webhook_id: webhookId }, query }) =>
    listPage(
      { list: ['webhook-deliveries', webhookId, query.status], position: DELIVERY_POSITION, query },
      ([beforeId], limit) =>
        history.list(principal.userId, webhookId, { limit, beforeId, state: query.status }),
      { position: ({ deliveryId }) => [deliveryId], view: webhookDeliveryView },
    ),
  );

  binder.bind(redeliverWebhook, async ({ principal, params }) =>
    webhookDeliveryView(await history.redeliver(principal.userId, params.webhook_id, params.delivery_id)),
  );
}
