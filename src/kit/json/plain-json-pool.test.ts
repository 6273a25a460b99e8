import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createPlainJsonPool } from './plain-json-pool';
import { plainJson } from './plain-json';

const MIB = 1024 * 1024;
const pool = createPlainJsonPool();
afterAll(() => pool.close());

it.each([
  ['bytes', randomBytes(MIB)],
  ['text', Buffer.from('é "x"\n'.repeat(MIB / 8))],
])('writes large %s in the thread as small ones here', async (_what, bytes) => {
  const { json, ...rest } = plainJson(bytes);
  const written = await pool.write('a', Buffer.from(bytes));
  expect([written.json.equals(json), written]).toEqual([true, expect.objectContaining(rest)]);
});

it('keeps bytes that are no text as base64, and text as text', () => {
  const bytes = plainJson(Buffer.from([0xff, 0x00]));
  expect([bytes.json.toString(), bytes.isBase64]).toEqual(['"/wA="', true]);
  const text = plainJson(Buffer.from('a"b'));
  expect([text.json.toString(), text.isBase64]).toEqual(['"a\\"b"', false]);
});

it('delays other work of the process by little, however large the answer is', async () => {
  const bytes = randomBytes(10 * MIB);
  await pool.write('a', Buffer.from(bytes.subarray(0, MIB)));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const beganAt = performance.now();
  delay.enable();
  await pool.write('a', bytes);
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan((performance.now() - beganAt) / 2);
});
