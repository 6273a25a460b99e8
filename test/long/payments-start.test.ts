/** `npm start -- --payments`: the page about it does what it says, on a stack that takes payments by the sandbox. */
import { createTestHome, npmStart, type NpmStart, type TestHome } from '../support/documents/npm-start';
import { PAYMENT_PAGES } from '../support/documents/pages';
import { startPages, type StackPages } from '../support/documents/stack-pages';

jest.setTimeout(300_000);

let at: TestHome;
let start: NpmStart;
let pages: StackPages;

beforeAll(async () => {
  at = await createTestHome();
  start = npmStart(at, {}, ['--payments']);
  await start.until('Ctrl-C stops everything', 240_000);
  pages = await startPages(at.home, start);
});
afterAll(async () => {
  await pages.end();
  start.kill();
  await start.ended(30_000).catch(() => undefined);
  at.remove();
});

it.each(PAYMENT_PAGES)('%s runs', (page) => pages.run(page));

it('keeps the chain in its folder, and stops it', async () => {
  expect(start.processes().map(({ name }) => name)).toContain('payments');
  start.pressCtrlC();
  await start.ended(30_000);
  expect(start.output()).toContain('stopped in');
});
