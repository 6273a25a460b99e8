import { randomBytes } from 'node:crypto';
import { type Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { testStack } from './database';
import { eventually } from '../waits';

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
  let refusal: unknown;
  const isUsable = async () => {
    try {
      await connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
      await connection.operatorService.listSearchAttributes({ namespace });
      return true;
    } catch (error) {
      refusal = error;
      return false;
    }
  };
  await eventually(isUsable, 20_000).catch(() => Promise.reject(refusal as Error));
}

/**
 * Deletes a workflow with its history, as if the engine had lost its state, and waits until the engine knows no more of
 * it.
 */
export async function deleteWorkflow(client: Client, workflowId: string): Promise<void> {
  const { namespace } = client.options;
  await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  await eventually(async () => (await statusOf(client, workflowId)) === undefined, 60_000);
}

export async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  return (await statusOf(client, workflowId)) === 'RUNNING';
}

/** Undefined: the engine knows no workflow of this id. */
async function statusOf(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
