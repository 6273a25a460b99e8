/** Wraps services of a worker with metrics. */
import type { TaskStep } from '../domain/a2a/a2a-task';
import type { ErrorCode } from '../domain/errors';
import type { Metrics } from '../kit/metrics';
import type { ForwardStep, SettleStep, ValidateStep } from '../domain/calls/invocation-steps';
import type { InvocationRegistry } from '../services/calls/invocation-registry';
import type { JobLook } from '../domain/jobs/job-look';
import type { TaskSteps } from '../services/a2a/a2a-task-steps';
import type { JobSteps } from '../services/jobs/job-steps';
import type { WebhookDeliveries } from '../services/webhooks/webhook-deliveries';

/** Counts tasks that this process completed. An interrupted attempt is not counted; it is retried here or elsewhere. */
export function countTasks(
  steps: TaskSteps & JobSteps,
  registry: Pick<InvocationRegistry, 'find'>,
  metrics: Pick<Metrics, 'callEnded'>,
): TaskSteps & JobSteps {
  /** Does a step, and counts the task if the step ends it. */
  async function counted<S extends { kind: string } | 'busy'>(
    taskId: string,
    work: () => Promise<S>,
    codeOf: (step: Exclude<S, 'busy'>) => ErrorCode | null | undefined,
    isLook = false,
  ): Promise<S> {
    const call = registry.find(taskId);
    const openedAtMs = call?.openedAtMs ?? performance.now();
    const step = await work();
    const code = step === 'busy' ? undefined : codeOf(step as Exclude<S, 'busy'>);
    if (code === undefined) return step;
    const outcome = code === null ? 'succeeded' : 'failed';
    // The process has opened a job for its last look only, which says how long the agent worked.
    const worked = typeof step === 'object' && 'durationMs' in step ? Number(step.durationMs) : undefined;
    const jobMs = call?.isJob ? call.durationMs : isLook ? worked : undefined;
    const seconds = (jobMs ?? performance.now() - openedAtMs) / 1_000;
    const job = call?.isJob || isLook ? { isJob: true as const } : {};
    metrics.callEnded({ surface: 'a2a', outcome, code, seconds, agentSeconds: null, ...job });
    return step;
  }
  return {
    ...steps,
    forward: (taskId, signal) => counted(taskId, () => steps.forward(taskId, signal), endCodeOf),
    look: (id, asked, signal) => counted(id, () => steps.look(id, asked, signal), endCodeOf, true),
    endCalledBack: (id, signal) => counted(id, () => steps.endCalledBack(id, signal), endCodeOf, true),
    validate: (taskId) => counted(taskId, () => steps.validate(taskId), endCodeOf),
    settle: (taskId) => counted(taskId, () => steps.settle(taskId), endCodeOf),
    perform: (taskId, signal) => counted(taskId, () => steps.perform(taskId, signal), endCodeOf),
  };
}

type Ending = { kind: 'open' } | ForwardStep | JobLook | ValidateStep | SettleStep | TaskStep;

/** The code of a step that ends a task, null for a success; undefined for a step after which the task goes on. */
function endCodeOf(step: Ending): ErrorCode | null | undefined {
  if (step.kind === 'failed') return step.code;
  if (!('outcome' in step)) return undefined;
  return step.outcome.status === 'succeeded' ? null : (step.outcome.code ?? 'internal_error');
}

/** Counts attempts of webhook deliveries by their result. */
export function countDeliveries(
  deliveries: WebhookDeliveries,
  metrics: Pick<Metrics, 'deliveryAttempted'>,
): WebhookDeliveries {
  return {
    ...deliveries,
    async attempt(...given) {
      const end = await deliveries.attempt(...given);
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
