import { ActivityCancellationDetails, ApplicationFailure } from '@temporalio/common';
import { activityEnvironment } from '../../test/support/calls/activity-environment';
import type { TaskSteps } from '../services/a2a/a2a-task-steps';
import type { JobSteps } from '../services/jobs/job-steps';
import { createTaskActivities } from './tasks';

const ANSWERED = { kind: 'answered', durationMs: 5, bytes: 20 } as const;
const CANCELLED = { kind: 'failed', code: 'canceled', durationMs: 5 } as const;

type Forward = TaskSteps['forward'];
type Step = Awaited<ReturnType<Forward>>;

function activitiesOf(forward: Forward) {
  return createTaskActivities({ forward } as unknown as TaskSteps & JobSteps, 'tasks-here');
}

/** The failure of one attempt, as the SDK would report it to the engine. */
async function failureOf(activities: ReturnType<typeof activitiesOf>, attempt = 1): Promise<unknown> {
  const environment = activityEnvironment({ attempt });
  return environment.run(activities.forwardCall, 'inv_1').catch((error: unknown) => error);
}

/** A call of the agent that waits until it may not go on. */
const untilEnded: Forward = (_id, end) =>
  new Promise((resolve) => end.addEventListener('abort', () => resolve(CANCELLED)));

it('names the queue of the process that has the answer', async () => {
  const { forwardCall } = activitiesOf(() => Promise.resolve(ANSWERED));
  const step = await activityEnvironment().run(forwardCall, 'inv_1');
  expect(step).toEqual({ ...ANSWERED, queue: 'tasks-here' });
});

it.each([
  [1, 500, 1_500],
  [3, 1_500, 4_500],
  [50, 5_000, 15_000],
])('delays attempt %i + 1 of a busy task within the bounds of the backoff', async (attempt, least, most) => {
  const failure = await failureOf(
    activitiesOf(() => Promise.resolve('busy')),
    attempt,
  );
  if (!(failure instanceof ApplicationFailure)) throw failure;
  expect(failure).toMatchObject({ type: 'Busy', nonRetryable: false });
  expect(failure.nextRetryDelay).toBeGreaterThanOrEqual(least);
  expect(failure.nextRetryDelay).toBeLessThanOrEqual(most);
});

it('is retried after a fault of the service, and ends at the tenth in a row', async () => {
  const fault = new Error('Postgres is away');
  const activities = activitiesOf(() => Promise.reject(fault));
  for (let attempt = 1; attempt < 10; attempt += 1) {
    expect(await failureOf(activities, attempt)).toBe(fault);
  }
  expect(await failureOf(activities, 10)).toMatchObject({ nonRetryable: true, cause: fault });
});

it('counts faults from one again after an attempt without a fault', async () => {
  const fault = new Error('Postgres is away');
  let failing = true;
  const activities = activitiesOf(() => (failing ? Promise.reject(fault) : Promise.resolve('busy')));
  for (let attempt = 1; attempt < 10; attempt += 1) await failureOf(activities, attempt);
  failing = false;
  expect(await failureOf(activities, 10)).toMatchObject({ type: 'Busy' });
  failing = true;
  expect(await failureOf(activities, 11)).toBe(fault);
});

it('ends the call of the agent when the task is cancelled, and reports how it ended', async () => {
  const environment = activityEnvironment();
  const run = environment.run(activitiesOf(untilEnded).forwardCall, 'inv_1');
  environment.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
  expect(await run).toEqual(CANCELLED);
});

it('fails retryably when its worker shuts down, so that another worker takes the task over', async () => {
  const environment = activityEnvironment();
  const run = environment.run(activitiesOf(untilEnded).forwardCall, 'inv_1');
  environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
  await expect(run).rejects.toMatchObject({ type: 'WorkerShutdown', nonRetryable: false });
});

it('continues when the engine has timed the attempt out; the hold decides which of two attempts counts', async () => {
  const environment = activityEnvironment();
  let answer: (step: Step) => void = () => undefined;
  let end: AbortSignal | undefined;
  const { forwardCall } = activitiesOf((_id, signal) => {
    end = signal;
    return new Promise((resolve) => (answer = resolve));
  });
  const run = environment.run(forwardCall, 'inv_1');
  environment.cancel('TIMED_OUT', new ActivityCancellationDetails({ timedOut: true }));
  answer(ANSWERED);
  expect(await run).toMatchObject(ANSWERED);
  expect(end?.aborted).toBe(false);
});
