/** The workers call compiled code: `npm run build` first (`npm test` does). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createTenantThreads, type Loss, type ThreadKind } from './tenant-threads';
import { realTime } from '../../../test/support/waits';

const folder = mkdtempSync(join(tmpdir(), 'tenant-threads-'));
const script = join(folder, 'worker.js');
const COMPILED = resolve(__dirname, '../../../dist/kit/threads');

/** Answers with the number of its requests. */
const WORKER = `
  const { serveJobs } = require(${JSON.stringify(join(COMPILED, 'thread-jobs.js'))});
  const { within } = require(${JSON.stringify(join(COMPILED, 'thread-time.js'))});
  let requests = 0;
  const spin = (ms) => { for (const began = Date.now(); Date.now() - began < ms;); };
  serveJobs(async (request) => {
    requests += 1;
    if (request === 'throw') throw new Error('thrown');
    if (request === 'hang') await new Promise(() => undefined);
    if (request === 'spin') spin(60_000);
    if (request === 'step') within(50, () => spin(60_000));
    if (request === 'memory') for (const all = [];;) all.push(new Array(1e5).fill({}));
    if (request === 'end') process.exit(0);
    if (request === 'pause') await new Promise((done) => setTimeout(done, 100));
    if (request === 'die') setTimeout(() => process.exit(0), 10);
    return requests;
  });
`;

beforeAll(() => writeFileSync(script, WORKER));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Row = ThreadKind<string, number | Loss>;

const ROW: Row = {
  name: 'test',
  script,
  threads: 1,
  memory: { maxOldGenerationSizeMb: 32 },
  deadlineMs: 300,
  startMs: 20_000,
  turns: { patienceMs: 60_000, late: () => new Error('late') },
  lost: (loss) => loss,
};

async function using(row: Partial<Row>, work: (threads: ReturnType<typeof open>) => Promise<void>) {
  const threads = open(row);
  try {
    await work(threads);
  } finally {
    await threads.close();
  }
}
const open = (row: Partial<Row>) => createTenantThreads<string, number | Loss>({ ...ROW, ...row });

it('replaces a thread that ended while idle', () =>
  using({}, async (threads) => {
    expect([await threads.ask('a', 'one'), await threads.ask('a', 'die')]).toEqual([1, 2]);
    await realTime(300, 'the thread has ended');
    expect(await threads.ask('a', 'after its end')).toBe(1);
  }));

it.each<[string, Partial<Loss>]>([
  ['hang', { reason: 'deadline', inStep: false }],
  ['spin', { reason: 'deadline', inStep: false }],
  ['step', { reason: 'deadline', inStep: true }],
  ['memory', { reason: 'memory', inStep: false }],
  ['end', { reason: 'ended', inStep: false }],
])('says how a job was lost (%s), and goes on with the next', (request, loss) =>
  using({ deadlineMs: request === 'memory' || request === 'step' ? 20_000 : 300 }, async (threads) => {
    expect(await threads.ask('a', 'one')).toBe(1);
    expect(await threads.ask('a', request)).toMatchObject(loss);
    expect(await threads.ask('a', 'next')).toBe(1);
  }),
);

it('rejects what the worker threw, and keeps the thread', () =>
  using({}, async (threads) => {
    await expect(threads.ask('a', 'throw')).rejects.toThrow('thrown');
    expect(await threads.ask('a', 'next')).toBe(2);
  }));

it('performs a lost job once more where its kind says so', () =>
  using({ lost: (_loss, _request, again) => again(), jobsAtOnce: Infinity }, async (threads) => {
    const both = ['pause', 'die'].map((request) => threads.ask('a', request));
    expect((await Promise.all(both)).sort()).toEqual([1, 2]);
  }));

it('starts as many threads as the kind has, and gives each one job', () =>
  using({ threads: 2 }, async (threads) => {
    const jobs = ['a', 'b', 'c'].map((tenant) => threads.ask(tenant, 'pause'));
    expect((await Promise.all(jobs)).sort()).toEqual([1, 1, 2]);
  }));

it('keeps the jobs of a session in one thread, and loses them with it', () =>
  using({}, async (threads) => {
    const session = threads.session('a');
    expect([await session.ask('one'), await session.ask('two')]).toEqual([1, 2]);
    session.tell('three');
    expect(await session.ask('four')).toBe(4);
    expect(await threads.ask('b', 'end')).toMatchObject({ reason: 'ended' });
    expect(await session.ask('five')).toMatchObject({ reason: 'ended' });
    expect(await threads.session('a').ask('one')).toBe(1);
  }));

it('does small work in the process, unless its tenant used much time lately', () =>
  using({ inline: { length: 10, tinyLength: 2, heavyMs: 100, clock: () => 0 } }, async (threads) => {
    const here = (length: number) => threads.inline('a', length, () => 'here')?.value;
    expect([here(2), here(10), here(11)]).toEqual(['here', 'here', undefined]);
    threads.charge('a', 150);
    expect([here(2), here(3)]).toEqual(['here', undefined]);
    await Promise.resolve();
  }));

it('loses what it has and what comes when it is closed', async () => {
  const threads = open({ threads: 1 });
  const waiting = ['hang', 'next'].map((request) => threads.ask('a', request));
  await threads.close();
  for (const lost of [...waiting, threads.ask('a', 'late')])
    expect(await lost).toMatchObject({ reason: 'closed' });
});
