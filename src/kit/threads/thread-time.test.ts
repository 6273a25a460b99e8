import { newThreadCell, watchThreadTime } from './thread-time';

/** Jest runs tests in the main thread of a process, whose id is that of the process. */
function ownCell() {
  const cell = newThreadCell();
  new BigInt64Array(cell)[0] = BigInt(process.pid);
  return cell;
}

function work(ms: number): void {
  const { user, system } = process.cpuUsage();
  for (let used = 0; used < ms * 1_000;) {
    const now = process.cpuUsage();
    used = now.user + now.system - user - system;
  }
}

it('measures a deadline in processor time, up to eight times as long', () => {
  const isOver = watchThreadTime(ownCell());
  expect(isOver(49, 50)).toBe(false);
  expect([isOver(120, 50), isOver(399, 50)]).toEqual([
    process.platform !== 'linux',
    process.platform !== 'linux',
  ]);
  expect(isOver(400, 50)).toBe(true);
  work(250);
  expect(isOver(120, 50)).toBe(true);
});

it('measures a deadline in elapsed time for a thread that has not announced itself', () => {
  const isOver = watchThreadTime(newThreadCell());
  expect([isOver(49, 50), isOver(50, 50)]).toEqual([false, true]);
});
