import type { Client } from '@temporalio/client';
import { createLostCallSweep } from './lost-calls';

const lostCall = (name: string) => ({
  invocationId: `inv_${name}`,
  owner: 'gone',
  agentId: 'agt_x_v1',
  buyerUserId: 'usr_x',
  timeoutMs: 1_000,
  traceId: 'trace',
  priceUnits: 500,
});

it('starts the workflows of other lost calls when a start fails and another hangs', async () => {
  const started: string[] = [];
  const warned: unknown[] = [];
  const client = {
    connection: { withDeadline: (_at: number, work: () => Promise<unknown>) => work() },
    workflow: {
      start(_type: string, { workflowId }: { workflowId: string }) {
        if (workflowId.endsWith('hangs')) return new Promise(() => undefined);
        if (workflowId.endsWith('fails')) return Promise.reject(new Error('unavailable'));
        started.push(workflowId);
        return Promise.resolve({ eagerlyStarted: false });
      },
    },
  };
  const sweep = createLostCallSweep({
    client: () => client as unknown as Client,
    taskQueue: 'invocations',
    ownerQueue: (owner) => `invocations-${owner}`,
    owners: { lost: () => Promise.resolve(['fails', 'hangs', 'a', 'b'].map(lostCall)) },
    logger: { warn: (fields: unknown) => void warned.push(fields) },
  });
  await sweep();
  expect(started).toEqual(['invocation/inv_a', 'invocation/inv_b']);
  expect(warned).toMatchObject([{ invocationId: 'inv_fails' }, { invocationId: 'inv_hangs' }]);
});
