import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { WebhookDeliveries } from '../services/webhooks/webhook-deliveries';
import type { webhookDelivery } from '../workflows/webhook-delivery';
import { withDeadline } from './deadline';
import { deliveryDetails } from '../domain/flow-details';

const BATCH = 50;
/** Claims of one turn. */
const MOST_CLAIMS = 100;
/** Concurrent starts. Each has its own deadline. */
const LANES = 5;
const START_DEADLINE_MS = 1_500;
/** Failures that end a lane. */
const FAILED_STARTS = 2;
/**
 * Behind all other workflows of the queue, whose priority is the default of 3: a backlog delays no task and no payout.
 */
const PRIORITY = { priorityKey: 4 };

export interface WebhookOutboxDeps {
  /** Undefined while Temporal is unreachable. */
  client: () => Client | undefined;
  /** The queue `operations`. */
  taskQueue: string;
  deliveries: Pick<WebhookDeliveries, 'claim' | 'markStarted'>;
  /** Pauses before the second and each later attempt, in milliseconds. */
  pausesMs: readonly number[];
}

type Claimed = Awaited<ReturnType<WebhookDeliveries['claim']>>[number];

/** Returns the step that starts workflows for the deliveries in the outbox. A loop of the worker calls it. */
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
        staticDetails: deliveryDetails(eventId, endpointId),
        priority: PRIORITY,
      });
    } catch (error) {
      // Already delivered or given up: an earlier process died before it marked the delivery as started.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /**
   * Takes deliveries from `waiting` and starts them one by one. A start that fails does not hold up the others; the
   * lane ends with its second failure, because then the engine is probably away. Throws the first failure.
   */
  async function startLane(client: Client, waiting: Claimed[], started: Claimed[]): Promise<void> {
    const failures: unknown[] = [];
    for (let next = waiting.shift(); next && failures.length < FAILED_STARTS; next = waiting.shift()) {
      const claimed = next;
      await withDeadline(client, START_DEADLINE_MS, () => start(client, claimed)).then(
        () => started.push(claimed),
        (error: unknown) => failures.push(error),
      );
    }
    if (failures.length > 0) throw failures[0];
  }

  return async function startWaiting(): Promise<void> {
    const client = clientNow();
    if (!client) return;
    for (let claims = 0; claims < MOST_CLAIMS; claims += 1) {
      const claimed = await deliveries.claim(BATCH);
      const waiting = [...claimed];
      const started: Claimed[] = [];
      const lanes = Array.from({ length: LANES }, () => startLane(client, waiting, started));
      const ends = await Promise.allSettled(lanes);
      if (started.length > 0) await deliveries.markStarted(started);
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed) throw failed.reason;
      if (claimed.length === 0) return;
    }
  };
}
