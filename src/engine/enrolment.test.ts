import type { Client } from '@temporalio/client';
import { createEnrolment } from './enrolment';

jest.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));

const MEMBER = {
  invocationId: 'inv_x',
  agentId: 'agt_x_v1',
  buyerUserId: 'usr_x',
  timeoutMs: 1_000,
  traceId: 'trace',
  priceCredits: 5,
};

/**
 * An enrolment whose engine confirms a start after `startMs`, and says that it is there when asked after `answersAfter`.
 * The clock of the process jumps by `lateMs` when the first question is due.
 */
function enrolmentOf({ startMs = Infinity, answersAfter = Infinity, lateMs = 0 }) {
  const asked: number[] = [];
  const beganAt = performance.now();
  const client = {
    connection: { withDeadline: (_at: number, work: () => Promise<unknown>) => work() },
    workflow: {
      start: () =>
        new Promise((resolve) => {
          if (Number.isFinite(startMs)) setTimeout(() => resolve({ eagerlyStarted: false }), startMs);
        }),
    },
    workflowService: {
      getSystemInfo: () =>
        asked.push(performance.now() - beganAt) > answersAfter
          ? Promise.resolve({})
          : new Promise(() => undefined),
    },
  };
  const enrolment = createEnrolment({
    client: () => client as unknown as Client,
    taskQueue: 'invocations',
    ownerQueue: 'invocations-x',
    eager: false,
    onEnd: () => undefined,
    logger: { warn: () => undefined } as never,
    now: () => performance.now() + (performance.now() - beganAt >= 1_300 ? lateMs : 0),
  });
  return { enrolment, asked };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('refuses calls within 2 s when the engine does not say that it is there', async () => {
  const { enrolment } = enrolmentOf({});
  enrolment.add(MEMBER);
  expect(enrolment.available()).toBe(true);
  await jest.advanceTimersByTimeAsync(1_900);
  expect(enrolment.available()).toBe(false);
});

it('asks again before it refuses calls when the process itself had no CPU', async () => {
  const { enrolment, asked } = enrolmentOf({ answersAfter: 1, lateMs: 500 });
  enrolment.add(MEMBER);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveLength(2);
  expect(enrolment.available()).toBe(true);
});

it('keeps calls when a slow start is confirmed while the engine is asked', async () => {
  const { enrolment } = enrolmentOf({ startMs: 750, lateMs: 500 });
  enrolment.add(MEMBER);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(enrolment.available()).toBe(true);
});
