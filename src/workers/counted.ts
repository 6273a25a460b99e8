/** Wraps services of a worker with metrics. */
import type { TaskStep } from '../domain/a2a/a2a-task';
import type { ErrorCode } from '../domain/errors';
import type { Metrics } from '../kit/metrics';
import type { TaskSteps } from '../services/a2a/a2a-task-steps';
import type { WebhookDeliveries } from '../services/webhooks/webhook-deliveries';

/** Counts tasks that this process completed. An interrupted attempt is not counted; it is retried here or elsewhere. */
export function countTasks(steps: TaskSteps, metrics: Pick<Metrics, 'callEnded'>): TaskSteps {
  return {
    ...steps,
    async perform(taskId, signal) {
      const startedAt = performance.now();
      const step = await steps.perform(taskId, signal);
      if (step === 'busy') return step;
      const seconds = (performance.now() - startedAt) / 1_000;
      const code = codeOf(step);
      const outcome = code === null ? 'succeeded' : 'failed';
      metrics.callEnded({ surface: 'a2a', outcome, code, seconds, agentSeconds: null });
      return step;
    },
  };
}

function codeOf(step: TaskStep): ErrorCode | null {
  if (step.kind === 'failed') return step.code;
  return step.outcome.status === 'succeeded' ? null : (step.outcome.code ?? 'internal_error');
}

/** Counts attempts of webhook deliveries by their result. */
export function countDeliveries(
  deliveries: WebhookDeliveries,
  metrics: Pick<Metrics, 'deliveryAttempted'>,
): WebhookDeliveries {
  return {
    ...deliveries,
    async attempt(deliveryId, round) {
      const end = await deliveries.attempt(deliveryId, round);
      const state = typeof end === 'string' ? end : end.state;
      if (state !== 'busy') metrics.deliveryAttempted(state === 'pending' ? 'to_be_repeated' : state);
      return end;
    },
    async giveUp(deliveryId, round) {
      await deliveries.giveUp(deliveryId, round);
      metrics.deliveryAttempted('given_up');
    },
  };
}
