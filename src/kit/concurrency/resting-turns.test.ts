import { realTime } from '../../../test/support/waits';
import { createRestingTurns } from './resting-turns';

const create = (more: object = {}) =>
  createRestingTurns({
    slots: 1,
    restMs: (tookMs) => 2 * tookMs,
    patienceMs: 1_000,
    mostWaiting: 10,
    late: () => new Error('late'),
    ...more,
  });

describe('resting turns', () => {
  it('do work that comes alone at once, and rest behind it for as long as it took times the factor', async () => {
    const turns = create();
    const beganAt = performance.now();
    const began: number[] = [];
    const work = async () => {
      began.push(performance.now() - beganAt);
      await realTime(50, 'the work takes time');
    };
    await Promise.all([turns.run('a', work), turns.run('a', work)]);
    expect(began[0]).toBeLessThan(40);
    expect(began[1]).toBeGreaterThanOrEqual(140);
  });

  it('do the work of several tenants at a time, and of each tenant one at a time', async () => {
    const turns = create({ slots: 2, restMs: () => 1 });
    const running: string[] = [];
    const seen: string[] = [];
    const one = (tenant: string) =>
      turns.run(tenant, async () => {
        running.push(tenant);
        seen.push([...running].sort().join(''));
        await realTime(20, 'the work takes time');
        running.splice(running.indexOf(tenant), 1);
      });
    await Promise.all(['a', 'a', 'b', 'c'].map(one));
    expect(seen).toContain('ab');
    expect(seen.filter((names) => names.includes('aa') || names.length > 2)).toEqual([]);
  });

  it('go round by tenant', async () => {
    const turns = create({ restMs: () => 1 });
    const order: string[] = [];
    const one = (tenant: string) => turns.run(tenant, () => Promise.resolve(void order.push(tenant)));
    await Promise.all(['a', 'a', 'a', 'b'].map(one));
    expect(order).toEqual(['a', 'b', 'a', 'a']);
  });

  it('pass errors on, and refuse work that is too much of its tenant or waits too long', async () => {
    const turns = create({ patienceMs: 20, mostWaiting: 1, restMs: () => 200 });
    await expect(turns.run('a', () => Promise.reject(new Error('its own')))).rejects.toThrow('its own');
    const waiting = turns.run('a', () => Promise.resolve());
    await expect(turns.run('a', () => Promise.resolve())).rejects.toThrow('late');
    await expect(waiting).rejects.toThrow('late');
  });
});
