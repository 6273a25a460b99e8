import { createThrottle } from './throttle';

const OPTIONS = { burst: 3, leastMs: 40, mostMs: 200 };

/** Time that passes only while a caller waits; `share` of a processor is used meanwhile. */
function fakeClock(share: number) {
  const time = { now: 0, used: 0 };
  return {
    time,
    nowMs: () => time.now,
    usedMs: () => time.used,
    async sleep(ms: number, signal?: AbortSignal) {
      await Promise.resolve();
      signal?.throwIfAborted();
      time.now += ms;
      time.used += ms * share;
    },
  };
}

async function beginnings(share: number, count: number): Promise<number[]> {
  const clock = fakeClock(share);
  const throttle = createThrottle(OPTIONS, clock);
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: count }, () => throttle.turn().then(() => times.push(Math.round(clock.time.now)))),
  );
  return times;
}

it('lets a few begin at once, then one after another', async () => {
  expect(await beginnings(0, 6)).toEqual([0, 0, 0, 40, 80, 120]);
});

it('is slower the busier the process is, and never stops', async () => {
  const [idle, half, whole, two] = await Promise.all(
    [0.25, 0.625, 1, 2].map(async (share) => (await beginnings(share, 23)).at(-1) ?? 0),
  );
  expect(idle).toBe(20 * 40);
  expect(half).toBeGreaterThan(19 * 100);
  expect(half).toBeLessThan(21 * 120);
  expect(whole).toBeGreaterThan(19 * 190);
  expect(two).toBe(whole);
});

it('starts over after an idle time', async () => {
  const clock = fakeClock(0);
  const throttle = createThrottle(OPTIONS, clock);
  for (let at = 0; at < 5; at += 1) await throttle.turn();
  const before = (clock.time.now += 10_000);
  for (let at = 0; at < 3; at += 1) await throttle.turn();
  expect(clock.time.now).toBe(before);
  await throttle.turn();
  expect(clock.time.now).toBe(before + 40);
});

it('gives the turn of a caller that has left to the next caller', async () => {
  const clock = fakeClock(0);
  const throttle = createThrottle({ ...OPTIONS, burst: 1 }, clock);
  const gone = new AbortController();
  await throttle.turn();
  const left = throttle.turn(gone.signal);
  const next = throttle.turn();
  gone.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await next;
  expect(clock.time.now).toBeLessThanOrEqual(41);
});
