import path from 'node:path';
import { Worker, type NativeConnection } from '@temporalio/worker';
import {
  createGroupActivities,
  createInvocationActivities,
  createOwnerActivities,
} from '../activities/invocation';
import { createVerificationActivities } from '../activities/verification';
import type { Config } from '../config';
import type { CallFollower } from '../services/calls/call-follower';
import type { InvocationSteps } from '../services/calls/invocation-steps';
import type { Verification } from '../services/verification/verification';
import type { VerificationStages } from '../services/verification/verification-stages';
import { InProcessWorker } from './in-process-worker';
import { taskQueues } from './queues';
import { traceActivities, type TracedCalls } from './tracing/traced-activities';

export interface WorkerDeps {
  config: Pick<Config, 'TEMPORAL_NAMESPACE' | 'TASK_QUEUE_PREFIX' | 'MAX_IN_FLIGHT' | 'WORKFLOW_BUNDLE'>;
  connection: NativeConnection;
}

/** Contains all workflows. */
export const WORKFLOW_BUNDLE = 'workflow-bundle.js';
/** Contains only the workflows of the queue `invocations`. */
export const INVOCATION_BUNDLE = 'invocation-bundle.js';

/** Path of a workflow bundle: WORKFLOW_BUNDLE, else the file in `dist`, from source code as well as compiled code. */
export function workflowBundlePath(config: Pick<Config, 'WORKFLOW_BUNDLE'>, name: string): string {
  return config.WORKFLOW_BUNDLE || path.join(__dirname, '..', '..', 'dist', name);
}

/**
 * Creates the worker for workflows and local activities of the queue `invocations`. A running local activity occupies
 * its workflow-task slot, so there are as many slots as calls in flight: with the SDK's defaults, a few slow agents
 * would block all other calls.
 */
export function createInvocationWorker(
  deps: WorkerDeps,
  {
    steps,
    followCalls,
    registry,
  }: { steps: InvocationSteps; followCalls: CallFollower; registry: TracedCalls },
  kind: Pick<typeof Worker, 'create'> = InProcessWorker,
): Promise<Worker> {
  const { config } = deps;
  return kind.create({
    connection: deps.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).invocations,
    workflowBundle: { codePath: workflowBundlePath(config, INVOCATION_BUNDLE) },
    activities: { ...createInvocationActivities(steps), ...createGroupActivities(followCalls) },
    interceptors: traceActivities(registry),
    maxConcurrentWorkflowTaskExecutions: config.MAX_IN_FLIGHT,
    // The steps begin in pairs, and the second of a pair waits for the first.
    maxConcurrentLocalActivityExecutions: 2 * config.MAX_IN_FLIGHT,
    maxConcurrentActivityTaskExecutions: config.MAX_IN_FLIGHT,
    maxCachedWorkflows: config.MAX_IN_FLIGHT,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    shutdownGraceTime: '5s',
  });
}

/** Creates the worker for the steps that need the request body, on the queue that only this process polls. */
export function createOwnerWorker(deps: WorkerDeps, steps: InvocationSteps, owner: string): Promise<Worker> {
  const { config } = deps;
  return Worker.create({
    connection: deps.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).owner(owner),
    activities: createOwnerActivities(steps),
    maxConcurrentActivityTaskExecutions: config.MAX_IN_FLIGHT,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    shutdownGraceTime: '5s',
  });
}

interface ProbeParts {
  verification: Verification;
  verificationStages: VerificationStages;
}

/**
 * Stages and re-probes that this process takes at the same time. Most of them wait for the turn of their developer
 * (`verification-stages.ts`), so that the agents of one developer do not stand before those of others in the queue.
 */
const PROBED_AT_ONCE = 64;

/**
 * Creates the worker for the stages at the endpoint of a verification run, and for re-probes. It runs in API processes:
 * a probe then leaves by the connections, the address and the process of a buyer's call.
 */
export function createProbeWorker(
  deps: WorkerDeps,
  { verification, verificationStages }: ProbeParts,
): Promise<Worker> {
  const { config } = deps;
  return Worker.create({
    connection: deps.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).probes,
    activities: createVerificationActivities(verification, verificationStages),
    interceptors: traceActivities(),
    maxConcurrentActivityTaskExecutions: PROBED_AT_ONCE,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
    shutdownGraceTime: '5s',
  });
}
