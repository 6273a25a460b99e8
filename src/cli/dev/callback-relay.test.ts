import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { signWebhook } from '../../kit/crypto/webhook-signature';
import { compileSchema } from '../../kit/schemas/schema-compiler';
import { type CallbackRelay, startCallbackRelay } from './callback-relay';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ID = 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b';
const PATH = `/v1/callbacks/${ID}/token`;
const said: string[] = [];
const received: { path: string | undefined; body: string; headers: Record<string, unknown> }[] = [];
/** How the marketplace answers. */
let response = { status: 202, body: '{"status":"accepted"}' };
let marketplace: Server;
let relay: CallbackRelay;

beforeAll(async () => {
  marketplace = createServer((req, res) => {
    void text(req).then((body) => {
      received.push({ path: req.url, body, headers: req.headers });
      res.writeHead(response.status, { 'content-type': 'application/json', 'retry-after': '7' });
      res.end(response.body);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => marketplace.once('listening', resolve));
  const { port } = marketplace.address() as AddressInfo;
  const output = compileSchema({ type: 'object', properties: { words: { type: 'integer' } } });
  relay = await startCallbackRelay({
    host: '127.0.0.1',
    // The port of the marketplace is not free: another one is taken.
    port,
    apiUrl: `http://127.0.0.1:${port}`,
    secret: SECRET,
    checks: () => ({ output }),
    say: (line) => said.push(line.replace(/\d+\.\d s/, '1.0 s')),
  });
});
afterAll(() => {
  relay.close();
  marketplace.close();
});

async function callBack(message: unknown, headers: Record<string, string> = {}) {
  said.length = 0;
  received.length = 0;
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const signed = signWebhook(SECRET, 'msg_1', Math.floor(Date.now() / 1_000), Buffer.from(body));
  const sent = await fetch(relay.addressOf(`http://market.test${PATH}`), {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...signed, ...headers },
  });
  return {
    status: sent.status,
    retryAfter: sent.headers.get('retry-after'),
    body: await sent.text(),
    signed,
  };
}

describe('the callbacks of an agent that market dev runs', () => {
  it('reach the marketplace byte for byte, and its response the agent', async () => {
    const body = '{ "type": "progress", "progress": 0.4, "message": "Read 12 of 30" }';
    const { status, retryAfter, body: returned, signed } = await callBack(body);
    expect([status, retryAfter, returned]).toEqual([202, '7', '{"status":"accepted"}']);
    expect(received[0]).toMatchObject({ path: PATH, body, headers: signed });
    expect(said).toEqual([`job ${ID}: 40 %  Read 12 of 30`]);
  });

  it('are answers that match the schema, or not', async () => {
    await callBack({ type: 'answer', output: { words: 6 } });
    expect(said).toEqual([`job ${ID}: answer after 1.0 s  matches output_schema`]);
    await callBack({ type: 'answer', output: { words: 'six' } });
    expect(said.join()).toContain(
      'does not match output_schema: buyers get a refund\n    words: must be integer',
    );
    await callBack({ type: 'failure', message: 'no source answers' });
    expect(said).toEqual([`job ${ID}: failure after 1.0 s  no source answers`]);
  });

  it('are shown with the reason when they are refused', async () => {
    response = { status: 409, body: '{"error":{"code":"invalid_state","message":"This call is over."}}' };
    expect((await callBack({ type: 'progress', progress: 0.5 })).status).toBe(409);
    expect(said).toEqual([`job ${ID}: progress is refused with 409: This call is over.`]);
    response = { status: 401, body: '{}' };
    await callBack({ type: 'progress', progress: 0.5 }, { 'webhook-signature': 'v1,AAAA' });
    expect(said).toEqual([
      `job ${ID}: a callback is refused with 401: MARKET_SIGNING_SECRET did not sign id.timestamp.body`,
    ]);
  });

  it('go to no address but that of a callback', async () => {
    expect(relay.addressOf('https://market.test/v1/agents')).toBe('https://market.test/v1/agents');
    const address = relay.addressOf(`http://market.test${PATH}`);
    expect((await fetch(address.replace('/v1/callbacks/', '/v1/agents/'))).status).toBe(404);
  });
});
