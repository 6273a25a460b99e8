import { createHash, createHmac, randomBytes } from 'node:crypto';
import { canonicalJson } from '../../../src/kit/json/canonical-json';
import type { Behaviour } from '../../support/agents/behaviours';
import { makeKey } from '../../support/accounts/keys';
import { balance, eventually, invoke, register, startMarket, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { putSelfHosted, use, type SelfHosted } from '../../support/calls/use';
import { useScene } from '../../support/use-market';

const scene = useScene();
let hosted: SelfHosted;
let buyer: TestUser;

beforeAll(async () => {
  hosted = await putSelfHosted(scene.market, scene.developer, `${scene.agent.url}/any/path?q=1`);
});
beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 100);
  scene.agent.behave({ kind: 'echo' });
  scene.agent.forget();
});

const spent = async () => 100 - (await balance(scene.market.owner, buyer.userId, 'wallet')) / 100;
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

/** An answer with exactly these bytes. */
function answers(contentType: string, ...parts: (string | Buffer)[]): Behaviour {
  return { kind: 'stream', contentType, parts: () => parts };
}

async function receiptOf(invocationId: string | undefined) {
  const { body } = await request<{ evidence: { receipt: Record<string, unknown> }; output?: unknown }>(
    scene.market,
    buyer,
    'GET',
    `/v1/invocations/${invocationId}`,
  );
  return body;
}

describe('a self-hosted agent', () => {
  it('gets the bytes as they are, with their content type, signed, and is paid', async () => {
    const bytes = randomBytes(50_000);
    scene.agent.behave(answers('application/json', '{"seen": true}'));
    const before = await balance(scene.market.owner, scene.developer.userId, 'payable');
    const reply = await use(scene.market, buyer, hosted, bytes, { 'content-type': 'image/x-thing; a=b' });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        output: { seen: true },
        usage: { credits_charged: 10 },
        trace_id: expect.any(String) as string,
      },
    });
    expect(reply.body).not.toHaveProperty('content_type');
    const [delivery] = scene.agent.deliveries;
    expect(delivery?.body.equals(bytes)).toBe(true);
    expect(delivery?.path).toBe('/any/path?q=1');
    expect(delivery?.headers).toMatchObject({
      'content-type': 'image/x-thing; a=b',
      'idempotency-key': reply.body.invocation_id,
      'x-invocation-id': reply.body.invocation_id,
    });
    expect(delivery?.headers.cookie).toBeUndefined();
    const signed = delivery?.headers as Record<string, string>;
    const secret = Buffer.from(hosted.signingSecret.replace('whsec_', ''), 'base64');
    const mac = createHmac('sha256', secret).update(
      `${signed['webhook-id']}.${signed['webhook-timestamp']}.`,
    );
    expect(signed['webhook-signature']).toBe(`v1,${mac.update(bytes).digest('base64')}`);
    expect(await spent()).toBe(10);
    expect((await balance(scene.market.owner, scene.developer.userId, 'payable')) - before).toBe(970);
    const { evidence } = await receiptOf(reply.body.invocation_id);
    expect(evidence.receipt).toMatchObject({
      input_sha256: sha256(bytes),
      output_sha256: sha256(canonicalJson({ seen: true })),
    });
  });

  it('may get an empty body, text that looks like JSON, and ten megabytes', async () => {
    for (const [body, contentType] of [
      [Buffer.alloc(0), undefined],
      ['{"a":1,"a":2}', 'application/json'],
      [randomBytes(10 * 1024 * 1024), 'application/octet-stream'],
    ] as const) {
      scene.agent.forget();
      scene.agent.behave(answers('application/json', 'null'));
      const headers = contentType === undefined ? {} : { 'content-type': contentType };
      const reply = await use(scene.market, buyer, hosted, body, headers);
      expect(reply).toMatchObject({ status: 200, body: { output: null } });
      const [delivery] = scene.agent.deliveries;
      expect(delivery?.body.equals(Buffer.from(body))).toBe(true);
      expect(delivery?.headers['content-type']).toBe(contentType ?? 'application/octet-stream');
    }
    const large = await use(scene.market, buyer, hosted, Buffer.alloc(10 * 1024 * 1024 + 1));
    expect([large.status, large.body.error?.code]).toEqual([413, 'payload_too_large']);
    expect(await spent()).toBe(30);
  });

  it('may answer text, which comes as a string with its content type, also from the receipt and a replay', async () => {
    scene.agent.behave(answers('text/csv; charset=utf-8', 'a,b\r\n1,"Zürich"\r\n'));
    const key = { 'idempotency-key': 'text-1' };
    const reply = await use(scene.market, buyer, hosted, 'x', key);
    const text = 'a,b\r\n1,"Zürich"\r\n';
    expect(reply.body).toMatchObject({ output: text, content_type: 'text/csv; charset=utf-8' });
    expect(reply.body).not.toHaveProperty('output_encoding');
    const replay = await use(scene.market, buyer, hosted, 'x', key);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(replay.body).toEqual(reply.body);
    expect(scene.agent.deliveries).toHaveLength(1);
    expect(await spent()).toBe(10);
    const seen = await receiptOf(reply.body.invocation_id);
    expect(seen).toMatchObject({ output: text, content_type: 'text/csv; charset=utf-8' });
    expect(seen.evidence.receipt['output_sha256']).toBe(sha256(text));
  });

  it('may answer bytes, which come in base64', async () => {
    const bytes = Buffer.concat([Buffer.from([0, 255, 254]), randomBytes(1_000)]);
    scene.agent.behave(answers('image/png', bytes));
    const reply = await use(scene.market, buyer, hosted, 'x', { 'idempotency-key': 'bytes-1' });
    expect(reply.body).toMatchObject({ content_type: 'image/png', output_encoding: 'base64' });
    expect(Buffer.from(reply.body.output as string, 'base64').equals(bytes)).toBe(true);
    const seen = await receiptOf(reply.body.invocation_id);
    expect(seen).toMatchObject({ output: reply.body.output, output_encoding: 'base64' });
    expect(seen.evidence.receipt['output_sha256']).toBe(sha256(bytes));
  });

  it('is charged the same by invoke, and answers the same there', async () => {
    scene.agent.behave(answers('text/plain', 'hello'));
    const reply = await invoke(scene.market, buyer, hosted.agentId, { input: { any: ['thing'] } });
    expect(reply.body).toMatchObject({
      output: 'hello',
      content_type: 'text/plain',
      usage: { credits_charged: 10 },
    });
    expect(JSON.parse(scene.agent.deliveries[0]?.body.toString() ?? '')).toEqual({ any: ['thing'] });
  });

  const failures: [string, Behaviour, number, string][] = [
    ['answers invalid JSON', answers('application/problem+json', '{"a":'), 502, 'agent_error'],
    ['answers another status', { kind: 'status', status: 201 }, 502, 'agent_error'],
    ['redirects', { kind: 'redirect', location: 'https://127.0.0.1/' }, 502, 'agent_error'],
    ['answers too much', { kind: 'huge', bytes: 11 * 1024 * 1024 }, 502, 'response_too_large'],
    ['dies in the middle', { kind: 'dies_mid_answer' }, 502, 'agent_error'],
  ];
  it.each(failures)('costs nothing when it %s', async (_name, behaviour, status, code) => {
    scene.agent.behave(behaviour);
    const reply = await use(scene.market, buyer, hosted, 'x');
    expect([reply.status, reply.body.error?.code]).toEqual([status, code]);
    expect(JSON.stringify(reply.body)).not.toContain('AGENT-SECRET-DETAIL');
    expect(await spent()).toBe(0);
  });
});

describe('a call with headers', () => {
  it('respects the ceiling, and refuses an invalid one', async () => {
    const dear = await use(scene.market, buyer, hosted, 'x', { 'x-max-cost-credits': '9' });
    expect([dear.status, dear.body.error?.code]).toEqual([402, 'max_cost_exceeded']);
    for (const wrong of ['ten', '-1', '1.5', '1000000001', '']) {
      const reply = await use(scene.market, buyer, hosted, 'x', { 'x-max-cost-credits': wrong });
      expect([reply.status, reply.body.error?.code]).toEqual([400, 'invalid_header']);
    }
    const long = await use(scene.market, buyer, hosted, '{}', { 'content-type': `a/${'b'.repeat(300)}` });
    expect([long.status, long.body.error?.code]).toEqual([400, 'invalid_header']);
    expect((await use(scene.market, buyer, hosted, '{}', { 'x-max-cost-credits': '10' })).status).toBe(200);
  });

  it('makes one call of many with one key, and none of another body', async () => {
    scene.agent.behave({ kind: 'slow', ms: 200, then: answers('text/plain', 'once') });
    const key = { 'idempotency-key': 'many-1' };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => use(scene.market, buyer, hosted, 'same', key)),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
    expect(replies[0]?.body.output).toBe('once');
    const other = await use(scene.market, buyer, hosted, 'other', key);
    expect([other.status, other.body.error?.code]).toEqual([409, 'idempotency_key_reused']);
    expect(scene.agent.deliveries).toHaveLength(1);
    expect(await spent()).toBe(10);
  });

  it('gives the same answer to a caller who waits in another process', async () => {
    const other = await startMarket({ share: scene.market });
    let answer = (): void => undefined;
    const until = new Promise<void>((resolve) => (answer = resolve));
    scene.agent.behave({ kind: 'waits', until, then: answers('text/plain', 'for both') });
    const key = { 'idempotency-key': 'elsewhere-1' };
    const first = use(scene.market, buyer, hosted, 'same', key);
    await scene.agent.waitForDeliveries(1);
    const second = use(other, buyer, hosted, 'same', key);
    await eventually(async () => {
      const waiters = await scene.market.owner.query('SELECT FROM invocation_waiters');
      return waiters.rowCount === 1;
    });
    answer();
    expect((await second).body).toEqual((await first).body);
    expect((await second).body).toMatchObject({ output: 'for both', content_type: 'text/plain' });
    expect(scene.agent.deliveries).toHaveLength(1);
    expect(await spent()).toBe(10);
    await other.stop();
  });

  it('accepts an API key with the scope, and refuses callers without one', async () => {
    const key = await makeKey(scene.market, buyer, { scopes: ['agents:invoke'] });
    const weak = await makeKey(scene.market, buyer, { scopes: ['agents:read'] });
    expect((await use(scene.market, null, hosted, '{}', { 'x-api-key': key.key })).status).toBe(200);
    const refused = await use(scene.market, null, hosted, '{}', { 'x-api-key': weak.key });
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'insufficient_scope']);
    expect((await use(scene.market, null, hosted, '{}')).status).toBe(401);
    expect(await spent()).toBe(10);
  });
});

describe('the address', () => {
  it('is the developer id with or without dev_, and nothing else', async () => {
    const short = { ...hosted, owner: hosted.owner.replace('dev_', '') };
    expect((await use(scene.market, buyer, short, '{}')).status).toBe(200);
    for (const wrong of [
      { ...hosted, owner: 'somebody-else' },
      { ...hosted, slug: 'nothing' },
      { ...hosted, owner: '..' },
      { ...hosted, owner: "x'--" },
    ]) {
      expect((await use(scene.market, buyer, wrong, '{}')).status).toBe(404);
    }
  });

  it('means the highest major version that is live', async () => {
    const { market, developer, agent } = scene;
    const first = await putSelfHosted(market, developer, `${agent.url}/one`);
    const { slug } = first;
    const second = await putSelfHosted(market, developer, `${agent.url}/two`, {
      slug,
      major: 10,
      credits: 3,
    });
    const reply = await use(market, buyer, first, '{}');
    expect(reply.body.usage?.credits_charged).toBe(3);
    await market.owner.query(`UPDATE agents SET status = 'retired' WHERE agent_id = $1`, [second.agentId]);
    expect((await use(market, buyer, first, '{}')).body.usage?.credits_charged).toBe(10);
    expect(agent.deliveries.map(({ path }) => path)).toEqual(['/two', '/one']);
    await market.owner.query(`UPDATE agents SET status = 'retired' WHERE agent_id = $1`, [first.agentId]);
    expect((await use(market, buyer, first, '{}')).status).toBe(404);
    const own = await use(market, developer, first, '{}');
    expect([own.status, own.body.error?.code]).toEqual([409, 'invalid_state']);
  });

  it('reaches agents with a manifest, whose input is the body', async () => {
    const slug = scene.agentId.slice('agt_'.length, -'_v1'.length).replaceAll('_', '-');
    const echo = { owner: hosted.owner, slug };
    const reply = await use(scene.market, buyer, echo, { text: 'hello', n: 1 });
    expect(reply.body).toMatchObject({ output: { text: 'hello', n: 1 }, usage: { credits_charged: 10 } });
    expect(scene.agent.deliveries[0]?.path).toBe('/invoke');
    const wrong = await use(scene.market, buyer, echo, { text: 'hello', n: 'x' });
    expect([wrong.status, wrong.body.error?.code]).toEqual([422, 'input_schema_mismatch']);
    expect(wrong.body.detail?.[0]?.loc).toEqual(['body', 'n']);
    const list = await use(scene.market, buyer, echo, [1]);
    expect([list.status, list.body.error?.code]).toEqual([422, 'validation_failed']);
    const twice = await use(scene.market, buyer, echo, '{"text":"a","text":"b"}', {
      'content-type': 'application/json',
    });
    expect([twice.status, twice.body.error?.code]).toEqual([400, 'malformed_json']);
    const plain = await use(scene.market, buyer, echo, 'hello', { 'content-type': 'text/plain' });
    expect([plain.status, plain.body.error?.code]).toEqual([415, 'unsupported_media_type']);
    expect(await spent()).toBe(10);
  });
});
