import type { Client } from '@temporalio/client';
import type { Logger } from '../logger';
import { createPayoutSweep, type PayoutSweepDeps } from './payout-sweep';

it('starts the transfers of a Monday in a turn in which the runs cannot be read', async () => {
  const started: string[] = [];
  const client = {
    connection: { withDeadline: (_at: number, work: () => Promise<unknown>) => work() },
    workflow: {
      start(_type: string, { workflowId }: { workflowId: string }) {
        started.push(workflowId);
        return Promise.resolve({});
      },
    },
  };
  const sweep = createPayoutSweep({
    client: () => client as unknown as Client,
    prefix: '',
    taskQueue: 'operations',
    runs: {
      listOpen: () => Promise.reject(new Error('statement timeout')),
      listMissed: () => Promise.resolve([]),
      listOpenTransfers: () => Promise.resolve([{ asOf: new Date('2026-11-16T00:00:00Z'), attempt: 0 }]),
    },
    logger: { warn: () => undefined } as unknown as Logger,
  } satisfies PayoutSweepDeps);
  await expect(sweep()).rejects.toThrow('statement timeout');
  expect(started).toEqual(['payout/usdc/2026-11-16/0']);
});
