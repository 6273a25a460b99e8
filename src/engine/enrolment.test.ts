import { type Client, ServiceError } from '@temporalio/client';
import type { GroupMember } from '../domain/calls/call-group';
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

const enrolmentWith = (client: object, now = () => performance.now(), attributeBytes = 2_048) =>
  createEnrolment({
    client: () => client as Client,
    taskQueue: 'invocations',
    ownerQueue: 'invocations-x',
    eager: false,
    attributeBytes,
    onEnd: () => undefined,
    logger: { warn: () => undefined } as never,
    now,
  });

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
  const enrolment = enrolmentWith(
    client,
    () => performance.now() + (performance.now() - beganAt >= 1_300 ? lateMs : 0),
  );
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

/** An enrolment whose engine refuses what `refuses` says of the names of a group; the calls of each group that it took. */
function groupsOf(refuses: (names: string[]) => boolean) {
  const groups: string[][] = [];
  const client = {
    connection: { withDeadline: (_at: number, work: () => Promise<unknown>) => work() },
    workflow: {
      start: (_type: string, { args, typedSearchAttributes }: StartOptions) => {
        const [{ members = [args[0]] }] = args;
        const names = [typedSearchAttributes[0].value].flat();
        if (members.length > 1 && refuses(names)) {
          const cause = Object.assign(new Error('value size exceeds size limit'), {
            code: 3,
            details: '',
            metadata: {},
          });
          return Promise.reject(new ServiceError('Failed to start Workflow', { cause }));
        }
        groups.push(members.map(({ invocationId }) => invocationId));
        return Promise.resolve({ eagerlyStarted: false });
      },
    },
  };
  const enrolment = enrolmentWith(client);
  return { enrolment, groups };
}

interface StartOptions {
  args: [{ members?: GroupMember[] } & GroupMember];
  typedSearchAttributes: [{ value: string[] | string }];
}

const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(32, '0')}`;
const hundred = Array.from({ length: 100 }, (_, n) => ({
  ...MEMBER,
  invocationId: idOf('inv', n),
  buyerUserId: idOf('usr', n % 40),
}));

it("shares a workflow only as far as Temporal's limit of a search attribute allows", async () => {
  const sizes: number[] = [];
  const { enrolment, groups } = groupsOf((names) => sizes.push(JSON.stringify(names).length) < 0);
  for (const member of hundred) enrolment.add(member);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_048);
  expect(groups.length).toBeLessThan(10);
  expect(groups.flat().sort()).toEqual(hundred.map(({ invocationId }) => invocationId));
});

it('fills a workflow with calls that come in bursts, and lets none wait longer than 400 ms', async () => {
  const { enrolment, groups } = groupsOf(() => false);
  const calls = Array.from({ length: 96 }, (_, n) => ({ ...MEMBER, invocationId: idOf('inv', n) }));
  enrolment.add(MEMBER);
  for (let burst = 0; burst < 12; burst += 1) {
    for (const call of calls.slice(burst * 8, burst * 8 + 8)) enrolment.add(call);
    await jest.advanceTimersByTimeAsync(30);
  }
  const early = groups.map((group) => group.length);
  await jest.advanceTimersByTimeAsync(400);
  expect(groups.flat().sort()).toEqual([...calls, MEMBER].map(({ invocationId }) => invocationId).sort());
  expect(early.slice(1)).toEqual([52]);
});

it('enrols each call once when the engine refuses groups, and goes on taking calls', async () => {
  const { enrolment, groups } = groupsOf((names) => names.length > 10);
  for (const member of hundred) enrolment.add(member);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(groups.flat().sort()).toEqual(hundred.map(({ invocationId }) => invocationId));
  expect(enrolment.available()).toBe(true);
});
