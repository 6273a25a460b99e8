/** The README, the how-to pages and the runbooks do what they say, on one stack of `npm start` and in one shell. */
import { createTestHome, npmStart, type NpmStart, type TestHome } from '../support/documents/npm-start';
import { RUNBOOKS, STACK_PAGES } from '../support/documents/pages';
import { startPages, type StackPages } from '../support/documents/stack-pages';
import { killAndCall, processesOf } from '../support/documents/start-parts';

jest.setTimeout(300_000);

let at: TestHome;
let start: NpmStart;
let pages: StackPages;

beforeAll(async () => {
  at = await createTestHome();
  start = npmStart(at);
  await start.until('Ctrl-C stops everything', 240_000);
  pages = await startPages(at.home, start);
});
afterAll(async () => {
  await pages.end();
  start.kill();
  await start.ended(30_000).catch(() => undefined);
  at.remove();
});

it.each(STACK_PAGES)('%s runs', (page) => pages.run(page));
it.each(RUNBOOKS)('%s runs', (page) => pages.run(page, 'market login --demo operator'));

// `npm test` kills the API; the agents are started alike, and one stands for all.
it.each(['postgres', 'temporal', 'worker', 'csv-profiler'])(
  'npm start starts %s again when it is killed, and calls work again',
  (name) => killAndCall(start, name),
);

it('npm start stops when the reader of its output leaves, as in npm start | head -1', async () => {
  const own = await createTestHome();
  const left = npmStart(own);
  try {
    await left.until('postgres', 60_000);
    left.leave();
    await left.ended(60_000);
    expect(processesOf(own.home)).toEqual([]);
  } finally {
    left.kill('SIGKILL');
    own.remove();
  }
});
