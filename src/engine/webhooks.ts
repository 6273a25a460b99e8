import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { WebhookDeliveries } from '../services/webhooks/webhook-deliveries';
import type { webhookDelivery } from '../workflows/webhook-delivery';
import { withDeadline } from './deadline';

const BATCH = 50;
/** Starts that are under way at once: the deadline of each counts from its own beginning. */
const LANES = 5;
const START_DEADLINE_MS = 1_500;

export interface WebhookOutboxDeps {
  /** Undefined while the engine is away. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  deliveries: Pick<WebhookDeliveries, 'claim' | 'markStarted'>;
  /** How long each attempt waits after the one before. */
  pausesMs: readonly number[];
}

type Claimed = Awaited<ReturnType<WebhookDeliveries['claim']>>[number];

/** Starts the workflows of deliveries that wait in the outbox; called by a loop in the worker. */
export function createWebhookOutbox({
  client: clientNow,
  taskQueue,
  deliveries,
  pausesMs,
}: WebhookOutboxDeps) {
  async function start(client: Client, { deliveryId, eventId, endpointId, round }: Claimed): Promise<void> {
    const roundPart = round === 0 ? '' : `/${round}`;
    try {
      await client.workflow.start<typeof webhookDelivery>('webhookDelivery', {
        workflowId: `webhook/${eventId}/${endpointId}${roundPart}`,
        taskQueue,
        args: [{ deliveryId, round, pausesMs }],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        staticSummary: deliveryId,
      });
    } catch (error) {
      // Delivered or given up already, by a process that died before it could say so.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /** Starts one after another, until the engine fails one. */
  async function startLane(client: Client, waiting: Claimed[], started: Claimed[]): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const claimed = next;
      await withDeadline(client, START_DEADLINE_MS, () => start(client, claimed));
      started.push(claimed);
    }
  }

  return async function startWaiting(): Promise<void> {
    const client = clientNow();
    if (!client) return;
    for (;;) {
      const claimed = await deliveries.claim(BATCH);
      const waiting = [...claimed];
      const started: Claimed[] = [];
      const lanes = Array.from({ length: LANES }, () => startLane(client, waiting, started));
      const ends = await Promise.allSettled(lanes);
      if (started.length > 0) await deliveries.markStarted(started);
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
      if (claimed.length < BATCH) return;
    }
  };
}
