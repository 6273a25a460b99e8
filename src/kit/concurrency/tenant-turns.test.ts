import { createTenantTurns } from './tenant-turns';
import { realTime } from '../../../test/support/waits';

const WORK = 'the work takes a while';

const make = (patienceMs = 5_000, now?: () => number) =>
  createTenantTurns({
    slots: 1,
    mostWaiting: 5,
    crowded: () => new Error('too many wait'),
    patienceMs,
    late: () => new Error('waited too long'),
    ...(now ? { now } : {}),
  });

it('prefers the tenant that used the least lately, however many wait for the other', async () => {
  let clock = 0;
  const turns = make(5_000, () => clock);
  const order: string[] = [];
  const add = (tenant: string, ms: number) =>
    turns.run(tenant, async () => {
      order.push(tenant);
      clock += ms;
      await realTime(1, WORK);
    });
  const heavy = Array.from({ length: 3 }, () => add('heavy', 1_000));
  await Promise.all([...heavy, add('light', 10), add('light', 10)]);
  expect(order).toEqual(['heavy', 'light', 'light', 'heavy', 'heavy']);
});

it('forgets half of a tenant’s time in ten seconds', () => {
  let clock = 0;
  const turns = make(5_000, () => clock);
  turns.charge('a', 800);
  clock = 10_000;
  turns.charge('a', 100);
  expect(turns.recentMs('a')).toBeCloseTo(500);
  clock = 30_000;
  expect(turns.recentMs('a')).toBeCloseTo(125);
  expect(turns.recentMs('b')).toBe(0);
});

it('refuses a waiter after the time limit, and passes the turn on when the work fails', async () => {
  const turns = make(20);
  const first = turns.run('a', async () => {
    await realTime(80, WORK);
    throw new Error('broken');
  });
  first.catch(() => undefined);
  await expect(turns.run('b', () => Promise.resolve())).rejects.toThrow('waited too long');
  await expect(first).rejects.toThrow('broken');
  await expect(turns.run('b', () => Promise.resolve(2))).resolves.toBe(2);
});

it('bounds the waiters of one tenant, and accepts those of others', async () => {
  const turns = make();
  const add = (tenant: string) =>
    turns.run(tenant, () => realTime(1, WORK)).catch((error: Error) => error.message);
  const ends = await Promise.all([...Array.from({ length: 7 }, () => add('a')), add('b')]);
  expect(ends).toEqual([...Array.from({ length: 6 }, () => undefined), 'too many wait', undefined]);
});

it('lets tenants that used the same time take turns, if work is not charged', async () => {
  const turns = createTenantTurns({
    slots: 1,
    patienceMs: 5_000,
    late: () => new Error('late'),
    chargesWork: false,
  });
  const order: string[] = [];
  const add = (tenant: string) =>
    turns.run(tenant, async () => {
      order.push(tenant);
      await realTime(1, WORK);
    });
  turns.charge('c', 100);
  await Promise.all([add('a'), add('c'), add('a'), add('a'), add('b'), add('b')]);
  expect(order).toEqual(['a', 'a', 'b', 'a', 'b', 'c']);
});

it('gives a tenant no more than its slots at once, also when others are free', async () => {
  const running = new Map<string, number>();
  const turns = createTenantTurns({
    slots: 2,
    mostRunning: 1,
    patienceMs: 5_000,
    late: () => new Error('waited too long'),
  });
  const most: Record<string, number> = {};
  const add = (tenant: string) =>
    turns.run(tenant, async () => {
      running.set(tenant, (running.get(tenant) ?? 0) + 1);
      most[tenant] = Math.max(most[tenant] ?? 0, running.get(tenant) ?? 0);
      most['all'] = Math.max(
        most['all'] ?? 0,
        [...running.values()].reduce((sum, one) => sum + one, 0),
      );
      await realTime(2, WORK);
      running.set(tenant, (running.get(tenant) ?? 0) - 1);
    });
  await Promise.all([add('a'), add('a'), add('a'), add('b'), add('b')]);
  expect(most).toEqual({ a: 1, b: 1, all: 2 });
});
