import path from 'node:path';
import { Worker, type NativeConnection } from '@temporalio/worker';
import { createInvocationActivities } from '../activities/invocation';
import type { Config } from '../config';
import type { InvocationSteps } from '../services/calls/invocation-steps';
import { InProcessWorker } from './in-process-worker';
import { taskQueues } from './queues';

export interface WorkerDeps {
  config: Pick<Config, 'TEMPORAL_NAMESPACE' | 'TASK_QUEUE_PREFIX' | 'MAX_IN_FLIGHT' | 'WORKFLOW_BUNDLE'>;
  connection: NativeConnection;
}

/** All workflows. */
export const WORKFLOW_BUNDLE = 'workflow-bundle.js';
/** The one workflow of the queue `invocations`. */
export const INVOCATION_BUNDLE = 'invocation-bundle.js';

/** The bundles stand beside the compiled code, wherever this file runs from. */
export function workflowBundlePath(config: Pick<Config, 'WORKFLOW_BUNDLE'>, name: string): string {
  return config.WORKFLOW_BUNDLE || path.join(__dirname, '..', '..', 'dist', name);
}

/**
 * Workflows and local activities of the queue `invocations`. A waiting local activity keeps its workflow-task slot,
 * so there are as many slots as calls may be in flight: with the defaults one slow agent would starve all.
 */
export function createInvocationWorker(
  deps: WorkerDeps,
  steps: InvocationSteps,
  kind: Pick<typeof Worker, 'create'> = InProcessWorker,
): Promise<Worker> {
  const { config } = deps;
  return kind.create({
    connection: deps.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).invocations,
    workflowBundle: { codePath: workflowBundlePath(config, INVOCATION_BUNDLE) },
    activities: createInvocationActivities(steps),
    maxConcurrentWorkflowTaskExecutions: config.MAX_IN_FLIGHT,
    // Steps are begun in pairs, and one of a pair waits.
    maxConcurrentLocalActivityExecutions: 2 * config.MAX_IN_FLIGHT,
    maxConcurrentActivityTaskExecutions: config.MAX_IN_FLIGHT,
    maxCachedWorkflows: config.MAX_IN_FLIGHT,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    shutdownGraceTime: '5s',
  });
}

/** The steps that need a body, on the queue that only this process polls. */
export function createOwnerWorker(deps: WorkerDeps, steps: InvocationSteps, owner: string): Promise<Worker> {
  const { config } = deps;
  return Worker.create({
    connection: deps.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: taskQueues(config.TASK_QUEUE_PREFIX).owner(owner),
    activities: createInvocationActivities(steps),
    maxConcurrentActivityTaskExecutions: config.MAX_IN_FLIGHT,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    shutdownGraceTime: '5s',
  });
}
