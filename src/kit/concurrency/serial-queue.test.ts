import { createSerialQueue } from './serial-queue';

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('the serial queue', () => {
  it('lets timers run between pieces of blocking work, in order', async () => {
    const queue = createSerialQueue();
    const seen: string[] = [];
    const timer = setInterval(() => seen.push('timer'), 1);
    await Promise.all([1, 2, 3].map((n) => queue.run(() => (block(10), seen.push(`work ${n}`)))));
    clearInterval(timer);
    expect(seen.filter((event) => event !== 'timer')).toEqual(['work 1', 'work 2', 'work 3']);
    expect(seen.slice(seen.indexOf('work 1'), seen.indexOf('work 3'))).toContain('timer');
  });

  it('continues after a piece of work that throws', async () => {
    const queue = createSerialQueue();
    const refused = queue.run(() => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    await expect(queue.run(() => 7)).resolves.toBe(7);
  });
});
