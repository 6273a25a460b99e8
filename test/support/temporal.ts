import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { testStack } from './database';

export interface TestTemporal {
  address: string;
  namespace: string;
  /** Prefix of task queue names (TASK_QUEUE_PREFIX), for tests that share the namespace `default`. */
  taskQueuePrefix: string;
}

/** The shared server with its namespace `default` and a task queue prefix of the caller's own; takes no time. */
export function sharedTemporal(): TestTemporal {
  return {
    address: testStack().temporalAddress,
    namespace: 'default',
    taskQueuePrefix: `t${process.pid}x${randomBytes(5).toString('hex')}-`,
  };
}

/** A namespace of the caller's own on the shared server, so that workflow ids cannot meet those of other tests. */
export async function createTestTemporal(): Promise<TestTemporal> {
  const shared = sharedTemporal();
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  const connection = await Connection.connect({ address: shared.address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as unknown as never },
    });
    await untilUsable(connection, namespace);
  } finally {
    await connection.close();
  }
  return { ...shared, namespace };
}

/** The server learns of a new namespace with a delay; until then it answers "not found". */
async function untilUsable(connection: Connection, namespace: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
      await connection.operatorService.listSearchAttributes({ namespace });
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
