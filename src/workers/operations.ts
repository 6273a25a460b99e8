import { Worker, type WorkerOptions } from '@temporalio/worker';
import { createAdvisoryActivities } from '../activities/advisories';
import { createLeavingActivities } from '../activities/leaving';
import { createRefundActivities } from '../activities/invocation';
import { createBondActivities } from '../activities/bonds';
import { createExchangeRateActivities } from '../activities/exchange-rates';
import { createDisputeActivities } from '../activities/disputes';
import { createRubricRolloutActivities } from '../activities/rubric-rollout';
import { createPayoutActivities } from '../activities/payouts';
import { createRetentionActivities } from '../activities/retention';
import { createTaskActivities, createTaskAnswerActivities } from '../activities/tasks';
import { createWarrantyActivities } from '../activities/warranties';
import { createUsdcActivities } from '../activities/usdc';
import { createVerificationActivities } from '../activities/verification';
import { createWebhookActivities } from '../activities/webhooks';
import type { Config } from '../config';
import type { Container } from '../container';
import { createVerificationTrigger, type VerificationTrigger } from '../engine/verification';
import {
  createInvocationWorker,
  WORKFLOW_BUNDLE,
  workflowBundlePath,
  type WorkerDeps,
} from './invocation-workers';
import { countDeliveries, countTasks } from './counted';
import { keepRunning } from './keep-running';
import { type Loop, startLoop } from './loops';
import { taskQueues } from './queues';
import { createTemporalLink } from './temporal-link';
import { traceActivities } from './tracing/traced-activities';
import { reporting, workerLoops } from './worker-loops';

/** Upper bound of the heartbeat interval. Cancellations arrive with the responses to heartbeats. */
const HEARTBEAT_THROTTLE_MS = 2_000;

export interface RunningOperations {
  loops: readonly Loop[];
  stop(): Promise<void>;
}

/**
 * Starts everything that a worker process does. Several processes may run at the same time. `kind` is the class of the
 * worker of the queue `operations`; the SDK's own runs workflows in a thread.
 */
export function startOperations(
  container: Container,
  kind: Pick<typeof Worker, 'create'> = Worker,
): RunningOperations {
  const { config, logger } = container;
  const link = createTemporalLink(config, logger);
  const deps = async (): Promise<WorkerDeps> => ({ config, connection: await link.connected() });
  const taskQueue = taskQueues(config.TASK_QUEUE_PREFIX).operations;
  const trigger = createVerificationTrigger({
    client: link.client,
    taskQueue,
    markTriggered: container.verification.markTriggered,
    clock: config.VERIFICATION_CLOCK,
    logger,
  });
  const workers = [
    keepRunning(
      'operations',
      async () => createOperationsWorker(await deps(), container, trigger, kind),
      logger,
    ),
    keepRunning('tasks', async () => createTaskWorker(await deps(), container), logger),
    keepRunning('answers', async () => createAnswerWorker(await deps(), container), logger),
    keepRunning('invocations', async () => createInvocationWorker(await deps(), container), logger),
  ];
  const loops = workerLoops(container, link, trigger).map((spec) => startLoop(spec, logger));
  const reports = startLoop(reporting(container, loops), logger);
  container.watch.start();
  return {
    loops,
    async stop() {
      await Promise.all([...loops, reports].map((loop) => loop.stop()));
      await container.loopReports.end().catch((err: unknown) => logger.warn({ err }, 'the report stays'));
      link.giveUp();
      container.watch.stop();
      await Promise.all(workers.map((worker) => worker.stop()));
      await link.close();
    },
  };
}

/**
 * With a build id, Temporal lets each workflow of the queue run to its end on workers of the build that it began on,
 * and begins new ones on the build that the operator has made the current one (ADR 0125).
 */
function workerDeployment({
  WORKER_BUILD_ID: buildId,
  TASK_QUEUE_PREFIX: prefix,
}: Pick<Config, 'WORKER_BUILD_ID' | 'TASK_QUEUE_PREFIX'>): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (buildId === '') return {};
  const version = { deploymentName: `${prefix}marketplace`, buildId };
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version,
      defaultVersioningBehavior: 'PINNED',
    },
  };
}

/** Slots beside the places, for tasks that look for a place when all are taken. */
const SLOTS_OF_BUSY_TASKS = 64;
/** What activities other than tasks need to end. */
const LEAST_GRACE_MS = 5_000;

function createOperationsWorker(
  { config, connection }: WorkerDeps,
  container: Container,
  trigger: VerificationTrigger,
  kind: Pick<typeof Worker, 'create'>,
): Promise<Worker> {
  return kind.create({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).operations,
    workflowBundle: { codePath: workflowBundlePath(config, WORKFLOW_BUNDLE) },
    activities: {
      ...createVerificationActivities(container.verification, container.verificationStages),
      ...createDisputeActivities(container.disputes),
      ...createBondActivities(container.bonds, container.slashes),
      ...createWarrantyActivities(container.warranties),
      ...createRubricRolloutActivities(container.rubricRollout, (agent) =>
        trigger.ask({ ...agent, reason: 'rubric' }),
      ),
      ...createAdvisoryActivities(container.advisories, container.config.OSV_DIR, container.advisoryFeed),
      ...createRetentionActivities(container.retention),
      ...createLeavingActivities(container.exports, container.deletions),
      ...createPayoutActivities(container.payoutRuns),
      ...createUsdcActivities(container.usdcTransfers),
      ...createExchangeRateActivities(container.exchangeRates),
      ...createRefundActivities(container.steps),
      ...taskActivities(container),
      ...createWebhookActivities(countDeliveries(container.webhookDeliveries, container.metrics)),
    },
    interceptors: traceActivities(container.registry),
    ...workerDeployment(container.config),
    maxConcurrentActivityTaskExecutions: config.MAX_IN_FLIGHT,
    // A workflow that waits for days costs 130 KB of memory while it is cached, and each garbage collection reads that.
    maxCachedWorkflows: config.MAX_IN_FLIGHT,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    // Callers wait for updates. If the worker that caches the workflow is gone, another takes over after this time.
    stickyQueueScheduleToStartTimeout: '2s',
    shutdownGraceTime: Math.max(container.config.DRAIN_MS, LEAST_GRACE_MS),
  });
}

/**
 * The worker of the agents' calls for tasks. A task occupies a slot while it waits for its agent, and for a moment when
 * it finds no place.
 */
function createTaskWorker({ config, connection }: WorkerDeps, container: Container): Promise<Worker> {
  return Worker.create({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).tasks,
    activities: taskActivities(container),
    interceptors: traceActivities(container.registry),
    ...workerDeployment(container.config),
    maxConcurrentActivityTaskExecutions: config.MAX_IN_FLIGHT + SLOTS_OF_BUSY_TASKS,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    shutdownGraceTime: Math.max(container.config.DRAIN_MS, LEAST_GRACE_MS),
  });
}

function taskActivities({ taskSteps, registry, metrics, config }: Container) {
  const answerQueue = taskQueues(config.TASK_QUEUE_PREFIX).answers(registry.owner);
  return createTaskActivities(countTasks(taskSteps, registry, metrics), answerQueue);
}

/** The worker of the steps of tasks that need the answer, on the queue that only this process polls. */
function createAnswerWorker({ config, connection }: WorkerDeps, container: Container): Promise<Worker> {
  const { taskSteps, registry, metrics } = container;
  return Worker.create({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).answers(registry.owner),
    activities: createTaskAnswerActivities(countTasks(taskSteps, registry, metrics)),
    interceptors: traceActivities(registry),
    maxConcurrentActivityTaskExecutions: config.MAX_IN_FLIGHT,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    shutdownGraceTime: Math.max(container.config.DRAIN_MS, LEAST_GRACE_MS),
  });
}
