import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { answer, InvalidInput } from './agent.js';
import { createAgentServer } from './server.js';

const { examples } = JSON.parse(readFileSync('manifest.json', 'utf8')) as {
  examples: { input: object; output: object }[];
};
const SECRET = `whsec_${Buffer.from('a secret for this test alone').toString('base64')}`;

for (const { input, output } of examples)
  test(`answers ${JSON.stringify(input)}`, () => assert.deepEqual(answer(input), output));

test('refuses an input that does not match the schema', () => {
  assert.throws(() => answer({ text: 1 }), InvalidInput);
});

test('answers signed requests, and refuses others', async () => {
  const server = createAgentServer(SECRET).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/invoke`;
  const body = JSON.stringify(examples[0]?.input);
  const now = new Date();
  const headers = {
    'webhook-id': 'inv_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign('inv_1', now, body),
  };
  const signed = await fetch(url, { method: 'POST', body, headers });
  const unsigned = await fetch(url, { method: 'POST', body });
  server.close();
  assert.deepEqual([signed.status, await signed.json()], [200, examples[0]?.output]);
  assert.equal(unsigned.status, 401);
});
