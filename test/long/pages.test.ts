/** The README, the how-to pages and the runbooks do what they say, on one stack of `npm start` and in one shell. */
import { createTestHome, npmStart, type NpmStart, type TestHome } from '../support/documents/npm-start';
import { RUNBOOKS, STACK_PAGES } from '../support/documents/pages';
import { startPages, type StackPages } from '../support/documents/stack-pages';

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
