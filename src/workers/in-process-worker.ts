import { Worker } from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';

type CreatorArguments = Parameters<(typeof Worker)['createWorkflowCreator']>;
type BundleArguments = Parameters<(typeof Worker)['getOrCreateBundle']>;
type Bundle = ReturnType<(typeof Worker)['getOrCreateBundle']>;

/**
 * By path. Reading a bundle and its source map takes about 40 ms, and the file does not change while a process runs.
 */
const bundles = new Map<string, Bundle>();

/**
 * A worker that runs its workflows in this thread: in the SDK's sandbox, but without its watchdog and its promise hook
 * (docs/internals/temporal.md#the-bundle-of-calls). Use it only for workflows of a few short steps without loops,
 * because nothing interrupts an endless one.
 */
export class InProcessWorker extends Worker {
  protected static override getOrCreateBundle(...[options, logger]: BundleArguments): Bundle {
    const file =
      options.workflowBundle && 'codePath' in options.workflowBundle
        ? options.workflowBundle.codePath
        : undefined;
    if (file === undefined) return super.getOrCreateBundle(options, logger);
    const bundle = bundles.get(file) ?? super.getOrCreateBundle(options, logger);
    bundles.set(file, bundle);
    bundle.catch(() => bundles.delete(file));
    return bundle;
  }

  protected static override async createWorkflowCreator(
    ...[bundle, options, logger]: CreatorArguments
  ): ReturnType<(typeof Worker)['createWorkflowCreator']> {
    const inThisThread = { ...options, debugMode: true, isolateExecutionTimeoutMs: WITHOUT_WATCHDOG };
    const creator = await super.createWorkflowCreator(bundle, inThisThread, logger);
    // The hook records a stack trace per promise. In this thread it would slow down every promise of the API, too.
    globalHandlers.uninstall();
    return creator;
  }
}

/** A timeout would make the SDK start and end a thread for each entry into the sandbox. */
const WITHOUT_WATCHDOG = undefined as never;
