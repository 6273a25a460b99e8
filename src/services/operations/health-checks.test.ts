import { readHealth } from './health-checks';

const fine = () => Promise.resolve();
const checks = { postgres: fine, temporal: fine, worker: fine };
const report = (isAlive: boolean, failing: string[] = []) => ({
  worker: 'w',
  failing,
  reportedAt: new Date(),
  isAlive,
});
const stateOf = async (reports: ReturnType<typeof report>[], given = checks) =>
  (await readHealth({ checks: given, workers: () => Promise.resolve(reports) })).checks;

it('has a worker while one reports and polls', async () => {
  expect(await stateOf([report(true), report(false)])).toMatchObject({ worker: 'ok', loops: 'ok' });
});

it.each([
  ['is frozen', [report(false)]],
  ['never reported', []],
])(
  'has neither worker nor loops when the only worker %s, although its polls are remembered',
  async (_what, reports) => {
    expect(await stateOf(reports)).toMatchObject({ worker: 'failed', loops: 'failed' });
  },
);

it('names the failing loops of the workers that report, and not those of one that is gone', async () => {
  const workers = () => Promise.resolve([report(true, ['mails']), report(false, ['sweep'])]);
  const { failingLoops, checks: states } = await readHealth({ checks, workers });
  expect({ failingLoops, ...states }).toMatchObject({
    failingLoops: ['mails'],
    worker: 'ok',
    loops: 'failed',
  });
});

it('fails a check that throws', async () => {
  const away = { ...checks, temporal: () => Promise.reject(new Error('away')) };
  expect(await stateOf([report(true)], away)).toMatchObject({ temporal: 'failed', postgres: 'ok' });
});
