import { TestWorkflowEnvironment } from '@temporalio/testing';
import { onEndOfProcess } from './process-end';
import type { TestTemporal } from './temporal';

const kept = new Map<string, Promise<TestWorkflowEnvironment>>();

/**
 * The SDK's environment on the shared server, one per process and namespace. Its first call must follow the first
 * `startMarket`, whose link installs the SDK's runtime: the environment would otherwise install the default one. Its
 * `sleep` waits in real time; `fastForward(environment.client, workflowId, ms)` moves the clock of one workflow (ADR
 * 0231).
 */
export function workflowEnvironment({ address, namespace }: TestTemporal): Promise<TestWorkflowEnvironment> {
  const known = kept.get(namespace);
  if (known) return known;
  const made = TestWorkflowEnvironment.createFromExistingServer({ address, namespace });
  kept.set(namespace, made);
  made.catch(() => kept.delete(namespace));
  onEndOfProcess(async () => {
    kept.delete(namespace);
    await (await made).teardown();
  });
  return made;
}
