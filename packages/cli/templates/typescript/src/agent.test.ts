import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
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

async function started(): Promise<{ server: Server; port: number }> {
  const server = createAgentServer(SECRET).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Sends bytes, closes the connection if `abort` says so, and returns what comes back. */
async function sendRaw(port: number, text: string, abort = false): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (data: string) => (received += data));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text, () => (abort ? socket.destroy() : undefined));
  await once(socket, 'close');
  return received;
}

test('answers signed requests, and refuses others', async () => {
  const { server, port } = await started();
  const url = `http://127.0.0.1:${port}/invoke`;
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

test('goes on after half a request, and refuses a body that is too long', async () => {
  const { server, port } = await started();
  const head = 'POST /invoke HTTP/1.1\r\nhost: agent\r\n';
  await sendRaw(port, `${head}content-length: 1000\r\n\r\n{"a`, true);
  await sendRaw(port, `${head}transfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n`, true);
  assert.match(await sendRaw(port, `${head}content-length: 99999999\r\n\r\n{"a`), /^HTTP\/1.1 413 /);
  assert.match(await sendRaw(port, `${head}content-length: x\r\n\r\n`), /^HTTP\/1.1 400 /);
  const health = await fetch(`http://127.0.0.1:${port}/health`);
  server.close();
  assert.equal(health.status, 200);
});

test('needs a secret of the marketplace', () => {
  for (const secret of ['', 'whsec_', '"whsec_AAAA"', 'whsec_not base64!'])
    assert.throws(() => createAgentServer(secret));
});
