import { countLowThreads, itOnLinux } from '../../../test/support/stack/threads';
import { inLane } from '../concurrency/lanes';
import { createPasswords } from './passwords';

it('prefers an ordinary login to guesses from many other addresses', async () => {
  const passwords = createPasswords(1);
  const stored = await passwords.hash('correct horse battery');
  const order: string[] = [];
  const guess = (address: number) =>
    inLane(`address/${address}`, async () => {
      if (!(await passwords.matches(stored, 'guess'))) passwords.failed();
      order.push('guess');
    });
  const addresses = Array.from({ length: 12 }, (_, n) => n);
  await Promise.all(addresses.map(guess));
  const ordinary = () =>
    inLane('address/ordinary', async () => {
      expect(await passwords.matches(stored, 'correct horse battery')).toBe(true);
      order.push('login');
    });
  for (let times = 0; times < 5; times += 1) await ordinary();
  order.length = 0;
  const storm = addresses.map(guess);
  await Promise.all([...storm, ordinary()]);
  // One hash had begun before the login came.
  expect(order.indexOf('login')).toBeLessThanOrEqual(1);
});

it('pauses after each guess for as long as it took, and not before the first wrong password', async () => {
  const rests: number[] = [];
  const passwords = createPasswords(1, (ms) => Promise.resolve(rests.push(ms)));
  const stored = await passwords.hash('correct horse battery');
  const guess = () => inLane('address/guesser', () => passwords.matches(stored, 'guess'));
  await guess();
  expect(rests).toEqual([]);
  await inLane('address/guesser', async () => passwords.failed());
  await Promise.all([guess(), guess()]);
  await inLane('address/ordinary', () => passwords.matches(stored, 'guess'));
  expect(rests).toEqual([expect.any(Number), expect.any(Number)]);
  expect(Math.min(...rests)).toBeGreaterThan(1);
  expect(Math.max(...rests)).toBeLessThanOrEqual(100);
});

itOnLinux('hashes guesses in a thread of a lower priority', async () => {
  const begun = countLowThreads();
  const passwords = createPasswords(1);
  const stored = await passwords.hash('correct horse battery');
  await inLane('address/guesser', async () => {
    expect(await passwords.matches(stored, 'guess')).toBe(false);
    passwords.failed();
    expect(begun()).toBe(0);
    expect(await passwords.matches(stored, 'guess')).toBe(false);
    expect(await passwords.matches(stored, 'correct horse battery')).toBe(true);
  });
  expect(begun()).toBe(1);
});

it('prefers an address whose last password was right to unknown addresses', async () => {
  const passwords = createPasswords(1);
  const stored = await passwords.hash('correct horse battery');
  const order: string[] = [];
  const attempt = (address: string) =>
    inLane(`address/${address}`, async () => {
      await passwords.matches(stored, 'correct horse battery');
      order.push(address);
    });
  await attempt('known');
  order.length = 0;
  await Promise.all([...Array.from({ length: 8 }, (_, n) => attempt(`new ${n}`)), attempt('known')]);
  expect(order.indexOf('known')).toBe(1);
  // Guesses, whose thread is beside that of other hashes: only among themselves do they have an order.
  const guessers = ['other 0', 'other 1', 'other 2', 'known'];
  for (const address of guessers) await inLane(`address/${address}`, async () => passwords.failed());
  order.length = 0;
  await Promise.all(guessers.map(attempt));
  expect(order.indexOf('known')).toBe(3);
});
