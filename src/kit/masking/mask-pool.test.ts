import { createMaskPool, type MaskPool } from './mask-pool';
import { createSecret } from './masking';
import { part } from '../../../test/support/ledger/counts';

const MIB = 1024 * 1024;
const LARGE_MIB = part(2, 10);
const NOTHING = new Set<number>();
const KEY = 'sk_live_9f8e7d6c5b4a39281706';
const ignore = () => undefined;

let pool: MaskPool;
beforeAll(() => {
  pool = createMaskPool({ warn: ignore });
});
afterAll(() => pool.close());

async function masked(key: string, text: Buffer, found: (text: number) => void = ignore, except = NOTHING) {
  const masker = pool.masker('a', createSecret([key, 'agents.example.com']), found, { except });
  const parts: Buffer[] = [];
  for (let at = 0; at < text.length; at += 60_000)
    parts.push(await masker.push(text.subarray(at, at + 60_000)));
  return Buffer.concat([...parts, await masker.end()]);
}

/** The longest time for which this thread was blocked while `work` ran, in ms. */
async function longestBlock(work: Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await work;
  clearInterval(timer);
  return Math.max(longest, performance.now() - last);
}

it('masks a large answer as it masks a small one, also across the border to the worker', async () => {
  const filler = 'x'.repeat(256 * 1024 - 12);
  const text = Buffer.from(`${filler}${KEY} agents.example.com ${'y'.repeat(MIB)} ${KEY}`);
  const found: number[] = [];
  const output = await masked(KEY, text, (each) => found.push(each));
  expect(output.equals(createSecret([KEY, 'agents.example.com']).mask(text))).toBe(true);
  expect(found.sort()).toEqual([0, 1]);
  const partly = await masked(KEY, text, ignore, new Set([0]));
  expect(partly.toString()).toBe(text.toString().replace('agents.example.com', '[redacted]'));
});

it('does not block this thread for a large answer and a long credential made of repeats', async () => {
  const key = 'a'.repeat(8_000);
  const text = Buffer.alloc(LARGE_MIB * MIB, 'a');
  text[(LARGE_MIB / 2) * MIB] = 0x62;
  const startedAt = performance.now();
  const blocked = await longestBlock(masked(key, text));
  expect(blocked).toBeLessThan((performance.now() - startedAt) / 3);
});

it('lets another tenant have its turn between two pieces', async () => {
  const piece = Buffer.alloc(MIB / 8, 'a');
  const secret = createSecret(['a'.repeat(2_000)]);
  const masker = (tenant: string) => pool.masker(tenant, secret, ignore);
  let pieces = 0;
  const hogs = Array.from({ length: 8 }, async () => {
    const hog = masker('hog');
    for (let n = 0; n < 4; n += 1) {
      await hog.push(piece);
      pieces += 1;
    }
    await hog.end();
  });
  const other = masker('other');
  await other.push(Buffer.from('small'));
  await other.end();
  const before = pieces;
  await Promise.all(hogs);
  // In the order of arrival, each of the eight would have two pieces first.
  expect(before).toBeLessThan(8);
});

it('finds what an input contains, small and large', async () => {
  const secret = createSecret([KEY, 'agents.example.com']);
  const large = Buffer.from(`${'x'.repeat(MIB)} at agents.example.com`);
  expect([...(await pool.textsIn('a', secret, Buffer.from(`is it ${KEY}?`)))]).toEqual([0]);
  expect([...(await pool.textsIn('a', secret, large))]).toEqual([1]);
});

it('refuses work when closed', async () => {
  const closing = createMaskPool({ warn: ignore });
  await closing.close();
  const masker = closing.masker('a', createSecret(['a'.repeat(2_000)]), ignore);
  await expect(masker.push(Buffer.from('x'))).rejects.toThrow();
});
