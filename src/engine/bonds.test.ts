import { recordingClient } from '../../test/support/stack/recording-client';
import type { Logger } from '../logger';
import type { Withdrawal } from '../services/bonds/bonds';
import { createBondCases, type BondCasesDeps } from './bonds';

const WITHDRAWAL: Withdrawal = {
  withdrawalId: 'bwd_1',
  developerUserId: 'usr_x',
  requestedUnits: 500,
  requestedAt: new Date('2026-11-23T00:00:00Z'),
  dueAt: new Date('2026-12-23T00:00:00Z'),
} as Withdrawal;

it('starts the workflows of withdrawals in a turn in which slashes cannot be read', async () => {
  const { client, started } = recordingClient();
  const cases = createBondCases({
    client,
    taskQueue: 'operations',
    logger: { warn: () => undefined } as unknown as Logger,
    slashes: { claimUnconfirmed: () => Promise.reject(new Error('statement timeout')) },
    bonds: { claimUnconfirmed: () => Promise.resolve([WITHDRAWAL]), markStarted: () => Promise.resolve() },
  } as unknown as BondCasesDeps);
  // The turn still counts as failed, so that readiness shows it.
  await expect(cases.sweep()).rejects.toThrow('statement timeout');
  expect(started).toEqual(['bond-withdrawal/bwd_1']);
});
