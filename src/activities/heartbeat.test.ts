import { once } from 'node:events';
import { CancelledFailure } from '@temporalio/common';
import { activityEnvironment } from '../../test/support/calls/activity-environment';
import { withHeartbeats } from './heartbeat';

const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('stopped')));

it('sends heartbeats while the work runs, and none once it has ended', async () => {
  const environment = activityEnvironment();
  let end: (result: string) => void = () => undefined;
  const run = environment.run(() => withHeartbeats(() => new Promise<string>((resolve) => (end = resolve))));
  await once(environment, 'heartbeat');
  const timers = countTimers();
  end('done');
  expect(await run).toBe('done');
  expect(countTimers()).toBe(timers - 1);
});

it('ends its timer when the work fails', async () => {
  const timers = countTimers();
  const failing = () => withHeartbeats(() => Promise.reject(new Error('Postgres is away')));
  await expect(activityEnvironment().run(failing)).rejects.toThrow('Postgres is away');
  expect(countTimers()).toBe(timers);
});

it('aborts the signal of the work when the activity is cancelled', async () => {
  const environment = activityEnvironment();
  const run = environment.run(() => withHeartbeats(untilAborted));
  environment.cancel('TIMED_OUT');
  expect(await run).toBe('stopped');
});

it('fails as cancelled when the work throws the reason of its signal', async () => {
  const environment = activityEnvironment();
  const run = environment.run(() =>
    withHeartbeats(async (signal) => {
      await untilAborted(signal);
      signal.throwIfAborted();
    }),
  );
  environment.cancel('CANCELLED');
  await expect(run).rejects.toThrow(CancelledFailure);
});

const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
