import { createLane } from './serial-queue';

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('the lane', () => {
  it('lets timers run between pieces of blocking work, in order', async () => {
    const lane = createLane();
    const seen: string[] = [];
    const timer = setInterval(() => seen.push('timer'), 1);
    await Promise.all([1, 2, 3].map((n) => lane.run(() => (block(10), seen.push(`work ${n}`)))));
    clearInterval(timer);
    expect(seen.filter((event) => event !== 'timer')).toEqual(['work 1', 'work 2', 'work 3']);
    expect(seen.slice(seen.indexOf('work 1'), seen.indexOf('work 3'))).toContain('timer');
  });

  it('goes on after a piece that throws', async () => {
    const lane = createLane();
    const refused = lane.run(() => {
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    await expect(lane.run(() => 7)).resolves.toBe(7);
  });
});
