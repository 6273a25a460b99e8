import { createTenantTurns } from '../../kit/concurrency/tenant-turns';
import { createCallOrder } from './call-order';
import { createRunTurns } from './run-turns';
import { runInSlots } from './slow-agents';

function turnsOf(mostWaiting = 4) {
  return createTenantTurns({
    slots: 2,
    mostRunning: 1,
    mostWaiting,
    patienceMs: 10_000,
    late: () => new Error('late'),
    crowded: () => new Error('crowded'),
  });
}

const held = () => {
  let release = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { ended, release: () => release() };
};

it('lets both stages of a run work in one turn of its developer, and other runs after both', async () => {
  const runs = createRunTurns(turnsOf());
  const seen: string[] = [];
  const [calls, attacks] = [held(), held()];
  const stage = (name: string, until: Promise<void>) => async () => {
    seen.push(name);
    await until;
  };
  const first = runs.run('run_1', 'one', stage('calls', calls.ended));
  const second = runs.run('run_1', 'one', stage('attacks', attacks.ended));
  const next = runs.run('run_2', 'one', stage('next', Promise.resolve()));
  await runs.run('run_3', 'two', stage('of another developer', Promise.resolve()));
  expect(seen).toEqual(['calls', 'attacks', 'of another developer']);
  calls.release();
  await first;
  expect(seen).not.toContain('next');
  attacks.release();
  await Promise.all([second, next]);
  expect(seen.at(-1)).toBe('next');
});

it('refuses both stages if the developer has too many runs, and takes the run again later', async () => {
  const runs = createRunTurns(turnsOf(0));
  const busy = held();
  const other = runs.run('run_1', 'one', () => busy.ended);
  const refused = await Promise.allSettled([
    runs.run('run_2', 'one', () => Promise.resolve()),
    runs.run('run_2', 'one', () => Promise.resolve()),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  busy.release();
  await other;
  expect(await runs.run('run_2', 'one', () => Promise.resolve('done'))).toBe('done');
});

it('lets the calls of both stages follow their slots, one at a time, and a stage go on after the other has failed', async () => {
  const runs = createRunTurns(turnsOf());
  const order: number[] = [];
  const call = (slot: number) => async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push(slot);
  };
  const odd = runs.run('run_1', 'one', async (place) => {
    for (const slot of [1, 3]) await place.run(slot, call(slot));
    throw new Error('a fault');
  });
  const even = runs.run('run_1', 'one', async (place) => {
    for (const slot of [0, 2, 4, 6]) await place.run(slot, call(slot));
  });
  await expect(odd).rejects.toThrow('a fault');
  await even;
  expect(order).toEqual([0, 1, 2, 3, 4, 6]);
});

const made = (durations: number[]) => ({
  exchanges: durations.map((durationMs) => ({ fact: { durationMs } })),
  attacks: [],
});

it('makes four calls of a run at once for an agent that takes long to answer, in their order, and one for others', async () => {
  const most = async (durations: number[]) => {
    const place = createCallOrder().join();
    const begun: number[] = [];
    let [open, highest] = [0, 0];
    const tasks = [0, 1, 2, 3, 4, 5, 6, 7].map((slot) => ({
      slot,
      work: async () => {
        begun.push(slot);
        highest = Math.max(highest, (open += 1));
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
      },
    }));
    await runInSlots(place, tasks, made(durations), () => true);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    return highest;
  };
  expect(await most([20_000, 20_000])).toBe(4);
  expect(await most([900, 20, 4_000])).toBe(1);
});

it('ends the calls of a slow agent with the fault of one of them', async () => {
  const work = (slot: number) => () =>
    slot === 3 ? Promise.reject(new Error('a fault')) : Promise.resolve();
  const tasks = [0, 1, 2, 3, 4, 5].map((slot) => ({ slot, work: work(slot) }));
  const run = runInSlots(createCallOrder().join(), tasks, made([9_000, 9_000]), () => true);
  await expect(run).rejects.toThrow('a fault');
});
