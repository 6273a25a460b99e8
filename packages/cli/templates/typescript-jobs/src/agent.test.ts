import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { InvalidInput, readInput, work } from './agent.js';
import { createJobs } from './jobs.js';
import { createAgentServer } from './server.js';

const { examples } = JSON.parse(readFileSync('manifest.json', 'utf8')) as {
  examples: { input: { text: string }; output: object }[];
};
const SECRET = `whsec_${Buffer.from('a secret for this test alone').toString('base64')}`;
const LONG = { text: 'one\ntwo three\nfour five six' };
const LONG_OUTPUT = { words: 6 };

for (const { input, output } of examples)
  test(`answers ${JSON.stringify(input)}`, async () => {
    assert.deepEqual(await work(readInput(input), async () => undefined), output);
  });

test('refuses an input that does not match the schema', () => {
  assert.throws(() => readInput({ text: 1 }), InvalidInput);
});

const newFolder = () => mkdtempSync(join(tmpdir(), 'jobs-'));

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stands for the marketplace: takes callbacks with a valid signature, and answers each with `status`. */
async function startMarketplace(status: (message: { type: string }) => number = () => 202) {
  const messages: { type: string; progress?: number; output?: object }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = new Webhook(SECRET).verify(body, request.headers as Record<string, string>);
      messages.push(message as { type: string });
      response.writeHead(status(message as { type: string }), { 'retry-after': '0' }).end();
      server.emit('message');
    });
  });
  const url = `${await listening(server)}/v1/callbacks/inv_1/token`;
  async function until(isThere: () => boolean) {
    while (!isThere()) await once(server, 'message');
  }
  return { messages, url, until, server };
}

async function call(url: string, input: object, headers: Record<string, string>) {
  const body = JSON.stringify(input);
  const now = new Date();
  const signed = {
    'webhook-id': 'inv_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign('inv_1', now, body),
  };
  return fetch(`${url}/invoke`, { method: 'POST', body, headers: { ...signed, ...headers } });
}

test('answers short work at once, and refuses requests without a signature', async () => {
  const server = createAgentServer(SECRET, createJobs({ secret: SECRET, folder: newFolder() }));
  const url = await listening(server);
  const headers = { 'x-callback-url': 'http://127.0.0.1:9/unused' };
  const answered = await call(url, { text: 'to be' }, headers);
  const forged = await call(url, { text: 'to be' }, { ...headers, 'webhook-signature': 'v1,AAAA' });
  server.close();
  assert.deepEqual([answered.status, await answered.json()], [200, { words: 2 }]);
  assert.equal(forged.status, 401);
});

test('takes long work with 202, once, and calls progress and answer back until they are accepted', async () => {
  let answers = 0;
  const market = await startMarketplace(({ type }) => (type === 'answer' && ++answers === 1 ? 503 : 202));
  const folder = newFolder();
  const server = createAgentServer(SECRET, createJobs({ secret: SECRET, folder, atOnceMs: 50 }));
  const url = await listening(server);
  const headers = { 'x-callback-url': market.url };
  const statuses = [await call(url, LONG, headers), await call(url, LONG, headers)].map(
    ({ status }) => status,
  );
  assert.deepEqual(readdirSync(folder), ['inv_1.json']);
  await market.until(() => answers === 2);
  server.close();
  market.server.close();
  assert.deepEqual(statuses, [202, 202]);
  assert.equal(market.messages[0]?.type, 'progress');
  assert.deepEqual(market.messages.at(-1), { type: 'answer', output: LONG_OUTPUT });
});

test('works again on jobs that a restart has interrupted', async () => {
  const market = await startMarketplace();
  const folder = newFolder();
  writeFileSync(
    join(folder, 'inv_1.json'),
    JSON.stringify({ id: 'inv_1', callbackUrl: market.url, input: LONG }),
  );
  createJobs({ secret: SECRET, folder });
  await market.until(() => market.messages.some(({ type }) => type === 'answer'));
  market.server.close();
  assert.deepEqual(market.messages.at(-1)?.output, LONG_OUTPUT);
});

test('stops work whose buyer has cancelled, without an answer', async () => {
  const market = await startMarketplace(() => 409);
  const folder = newFolder();
  const jobs = createJobs({ secret: SECRET, folder, atOnceMs: 50 });
  const job = { id: 'inv_1', callbackUrl: market.url, input: { text: 'a\n'.repeat(1000) } };
  assert.equal(await jobs.take(job), undefined);
  await market.until(() => market.messages.length === 1);
  while (existsSync(join(folder, 'inv_1.json'))) await new Promise(setImmediate);
  market.server.close();
  assert.equal(market.messages[0]?.type, 'progress');
});
