import { type Client, ServiceError } from '@temporalio/client';
import type { CallEnding, GroupMember } from '../domain/calls/call-group';
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

interface Settings {
  now?: () => number;
  ownPerSecond?: number;
  /** How long the engine takes to confirm a start. */
  startMs?: number;
  attributeBytes?: number;
  endingOf?: (invocationId: string) => CallEnding | undefined;
  /** The engine answers no start while this is true. */
  isAway?: () => boolean;
}

const enrolmentWith = (
  client: object,
  { attributeBytes = 2_048, ownPerSecond = 1, endingOf, now }: Settings = {},
) =>
  createEnrolment({
    client: () => client as Client,
    taskQueue: 'invocations',
    ownerQueue: 'invocations-x',
    eager: false,
    attributeBytes,
    ownPerSecond,
    endingOf: endingOf ?? (() => undefined),
    onEnd: () => undefined,
    logger: { warn: () => undefined } as never,
    now: now ?? (() => performance.now()),
  });

/**
 * An enrolment whose engine confirms a start after `startMs`, and answers health checks from `answersAfter` on. The
 * clock of the process jumps by `lateMs` after 1,300 ms.
 */
function enrolmentOf({ startMs = Infinity, answersAfter = Infinity, lateMs = 0 }) {
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
        performance.now() - beganAt >= answersAfter ? Promise.resolve({}) : new Promise(() => undefined),
    },
  };
  const enrolment = enrolmentWith(client, {
    now: () => performance.now() + (performance.now() - beganAt >= 1_300 ? lateMs : 0),
  });
  return { enrolment };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('refuses calls within 2 s when the engine does not answer its health check, also without calls', async () => {
  const { enrolment } = enrolmentOf({});
  expect(enrolment.available()).toBe(true);
  await jest.advanceTimersByTimeAsync(1_700);
  expect(enrolment.available()).toBe(false);
  expect(enrolment.isBreakerOpen()).toBe(true);
});

it('accepts calls again as soon as the engine answers', async () => {
  const { enrolment } = enrolmentOf({ answersAfter: 3_000 });
  await jest.advanceTimersByTimeAsync(2_900);
  expect(enrolment.available()).toBe(false);
  await jest.advanceTimersByTimeAsync(600);
  expect(enrolment.available()).toBe(true);
});

it('does not count time in which the process itself had no CPU', async () => {
  const { enrolment } = enrolmentOf({ lateMs: 5_000 });
  await jest.advanceTimersByTimeAsync(1_350);
  expect(enrolment.available()).toBe(true);
});

it('keeps calls when a slow start is confirmed, and while the engine answers', async () => {
  const { enrolment } = enrolmentOf({ startMs: 1_400, answersAfter: 2_500 });
  enrolment.add(MEMBER);
  for (let n = 0; n < 50; n += 1) {
    await jest.advanceTimersByTimeAsync(100);
    expect(enrolment.available()).toBe(true);
  }
});

/**
 * An enrolment whose engine refuses what `refuses` says of the names of a group; the calls of each group that it took.
 */
function groupsOf(refuses: (names: string[]) => boolean, settings: Settings = {}) {
  const groups: string[][] = [];
  const ends = new Map<string, CallEnding | undefined>();
  const client = {
    connection: { withDeadline: (_at: number, work: () => Promise<unknown>) => work() },
    workflowService: { getSystemInfo: () => Promise.resolve({}) },
    workflow: {
      start: (_type: string, { args, typedSearchAttributes }: StartOptions) => {
        const [{ members = [args[0]] }] = args;
        const names = [typedSearchAttributes[0].value].flat();
        if (settings.isAway?.()) return Promise.reject(new Error('away'));
        if (members.length > 1 && refuses(names)) {
          const cause = Object.assign(new Error('value size exceeds size limit'), {
            code: 3,
            details: '',
            metadata: {},
          });
          return Promise.reject(new ServiceError('Failed to start Workflow', { cause }));
        }
        groups.push(members.map(({ invocationId }) => invocationId));
        for (const { invocationId, end } of members) ends.set(invocationId, end);
        return new Promise((resolve) =>
          setTimeout(() => resolve({ eagerlyStarted: false }), settings.startMs ?? 0),
        );
      },
    },
  };
  return { enrolment: enrolmentWith(client, settings), groups, ends };
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
  const addedAt = new Map<string, number>();
  const waited: number[] = [];
  const look = () => {
    for (const id of groups.flat().filter((id) => addedAt.has(id))) {
      waited.push(performance.now() - (addedAt.get(id) ?? 0));
      addedAt.delete(id);
    }
  };
  enrolment.add(MEMBER);
  for (let burst = 0; burst < 28; burst += 1) {
    for (const call of calls.slice(burst * 8, burst * 8 + 8)) {
      addedAt.set(call.invocationId, performance.now());
      enrolment.add(call);
    }
    for (let ms = 0; ms < 30; ms += 1) {
      await jest.advanceTimersByTimeAsync(1);
      look();
    }
  }
  expect(groups.flat().sort()).toEqual([...calls, MEMBER].map(({ invocationId }) => invocationId).sort());
  expect(Math.max(...waited)).toBeLessThanOrEqual(401);
  expect(groups.length).toBeLessThanOrEqual(4);
});

it('enrols calls that have ended together, with their endings, and lets those that run wait', async () => {
  const ended = new Set<string>();
  const endingOf = (id: string) => (ended.has(id) ? ({ status: 'succeeded' } as const) : undefined);
  const { enrolment, groups, ends } = groupsOf(() => false, { attributeBytes: 16_384, endingOf });
  const calls = Array.from({ length: 200 }, (_, n) => ({ ...MEMBER, invocationId: idOf('inv', n) }));
  enrolment.add(MEMBER);
  for (const call of calls) {
    enrolment.add(call);
    setTimeout(() => ended.add(call.invocationId), 50);
    await jest.advanceTimersByTimeAsync(2);
  }
  await jest.advanceTimersByTimeAsync(1_000);
  expect(groups.flat().sort()).toEqual([...calls, MEMBER].map(({ invocationId }) => invocationId).sort());
  expect(groups.map((group) => group.length).slice(1, 2)[0]).toBeGreaterThan(150);
  expect(calls.map(({ invocationId }) => ends.get(invocationId))).toEqual(
    calls.map(() => ({ status: 'succeeded' })),
  );
});

it('enrols a call that ends while the engine is away with its ending', async () => {
  const ended = new Set<string>();
  const endingOf = (id: string) => (ended.has(id) ? ({ status: 'succeeded' } as const) : undefined);
  let isAway = true;
  const groups = groupsOf(() => false, { attributeBytes: 16_384, endingOf, isAway: () => isAway });
  groups.enrolment.add(MEMBER);
  const calls = hundred.slice(0, 4);
  for (const call of calls) groups.enrolment.add(call);
  await jest.advanceTimersByTimeAsync(1_000);
  for (const { invocationId } of calls) ended.add(invocationId);
  isAway = false;
  await jest.advanceTimersByTimeAsync(10_000);
  expect(groups.groups.map((group) => group.length).sort()).toEqual([1, 4]);
  expect(calls.map(({ invocationId }) => groups.ends.get(invocationId))).toEqual(
    calls.map(() => ({ status: 'succeeded' })),
  );
  await groups.enrolment.stop(0);
});

it('removes a call that gets a workflow of its own from those that wait', async () => {
  const { enrolment, groups } = groupsOf(() => false);
  enrolment.add(MEMBER);
  const [first, ...others] = hundred.slice(0, 5);
  for (const member of [first, ...others]) if (member) enrolment.add(member);
  if (first) enrolment.addAlone(first);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(groups.filter((group) => group.includes(first?.invocationId ?? ''))).toEqual([
    [first?.invocationId],
  ]);
  expect(groups.flat()).toHaveLength(6);
});

it('enrols at once what still waits when the process stops', async () => {
  const { enrolment, groups } = groupsOf(() => false);
  enrolment.add(MEMBER);
  for (const member of hundred.slice(0, 5)) enrolment.add(member);
  const stopped = enrolment.stop(1_000);
  await jest.advanceTimersByTimeAsync(100);
  await stopped;
  expect(groups.flat()).toHaveLength(6);
});

it('enrols each call once when the engine refuses groups, and continues to accept calls', async () => {
  const { enrolment, groups } = groupsOf((names) => names.length > 10);
  for (const member of hundred) enrolment.add(member);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(groups.flat().sort()).toEqual(hundred.map(({ invocationId }) => invocationId));
  expect(enrolment.available()).toBe(true);
});

it('gives calls workflows of their own up to the number of a second, and lets only the others share', async () => {
  const { enrolment, groups } = groupsOf(() => false, { ownPerSecond: 5 });
  for (const member of hundred.slice(0, 12)) enrolment.add(member);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(groups.map((group) => group.length)).toEqual([1, 1, 1, 1, 1, 7]);
  for (const member of hundred.slice(12, 30)) {
    enrolment.add(member);
    await jest.advanceTimersByTimeAsync(250);
  }
  expect(groups.slice(6).map((group) => group.length)).toEqual(hundred.slice(12, 30).map(() => 1));
});

it('lets calls share workflows while the engine has not confirmed as many starts as a second may have', async () => {
  const { enrolment, groups } = groupsOf(() => false, { ownPerSecond: 2, startMs: 2_000 });
  for (const member of hundred.slice(0, 7)) {
    enrolment.add(member);
    await jest.advanceTimersByTimeAsync(100);
  }
  await jest.advanceTimersByTimeAsync(1_000);
  expect(groups.slice(0, 2)).toEqual([[hundred[0]?.invocationId], [hundred[1]?.invocationId]]);
  expect(groups.slice(2).some((group) => group.length > 1)).toBe(true);
  await enrolment.stop(0);
});

it('gives each call a workflow of its own while calls come no faster than that, however slow the engine', async () => {
  const { enrolment, groups } = groupsOf(() => false, { ownPerSecond: 20, startMs: 300 });
  for (const member of hundred) {
    enrolment.add(member);
    await jest.advanceTimersByTimeAsync(66);
  }
  await jest.advanceTimersByTimeAsync(1_000);
  expect(groups.map((group) => group.length)).toEqual(hundred.map(() => 1));
});

it('lets all calls share workflows when none may have one of its own', async () => {
  const { enrolment, groups } = groupsOf(() => false, { ownPerSecond: 0 });
  for (const member of hundred.slice(0, 5)) enrolment.add(member);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(groups.map((group) => group.length)).toEqual([5]);
});

it('lets more calls share workflows when the engine confirms starts slowly, and fewer once it is fast again', async () => {
  const settings = { ownPerSecond: 10, startMs: 200 };
  const { enrolment, groups } = groupsOf(() => false, settings);
  const ownOf = async (calls: typeof hundred, everyMs: number) => {
    const before = groups.length;
    for (const member of calls) {
      enrolment.add(member);
      await jest.advanceTimersByTimeAsync(everyMs);
    }
    await jest.advanceTimersByTimeAsync(1_000);
    return groups.slice(before).filter((group) => group.length === 1).length;
  };
  expect(await ownOf(hundred.slice(0, 30), 20)).toBeLessThan(15);
  expect(await ownOf(hundred.slice(30, 60), 20)).toBeLessThan(6);
  settings.startMs = 5;
  await jest.advanceTimersByTimeAsync(2_000);
  expect(await ownOf(hundred.slice(60, 90), 50)).toBeGreaterThan(20);
});
