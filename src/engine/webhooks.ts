import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { WebhookDeliveries } from '../services/webhook-deliveries';
import type { webhookDelivery } from '../workflows/webhook-delivery';
import { withDeadline } from './deadline';

const BATCH = 50;
const START_DEADLINE_MS = 1_500;

export interface WebhookOutboxDeps {
  /** Undefined while the engine is away. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  deliveries: Pick<WebhookDeliveries, 'claim' | 'markStarted'>;
}

/** Starts the workflows of deliveries that wait in the outbox; called by a loop in the worker. */
export function createWebhookOutbox(deps: WebhookOutboxDeps) {
  return async function startWaiting(): Promise<void> {
    const client = deps.client();
    if (!client) return;
    for (;;) {
      const claimed = await deps.deliveries.claim(BATCH);
      for (const { deliveryId, eventId, endpointId } of claimed) {
        const workflowId = `webhook/${eventId}/${endpointId}`;
        await withDeadline(client, START_DEADLINE_MS, () =>
          start(client, deps.taskQueue, workflowId, deliveryId),
        );
        await deps.deliveries.markStarted(deliveryId);
      }
      if (claimed.length < BATCH) return;
    }
  };
}

async function start(
  client: Client,
  taskQueue: string,
  workflowId: string,
  deliveryId: string,
): Promise<void> {
  try {
    await client.workflow.start<typeof webhookDelivery>('webhookDelivery', {
      workflowId,
      taskQueue,
      args: [{ deliveryId }],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: deliveryId,
    });
  } catch (error) {
    // Delivered or given up already, by a process that died before it could say so.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
