import type { Worker } from '@temporalio/worker';
import type { Config } from '../config';
import type { Container } from '../container';
import { type BondCases, createBondCases } from '../engine/bonds';
import { createDisputeCases, type DisputeCases } from '../engine/disputes';
import { createLeavingCases, type LeavingCases } from '../engine/leaving';
import { createInvokeEngine } from '../engine/invoke';
import { createJobEngine, type JobEngine } from '../engine/jobs';
import { type CallLauncher, startLauncher } from '../engine/launch';
import type { StartCounts } from '../engine/start-invocation';
import { createPayoutEngine, type PayoutEngine } from '../engine/payouts';
import { createTaskEngine, type TaskEngine } from '../engine/tasks';
import { createTimeTravel, type TimeTravel } from '../engine/time-travel';
import { createVerificationTrigger, type VerificationTrigger } from '../engine/verification';
import { createInvocationWorker, createOwnerWorker, createProbeWorker } from './invocation-workers';
import { keepRunning } from './keep-running';
import { taskQueues } from './queues';
import { createTemporalLink, type TemporalLink } from './temporal-link';

export interface InvocationEngine {
  link: TemporalLink;
  engine: ReturnType<typeof createInvokeEngine>;
  verificationTrigger: VerificationTrigger;
  disputeCases: DisputeCases;
  bondCases: BondCases;
  leavingCases: LeavingCases;
  payoutEngine: PayoutEngine;
  taskEngine: TaskEngine;
  jobEngine: JobEngine;
  /** Undefined in production. */
  timeTravel: TimeTravel | undefined;
  /** True when a worker process polls the queue `operations`. */
  operationsPolled(): Promise<boolean>;
  /** Seconds since this process saw a new poll of that queue; undefined while Temporal does not answer. */
  operationsPollAge(): Promise<number | undefined>;
  starts(): StartCounts;
  /** True while calls are refused because the engine does not answer. */
  isBreakerOpen(): boolean;
  /**
   * Refuses new calls and lets running ones end within `drainMs`. The rest ends with `engine_unavailable` while the
   * callers' connections are still open, and is refunded.
   */
  drain(drainMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Overrides for the benchmarks: another workflow, the SDK's own worker, another way to drive calls to their end. */
interface EngineOptions {
  launcher?: Pick<CallLauncher, 'available' | 'launch'>;
  workflowType?: string;
  worker?: typeof Worker;
}

/**
 * Starts what a process needs to accept and drive calls, and to probe agents: Temporal connection, starter, three
 * workers, the watch.
 */
export function startInvocationEngine(
  container: Container,
  { worker, launcher: instead, ...options }: EngineOptions = {},
): InvocationEngine {
  const { config, logger, registry, steps, watch, metrics } = container;
  const queues = taskQueues(config.TASK_QUEUE_PREFIX);
  const link = createTemporalLink(config, logger);
  const launchDeps = {
    ...container,
    ...options,
    client: link.client,
    taskQueue: queues.invocations,
    ownerQueue: queues.owner(registry.owner),
    eager: config.EAGER_START,
    onEnd: metrics.engineStarted,
  };
  const launcher = startLauncher(container.callOrder, launchDeps, instead);
  const parts = operationParts(container, link);
  const engine = createInvokeEngine({
    invocations: container.invocations,
    answers: container.answers,
    deliveries: container.deliveries,
    watch,
    launcher,
    startTask: parts.taskEngine.begin,
    onEnd: metrics.callEnded,
  });
  const workers = [
    keepRunning(
      'invocations',
      async () => createInvocationWorker(await workerDeps(config, link), container, worker),
      logger,
    ),
    keepRunning(
      'owner',
      async () => createOwnerWorker(await workerDeps(config, link), steps, registry.owner),
      logger,
    ),
    keepRunning('probes', async () => createProbeWorker(await workerDeps(config, link), container), logger),
  ];
  watch.start();
  container.callOwners.start();
  return {
    link,
    engine,
    ...parts,
    starts: launcher.starts,
    isBreakerOpen: launcher.isBreakerOpen,
    operationsPolled: () => link.isPolled(queues.operations),
    operationsPollAge: () => link.pollAge(queues.operations),
    async drain(drainMs) {
      await container.invocations.drain(drainMs);
      registry.endAll();
    },
    async stop() {
      watch.stop();
      container.callOwners.stop();
      container.taskWatch.stop();
      container.liveForms.stop();
      container.listingWatch.stop();
      registry.endAll();
      await launcher.flush();
      link.giveUp();
      await Promise.all(workers.map((worker) => worker.stop()));
      await link.close();
    },
  };
}

/** The clients of workflows on the queue `operations`. */
function operationParts(container: Container, link: TemporalLink) {
  const { config, logger } = container;
  const taskQueue = taskQueues(config.TASK_QUEUE_PREFIX).operations;
  return {
    timeTravel: config.NODE_ENV === 'production' ? undefined : createTimeTravel({ client: link.client }),
    verificationTrigger: createVerificationTrigger({
      client: link.client,
      taskQueue,
      markTriggered: container.verification.markTriggered,
      clock: config.VERIFICATION_CLOCK,
      logger,
    }),
    disputeCases: createDisputeCases({
      client: link.client,
      taskQueue,
      disputes: container.disputes,
      logger,
    }),
    bondCases: createBondCases({
      client: link.client,
      taskQueue,
      bonds: container.bonds,
      slashes: container.slashes,
      logger,
    }),
    leavingCases: createLeavingCases({ ...container, client: link.client, taskQueue, logger }),
    payoutEngine: createPayoutEngine({
      client: link.client,
      prefix: config.TASK_QUEUE_PREFIX,
      taskQueue,
    }),
    jobEngine: createJobEngine({
      client: link.client,
      taskQueue,
      jobs: container.jobs,
      questions: container.jobQuestions,
      logger,
    }),
    taskEngine: createTaskEngine({
      client: link.client,
      taskQueue,
      tasks: container.a2aTasks,
      starts: container.taskStarts,
      onEnd: container.metrics.callEnded,
      logger,
    }),
  };
}

async function workerDeps(config: Config, link: TemporalLink) {
  return { config, connection: await link.connected() };
}
