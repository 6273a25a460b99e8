import { Worker } from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';

type CreatorArguments = Parameters<(typeof Worker)['createWorkflowCreator']>;

/**
 * A worker whose workflows run in this thread, in the SDK's sandbox but without its watchdog and its promise hook
 * (ADR 0044). Only for workflows of a few short steps without loops: nothing ends one that does not return.
 */
export class InProcessWorker extends Worker {
  protected static override async createWorkflowCreator(
    ...[bundle, options, logger]: CreatorArguments
  ): ReturnType<(typeof Worker)['createWorkflowCreator']> {
    const inThisThread = { ...options, debugMode: true, isolateExecutionTimeoutMs: WITHOUT_WATCHDOG };
    const creator = await super.createWorkflowCreator(bundle, inThisThread, logger);
    // A hook on each promise, for stack traces of waiting workflows: in this thread it would be on all of the API's too.
    globalHandlers.uninstall();
    return creator;
  }
}

/** With a time-out, a thread is started and ended at each entry of the sandbox. */
const WITHOUT_WATCHDOG = undefined as never;
