/**
 * Builds the two workflow bundles: `node dist/workers/bundle.js`. Invocations have their own bundle, because a call may
 * cost a few milliseconds only: all modules are evaluated once rather than for each call, and promises get no stack
 * traces (docs/internals/temporal.md#the-bundle-of-calls).
 */
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflowCode, type BundleOptions } from '@temporalio/worker';
import { INVOCATION_BUNDLE, WORKFLOW_BUNDLE } from './invocation-workers';

const BUILT = path.join(__dirname, '..');

async function main(): Promise<void> {
  const workflows = path.join(BUILT, 'workflows');
  await bundle(WORKFLOW_BUNDLE, { workflowsPath: path.join(workflows, 'index.js') });
  await bundle(INVOCATION_BUNDLE, {
    workflowsPath: path.join(workflows, 'invocations.js'),
    preloadModules: [
      '@temporalio/workflow',
      path.join(workflows, 'without-stacks.js'),
      path.join(workflows, 'invocations.js'),
    ],
  });
}

async function bundle(name: string, options: BundleOptions): Promise<void> {
  const { code } = await bundleWorkflowCode(options);
  const file = path.join(BUILT, name);
  // A process that starts meanwhile reads the bundle of before.
  await writeFile(`${file}.${process.pid}.tmp`, code);
  await rename(`${file}.${process.pid}.tmp`, file);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
