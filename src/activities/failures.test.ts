/** Which failures of activities the engine retries, and when. */
import { ApplicationFailure } from '@temporalio/common';
import { activityEnvironment } from '../../test/support/calls/activity-environment';
import { MarketError } from '../domain/errors';
import type { Retention } from '../services/operations/retention';
import { createPayoutActivities } from './payouts';
import { createRetentionActivities } from './retention';
import { createWebhookActivities } from './webhooks';

type Runs = Parameters<typeof createPayoutActivities>[0];

async function failureOf<A extends unknown[]>(activity: (...args: A) => Promise<unknown>, ...args: A) {
  return activityEnvironment()
    .run(activity, ...args)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
}

describe('a payout', () => {
  const reserveThat = (error: Error) =>
    createPayoutActivities({ reserve: () => Promise.reject(error) } as unknown as Runs).reservePayout;
  const share = {} as Parameters<Runs['reserve']>[0];

  it('that is refused is not retried', async () => {
    const failure = await failureOf(reserveThat(new MarketError('invalid_state')), share);
    expect(failure).toMatchObject({ type: 'invalid_state', nonRetryable: true });
  });

  it('that failed by a fault of the service is retried', async () => {
    const fault = new Error('Postgres is away');
    expect(await failureOf(reserveThat(fault), share)).toBe(fault);
  });
});

it('a delivery is postponed by 3 to 6 s while its account uses its share of the attempts', async () => {
  const busy = { attempt: () => Promise.resolve('busy'), giveUp: () => Promise.resolve() };
  const { attemptDelivery } = createWebhookActivities(busy as Parameters<typeof createWebhookActivities>[0]);
  const failure = await failureOf(attemptDelivery, 'whd_1', 1);
  if (!(failure instanceof ApplicationFailure)) throw failure;
  expect(failure).toMatchObject({ type: 'Busy', nonRetryable: false });
  expect(failure.nextRetryDelay).toBeGreaterThanOrEqual(3_000);
  expect(failure.nextRetryDelay).toBeLessThanOrEqual(6_000);
});

describe('the retention sweep', () => {
  const batch = { answers: 1_000, waiters: 0, counters: 0, attachments: 0, bodies: 0, accounts: 0 };

  it('reports each batch in a heartbeat, and stops after the batch in which it is cancelled', async () => {
    const environment = activityEnvironment();
    const heartbeats: unknown[] = [];
    environment.on('heartbeat', (details: unknown) => {
      heartbeats.push(details);
      if (heartbeats.length === 2) environment.cancel('CANCELLED');
    });
    const purge: Retention['purge'] = async (signal, progress) => {
      for (;;) {
        signal.throwIfAborted();
        await Promise.resolve();
        progress(batch);
      }
    };
    const { purgeExpired } = createRetentionActivities({ purge });
    await expect(environment.run(purgeExpired)).rejects.toThrow('CANCELLED');
    expect(heartbeats).toEqual([batch, batch]);
  });
});
