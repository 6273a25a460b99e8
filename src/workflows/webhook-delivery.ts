/**
 * Delivers one event to one address (contract, "Webhooks"), id `webhook/<event>/<endpoint>`: at once, and after each
 * failure again, by a fixed schedule of more than a day. The workflow holds ids only; payload and address are in
 * Postgres. Each redelivery that the owner requests is a round with its own workflow, and the workflow of the round
 * before ends.
 */
import { proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks';
import type { DeliveryEnd, WebhookDeliveryInput } from '../domain/webhooks/webhook-delivery';
import { type Details, show, timerSummary } from './details';

const { attemptDelivery, giveUpDelivery } = proxyActivities<WebhookActivities>({
  startToCloseTimeout: '40s',
  // Detects a worker that died.
  heartbeatTimeout: '10s',
  // For internal faults (Postgres is unreachable). A failure of the endpoint is a return value.
  retry: { initialInterval: '500ms', maximumInterval: '30s' },
});

export async function webhookDelivery(input: WebhookDeliveryInput): Promise<DeliveryEnd> {
  const { deliveryId, round, pausesMs } = input;
  const attempts = pausesMs.length + 1;
  let notBeforeMs = 0;
  for (const [index, scheduledMs] of [0, ...pausesMs].entries()) {
    const pauseMs = Math.max(scheduledMs, notBeforeMs);
    if (pauseMs > 0) await waitForNext(deliveryId, { pauseMs, failed: index, attempts });
    show({ state: `Attempt ${index + 1} of ${attempts}` });
    const summary = `attempt ${index + 1} of ${attempts}`;
    const end = await attemptDelivery.executeWithOptions({ summary }, [
      deliveryId,
      round,
      { nextPauseMs: pausesMs[index] ?? null },
    ]);
    const state = typeof end === 'string' ? end : end.state;
    notBeforeMs = typeof end === 'string' ? 0 : end.notBeforeMs;
    if (state === 'pending') continue;
    show({
      state: state === 'delivered' ? `Delivered by attempt ${index + 1}` : `Over: the delivery is ${state}`,
      ...whereShown(),
    });
    return state;
  }
  await giveUpDelivery(deliveryId, round);
  show({
    state: `Given up after ${attempts} failed attempts`,
    then: 'the owner can send it again',
    ...whereShown(),
  });
  return 'failed';
}

async function waitForNext(
  deliveryId: string,
  { pauseMs, failed, attempts }: { pauseMs: number; failed: number; attempts: number },
): Promise<void> {
  const untilMs = Date.now() + pauseMs;
  show({
    state: `The endpoint failed ${failed} of ${attempts} attempts; waits for the next`,
    untilMs,
    then: 'the event is sent again',
    operator: [`nothing: the owner sees ${deliveryId} and the failures with \`market webhooks deliveries\``],
    ...whereShown(),
  });
  await sleep(pauseMs, timerSummary(`attempt ${failed + 1} of ${attempts}`, untilMs));
}

/** The list of the webhook's deliveries. A task's push configuration has none. */
function whereShown(): Pick<Details, 'api'> {
  const [, , endpointId = ''] = workflowInfo().workflowId.split('/');
  return endpointId.startsWith('whk_') ? { api: [`GET /v1/webhooks/${endpointId}/deliveries`] } : {};
}
