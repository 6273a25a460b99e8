import { recordingClient } from '../../test/support/stack/recording-client';
import type { Logger } from '../logger';
import { createPayoutSweep, type PayoutSweepDeps } from './payout-sweep';

it('starts the transfers of a Monday in a turn in which the runs cannot be read', async () => {
  const { client, started } = recordingClient();
  const sweep = createPayoutSweep({
    client,
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
