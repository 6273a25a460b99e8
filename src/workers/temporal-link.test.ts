import { pollAges } from './temporal-link';

it('counts from the last new poll that it saw, independently of the clock of the server', () => {
  let seconds = 0;
  const ageOf = pollAges(() => seconds * 1_000);
  const at = (now: number, ...polls: number[]) => {
    seconds = now;
    return ageOf('operations', polls);
  };
  const yesterday = 1_700_000_000_000;
  expect(at(0, yesterday)).toBe(0);
  expect(at(50, yesterday)).toBe(50);
  expect(at(60, yesterday + 60_000, yesterday)).toBe(0);
  // The worker is frozen: the server lists its last poll for some minutes, and then nothing.
  expect(at(200, yesterday + 60_000)).toBe(140);
  expect(at(400)).toBe(340);
  expect(at(410, yesterday + 410_000)).toBe(0);
});

it('counts from its first request to the server when no worker polls', () => {
  let seconds = 10;
  const ageOf = pollAges(() => seconds * 1_000);
  expect(ageOf('operations', [])).toBe(0);
  seconds = 100;
  expect([ageOf('operations', []), ageOf('probes', [])]).toEqual([90, 0]);
});
