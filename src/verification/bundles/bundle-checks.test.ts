/** Checks run in compiled code: `npm run build` first (`npm test` does). */
import { bundleOf } from '../../../test/support/verification/bundles';
import { countLowThreads, itOnLinux } from '../../../test/support/stack/threads';
import { type BundleChecks, createBundleChecks } from './bundle-checks';

let checks: BundleChecks;
beforeEach(() => {
  checks = createBundleChecks();
});
afterEach(() => checks.close());

const ORDINARY = bundleOf({ 'index.js': 'module.exports = 1;\n', 'README.md': '# An agent\n' }).toString(
  'base64',
);
const LARGE = bundleOf({ 'data.txt': 'x'.repeat(6 * 1024 * 1024) }).toString('base64');

/** The names of `work` in the order of their ends. */
async function orderOf(work: Record<string, () => Promise<unknown>>): Promise<string[]> {
  const ended: string[] = [];
  await Promise.all(
    Object.entries(work).map(async ([name, begin]) => {
      await begin();
      ended.push(name);
    }),
  );
  return ended;
}

it('checks an ordinary bundle without waiting for the large ones of others', async () => {
  const order = await orderOf({
    large: () => checks.check('hostile', LARGE),
    ordinary: () => checks.check('honest', ORDINARY),
  });
  expect(order).toEqual(['ordinary', 'large']);
});

it('lets a developer who used much time wait for a turn, with small bundles too', async () => {
  for (let n = 0; n < 8; n += 1) await checks.check('hostile', LARGE);
  const order = await orderOf({
    large: () => checks.check('hostile', LARGE),
    small: () => checks.check('hostile', ORDINARY),
  });
  expect(order).toEqual(['large', 'small']);
});

it.each<[string, string, string | undefined]>([
  ['an ordinary one', ORDINARY, undefined],
  ['text', '%%%%', 'base64'],
  ['other bytes', Buffer.from('not gzip').toString('base64'), 'gzip'],
  ['a link', bundleOf([{ path: 'a', type: '2' }]).toString('base64'), 'link'],
  [
    'long headers',
    bundleOf([{ path: 'pax', type: 'x', text: '6 a=b\n'.repeat(11_000) }, { path: 'a' }]).toString('base64'),
    'tar',
  ],
])('has the same verdict inline and in the thread: %s', async (_what, base64, type) => {
  const atOnce = await checks.check('honest', base64);
  for (let n = 0; n < 8; n += 1) await checks.check('hostile', LARGE);
  expect(await checks.check('hostile', base64)).toEqual(atOnce);
  expect(atOnce).toMatchObject(type === undefined ? { ok: true } : { ok: false, type });
});

itOnLinux('checks large bundles in a thread of a lower priority', async () => {
  const begun = countLowThreads();
  await checks.check('honest', LARGE);
  expect(begun()).toBe(1);
});
