import { getEventListeners } from 'node:events';
import { withTimeout } from './with-timeout';

const never = new Promise<string>(() => undefined);
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

it('settles as the work does, and leaves no timer', async () => {
  const before = timers();
  expect(await withTimeout(60_000, Promise.resolve('done'), () => 'late')).toBe('done');
  await expect(withTimeout(60_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow(
    'failed',
  );
  expect(timers()).toBe(before);
});

it('returns or throws what the caller chooses when the work is late', async () => {
  expect(await withTimeout(1, never, () => undefined)).toBeUndefined();
  const fail = () => {
    throw new Error('too slow');
  };
  await expect(withTimeout(1, never, fail)).rejects.toThrow('too slow');
});

it('ignores how late work ends', async () => {
  const unhandled = getEventListeners(process, 'unhandledRejection').length;
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<string>((_resolve, reject) => (fail = reject));
  expect(await withTimeout(1, work, () => 'late')).toBe('late');
  fail(new Error('nobody waits'));
  await new Promise(setImmediate);
  expect(getEventListeners(process, 'unhandledRejection').length).toBe(unhandled);
});
