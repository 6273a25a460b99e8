import { Worker } from '@temporalio/worker';
import { createAdvisoryActivities } from '../activities/advisories';
import { createRefundActivities } from '../activities/invocation';
import { createBondActivities } from '../activities/bonds';
import { createExchangeRateActivities } from '../activities/exchange-rates';
import { createDisputeActivities } from '../activities/disputes';
import { createRubricRolloutActivities } from '../activities/rubric-rollout';
import { createPayoutActivities } from '../activities/payouts';
import { createRetentionActivities } from '../activities/retention';
import { createTaskActivities } from '../activities/tasks';
import { createUsdcActivities } from '../activities/usdc';
import { createVerificationActivities } from '../activities/verification';
import { createWebhookActivities } from '../activities/webhooks';
import type { Container } from '../container';
import { createBondCases } from '../engine/bonds';
import { createDisputeCases } from '../engine/disputes';
import { createRubricRollouts } from '../engine/rubric-rollout';
import { ensurePayoutSchedule } from '../engine/payouts';
import { ensureSchedules } from '../engine/schedules';
import { createTaskEngine } from '../engine/tasks';
import { createVerificationTrigger, type VerificationTrigger } from '../engine/verification';
import { createWebhookOutbox } from '../engine/webhooks';
import { createLedgerDigests } from '../services/ledger/ledger-digests';
import { createPartitions } from '../services/operations/partitions';
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
import { createTemporalLink, type TemporalLink } from './temporal-link';

const ROLL_UP_INTERVAL_MS = 1_000;
const OUTBOX_INTERVAL_MS = 1_000;
const DIGESTS_INTERVAL_MS = 60_000;
const TASK_PURGE_INTERVAL_MS = 600_000;
const PARTITIONS_INTERVAL_MS = 600_000;
/** Upper bound of the heartbeat interval. Cancellations arrive with the responses to heartbeats. */
const HEARTBEAT_THROTTLE_MS = 2_000;
/** How often the statistics of listings are computed. */
const STATS_INTERVAL_MS = 15_000;

/** How often creating the Schedules is retried, until it succeeds. */
const SCHEDULES_INTERVAL_MS = 5_000;

export interface RunningOperations {
  loops: readonly Loop[];
  stop(): Promise<void>;
}

/** Starts everything that a worker process does. Several processes may run at the same time. */
export function startOperations(container: Container): RunningOperations {
  const { config, logger, steps } = container;
  const link = createTemporalLink(config, logger);
  const deps = async (): Promise<WorkerDeps> => ({ config, connection: await link.connected() });
  const taskQueue = taskQueues(config.TASK_QUEUE_PREFIX).operations;
  const cases = createDisputeCases({ client: link.client, taskQueue, disputes: container.disputes, logger });
  const trigger = createVerificationTrigger({
    client: link.client,
    taskQueue,
    markTriggered: container.verification.markTriggered,
    logger,
  });
  const digests = createLedgerDigests({ pool: container.pool, keys: container.signingKeys, logger });
  const workers = [
    keepRunning('operations', async () => createOperationsWorker(await deps(), container, trigger), logger),
    keepRunning('invocations', async () => createInvocationWorker(await deps(), steps), logger),
  ];
  const loops = [
    startLoop('lease sweep', config.SWEEP_INTERVAL_MS, () => sweepLeases(container), logger),
    startLoop('schedules', SCHEDULES_INTERVAL_MS, scheduling(container, link, taskQueue), logger),
    startLoop('roll-up', ROLL_UP_INTERVAL_MS, container.ledger.rollUp, logger),
    startLoop('ledger digests', DIGESTS_INTERVAL_MS, digests, logger),
    startLoop(
      'partitions',
      PARTITIONS_INTERVAL_MS,
      createPartitions({ pool: container.pool, logger }),
      logger,
    ),
    startLoop(
      'verification sweep',
      config.SWEEP_INTERVAL_MS,
      () => askForWaiting(container, trigger),
      logger,
    ),
    startLoop('advisory sweep', config.SWEEP_INTERVAL_MS, () => askForHits(container, trigger), logger),
    startLoop(
      'rubric rollouts',
      config.SWEEP_INTERVAL_MS,
      createRubricRollouts({ client: link.client, taskQueue, rollout: container.rubricRollout, logger }),
      logger,
    ),
    startLoop('dispute sweep', config.SWEEP_INTERVAL_MS, cases.sweep, logger),
    startLoop('bond sweep', config.SWEEP_INTERVAL_MS, bondSweep(container, link, taskQueue), logger),
    ...taskLoops(container, link, taskQueue),
    startLoop('usage roll-up', ROLL_UP_INTERVAL_MS, container.agentFigures.rollUpUsage, logger),
    startLoop('listing figures', STATS_INTERVAL_MS, container.agentFigures.refresh, logger),
  ];
  container.watch.start();
  return {
    loops,
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      link.giveUp();
      container.watch.stop();
      await Promise.all(workers.map((worker) => worker.stop()));
      await link.close();
    },
  };
}

async function sweepLeases({ sweep, metrics }: Container): Promise<void> {
  metrics.callsSwept(await sweep());
}

/** The loops for unstarted tasks, the webhook outbox, and the deletion of old tasks and deliveries. */
function taskLoops({ config, logger, ...container }: Container, link: TemporalLink, taskQueue: string) {
  const { client } = link;
  const tasks = createTaskEngine({
    client,
    taskQueue,
    tasks: container.a2aTasks,
    starts: container.taskStarts,
    logger,
  });
  const outbox = createWebhookOutbox({
    client,
    taskQueue,
    deliveries: container.webhookDeliveries,
    pausesMs: config.WEBHOOK_RETRY_PAUSES_MS,
  });
  return [
    startLoop('task starts', config.SWEEP_INTERVAL_MS, tasks.sweep, logger),
    startLoop('task purge', TASK_PURGE_INTERVAL_MS, container.taskStarts.purge, logger),
    startLoop('webhook outbox', OUTBOX_INTERVAL_MS, outbox, logger),
    startLoop('webhook purge', TASK_PURGE_INTERVAL_MS, container.webhookHistory.purge, logger),
  ];
}

/** Returns the step that creates the Schedules once per process, as soon as the engine is reachable. */
function scheduling({ config }: Container, link: TemporalLink, taskQueue: string): () => Promise<void> {
  let made = false;
  return async () => {
    const client = link.client();
    if (made || !client) return;
    const names = { prefix: config.TASK_QUEUE_PREFIX, taskQueue };
    const fetchesRates = config.FX_SOURCE !== 'none';
    await Promise.all([
      ensureSchedules(client, { ...names, fetchesRates }),
      ensurePayoutSchedule(client, names),
    ]);
    made = true;
  };
}

/** Sweep that starts the workflows of slashes and withdrawals that have none. */
function bondSweep({ bonds, slashes, logger }: Container, { client }: TemporalLink, taskQueue: string) {
  return createBondCases({ client, taskQueue, bonds, slashes, logger }).sweep;
}

/** Requests verification of versions that were submitted while the engine was unreachable. */
async function askForWaiting({ verification }: Container, trigger: VerificationTrigger): Promise<void> {
  for (const { agentId, versionId } of await verification.listUntriggered()) {
    await trigger.ask({ agentId, versionId, reason: 'sweep' });
  }
}

/** Requests verification of agents that pin an affected version, also after manual imports. */
async function askForHits({ advisories }: Container, trigger: VerificationTrigger): Promise<void> {
  await advisories.sweep();
  for (const agent of await advisories.listUnasked()) {
    const isAsked = await trigger.ask({ ...agent, reason: 'advisory' });
    if (isAsked) await advisories.markAsked(agent.versionId);
  }
}

function createOperationsWorker(
  { config, connection }: WorkerDeps,
  container: Container,
  trigger: VerificationTrigger,
): Promise<Worker> {
  return Worker.create({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).operations,
    workflowBundle: { codePath: workflowBundlePath(config, WORKFLOW_BUNDLE) },
    activities: {
      ...createVerificationActivities(container.verification, container.verificationStages),
      ...createDisputeActivities(container.disputes),
      ...createBondActivities(container.bonds, container.slashes),
      ...createRubricRolloutActivities(container.rubricRollout, (agent) =>
        trigger.ask({ ...agent, reason: 'rubric' }),
      ),
      ...createAdvisoryActivities(container.advisories, container.config.OSV_DIR),
      ...createRetentionActivities(container.retention),
      ...createPayoutActivities(container.payoutRuns),
      ...createUsdcActivities(container.usdcTransfers),
      ...createExchangeRateActivities(container.exchangeRates),
      ...createRefundActivities(container.steps),
      ...createTaskActivities(countTasks(container.taskSteps, container.metrics)),
      ...createWebhookActivities(countDeliveries(container.webhookDeliveries, container.metrics)),
    },
    // A running task occupies a slot while it waits for its agent.
    maxConcurrentActivityTaskExecutions: config.MAX_IN_FLIGHT,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    // Callers wait for updates. If the worker that caches the workflow is gone, another takes over after this time.
    stickyQueueScheduleToStartTimeout: '2s',
    shutdownGraceTime: '5s',
  });
}
