import { createFairSlots } from './fair-slots';
import { realTime } from '../../../test/support/waits';

const WORK = 'the work takes a while';

const make = (slots: number, patienceMs = 5_000) =>
  createFairSlots({ slots, patienceMs, late: () => new Error('waited too long') });

it('runs as much at once as there are slots, and all of it in the end', async () => {
  const slots = make(3);
  let running = 0;
  let most = 0;
  const work = async (n: number) => {
    most = Math.max(most, (running += 1));
    await realTime(2, WORK);
    running -= 1;
    return n;
  };
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, n) => slots.run(`k${n % 4}`, () => work(n))),
  );
  expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect([most, running, slots.waiting]).toEqual([3, 0, 0]);
});

it('takes the keys in turn, however many wait under one of them', async () => {
  const slots = make(1);
  const order: string[] = [];
  const add = (key: string) => slots.run(key, async () => void order.push(key));
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(add));
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

it('passes the slot on when the work fails', async () => {
  const slots = make(1);
  await expect(slots.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(slots.run('a', () => Promise.resolve(1))).resolves.toBe(1);
});

it('refuses a waiter after the time limit, and loses no slot by it', async () => {
  const slots = make(1, 20);
  const first = slots.run('a', () => realTime(80, WORK));
  await expect(slots.run('b', () => Promise.resolve())).rejects.toThrow('waited too long');
  expect(slots.waiting).toBe(0);
  await first;
  await expect(slots.run('b', () => Promise.resolve(2))).resolves.toBe(2);
});
