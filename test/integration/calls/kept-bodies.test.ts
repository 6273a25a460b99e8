/**
 * What an account keeps of its calls (ADR 0275): encrypted, for the payer alone, on every surface, until it expires or
 * is erased.
 */
import request from 'supertest';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { createKeyRotation } from '../../../src/services/operations/key-rotation';
import { SEALED_PLACES } from '../../../src/services/operations/sealed-places';
import { purgeKeptBodies } from '../../../src/stores/calls/kept-bodies';
import { chat, CHAT_SCHEMAS, TURN } from '../../support/calls/chat';
import { putSelfHosted, use } from '../../support/calls/use';
import { dispute } from '../../support/disputes/disputes';
import { eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import { clientFor, dataMessage, sendTask } from '../../support/protocols/a2a';
import { modern } from '../../support/protocols/mcp';
import { registerDeveloper, type TestDeveloper } from '../../support/catalogue/publishing';
import { useScene } from '../../support/use-market';

const DAY_MS = 86_400_000;
const INPUT = { ...TURN, session_id: 'mine' };

const scene = useScene();
let developer: TestDeveloper;
let chatAgent: string;
let buyer: TestUser;

const call = (method: 'get' | 'put' | 'delete', path: string, who: TestUser | TestDeveloper = buyer) =>
  request(scene.market.url)[method](path).set('cookie', who.cookie);

interface Kept {
  value: unknown;
  content_type?: string;
}
interface Bodies {
  invocation_id: string;
  kept_until: string | null;
  input: Kept | null;
  output: Kept | null;
}
const bodiesOf = async (id: unknown, who = buyer) =>
  (await call('get', `/v1/invocations/${String(id)}/bodies`, who)).body as Bodies;
const keep = (days: number) => call('put', '/v1/auth/keeping').send({ days }).expect(200);
const ask = async (text: string, more: object = {}) =>
  (await invoke(scene.market, buyer, scene.agentId, { input: { text }, ...more })).body.invocation_id ?? '';
const rowsOf = async (id: string) =>
  (
    await scene.market.owner.query<{ input: Buffer; output: Buffer }>(
      'SELECT input, output FROM kept_bodies WHERE invocation_id = $1',
      [id],
    )
  ).rows;
/** The bytes of the buyer that count against the quota of kept bodies, and those that are kept. */
const countedBytes = async () =>
  bytes('SELECT sum(paid_bytes) AS bytes FROM stored_bytes WHERE user_id = $1', `${buyer.userId}/kept`);
const keptBytes = async () =>
  bytes(
    'SELECT sum(coalesce(length(input), 0) + coalesce(length(output), 0)) AS bytes FROM kept_bodies WHERE buyer_user_id = $1',
    buyer.userId,
  );
const bytes = async (sql: string, id: string) =>
  Number((await scene.market.owner.query<{ bytes: string }>(sql, [id])).rows[0]?.bytes);

beforeAll(async () => {
  developer = await registerDeveloper(scene.market);
  ({ agentId: chatAgent } = await putLive(scene.market, developer.userId, scene.agent.url, CHAT_SCHEMAS));
});
beforeEach(async () => {
  scene.agent.behave({ kind: 'echo' });
  buyer = await register(scene.market, 'buyer', 200);
});

it('keeps nothing by default, and no more once it is off again', async () => {
  const before = await ask('before');
  expect((await call('get', '/v1/auth/keeping')).body).toEqual({ days: 0 });
  await keep(30);
  const during = await ask('during');
  await keep(0);
  const after = await ask('after');
  const nothing = { kept_until: null, input: null, output: null, too_large: [] };
  expect(await bodiesOf(before)).toEqual({ invocation_id: before, ...nothing });
  expect(await bodiesOf(after)).toEqual({ invocation_id: after, ...nothing });
  expect(await bodiesOf(during)).toMatchObject({ input: { value: { text: 'during' } } });
  for (const days of [-1, 91, 1.5, '7', null])
    await call('put', '/v1/auth/keeping').send({ days }).expect(422);
});

it('keeps both, encrypted, until the end of the day so many days later, whatever the agent retains', async () => {
  await keep(7);
  const { agentId } = await putLive(scene.market, developer.userId, scene.agent.url, { retentionDays: 0 });
  const reply = await invoke(scene.market, buyer, agentId, { input: { text: 'canary-7f3a' } });
  const id = reply.body.invocation_id ?? '';
  const until = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + 8 * DAY_MS).toISOString();
  expect(await bodiesOf(id)).toEqual({
    invocation_id: id,
    kept_until: until,
    input: { value: { text: 'canary-7f3a' } },
    output: { value: reply.body.output },
    too_large: [],
  });
  const [row] = await rowsOf(id);
  expect(Buffer.concat(row ? [row.input, row.output] : []).toString('latin1')).not.toContain('canary');
});

it.each<[string, () => Promise<unknown>]>([
  ['chat', async () => (await chat(scene.market, buyer, chatAgent)).last?.invocation_id],
  [
    'use',
    async () => {
      const slug = chatAgent.slice('agt_'.length, -'_v1'.length).replaceAll('_', '-');
      return (await use(scene.market, buyer, { slug, owner: developer.developerId }, INPUT)).body
        .invocation_id;
    },
  ],
  [
    'MCP',
    async () => {
      const params = { name: 'invoke', arguments: INPUT };
      const { body } = await modern(scene.market, buyer, chatAgent, 'tools/call', params);
      return (body.result?.['_meta'] as Record<string, unknown>)['io.market/invocation_id'];
    },
  ],
  [
    'A2A',
    async () =>
      (await sendTask(await clientFor(scene.market, buyer, chatAgent, 'JSONRPC'), dataMessage(INPUT))).id,
  ],
])('keeps calls by %s', async (_surface, make) => {
  scene.agent.behave({ kind: 'answer', output: { text: 'hello' } });
  await keep(1);
  const id = await make();
  await eventually(async () => Boolean((await bodiesOf(id)).output));
  expect(await bodiesOf(id)).toMatchObject({
    input: { value: { messages: TURN.messages } },
    output: { value: { text: 'hello' } },
  });
});

it('keeps bodies that were forwarded byte for byte as text, with the digest that a dispute wants', async () => {
  const agent = await putSelfHosted(scene.market, developer, scene.agent.url);
  await keep(1);
  const send = async (body: Buffer | string, type: string) =>
    bodiesOf((await use(scene.market, buyer, agent, body, { 'content-type': type })).body.invocation_id);
  const json = '{"b": 1.0,  "a": 2}';
  const kept = await send(json, 'application/json');
  expect(kept.input).toEqual({ value: json, content_type: 'application/json' });
  expect((await send('ä,b', 'text/csv')).input).toEqual({ value: 'ä,b', content_type: 'text/csv' });
  const binary = Buffer.from([0xff, 0xfe, 0x00]);
  expect((await send(binary, 'image/x')).input).toEqual({
    value: binary.toString('base64'),
    content_type: 'image/x',
    encoding: 'base64',
  });
  const opened = await dispute(scene.market, buyer, kept.invocation_id, {
    attachments: { input: kept.input?.value },
  });
  expect(opened.status).toBe(201);
});

it('keeps the input of a failed call, for its payer alone', async () => {
  await keep(1);
  scene.agent.behave({ kind: 'answer', status: 500, output: {} });
  await invoke(scene.market, buyer, scene.agentId, { input: { text: 'in vain' } });
  const { body } = await call('get', '/v1/invocations');
  const id = (body as { items: { invocation_id: string }[] }).items[0]?.invocation_id ?? '';
  expect(await bodiesOf(id)).toMatchObject({ input: { value: { text: 'in vain' } }, output: null });
  for (const other of [developer, scene.developer]) {
    await call('get', `/v1/invocations/${id}/bodies`, other).expect(404);
    await call('delete', `/v1/invocations/${id}/bodies`, other).expect(404);
  }
  expect(await rowsOf(id)).toHaveLength(1);
});

it('does not keep more than 256 KiB, and says so', async () => {
  await keep(1);
  const id = await ask('x'.repeat(262_144));
  expect(await bodiesOf(id)).toMatchObject({ input: null, output: null, too_large: ['input', 'output'] });
  const near = await ask('x'.repeat(262_144 - '{"text":""}'.length));
  expect((await bodiesOf(near)).input?.value).toEqual({ text: 'x'.repeat(262_144 - '{"text":""}'.length) });
});

it('erases a call with the answer for its key, which is not charged again', async () => {
  await keep(1);
  const body = { input: { text: 'once' }, idempotency_key: 'erased' };
  const id = await ask('once', { idempotency_key: 'erased' });
  await call('delete', `/v1/invocations/${id}/bodies`).expect(204);
  await call('delete', `/v1/invocations/${id}/bodies`).expect(204);
  expect(await rowsOf(id)).toEqual([]);
  expect((await call('get', `/v1/invocations/${id}`)).body).not.toHaveProperty('output');
  const again = await invoke(scene.market, buyer, scene.agentId, body);
  expect(again.body).toMatchObject({ invocation_id: id, output: null, output_expired: true });
});

it('erases everything at once, and keeps later calls', async () => {
  await keep(1);
  const ids = [await ask('one'), await ask('two', { idempotency_key: 'two' })];
  await call('delete', '/v1/auth/keeping/bodies').expect(204);
  for (const id of ids) {
    expect(await rowsOf(id)).toEqual([]);
    expect((await bodiesOf(id)).kept_until).toBeNull();
    expect((await call('get', `/v1/invocations/${id}`)).body).not.toHaveProperty('output');
  }
  expect(await bodiesOf(await ask('three'))).toMatchObject({ input: { value: { text: 'three' } } });
});

it('hides at once what the sweep has not erased yet', async () => {
  await keep(1);
  const id = await ask('hidden');
  await scene.market.owner.query('UPDATE users SET erase_kept_before = now() WHERE user_id = $1', [
    buyer.userId,
  ]);
  expect((await bodiesOf(id)).input).toBeNull();
  while ((await purgeKeptBodies(scene.market.container.pool, 1)) > 0);
  expect(await rowsOf(id)).toEqual([]);
});

it('keeps the mark of what an account erases while the sweep ends an earlier one', async () => {
  const mark = () =>
    scene.market.owner.query<{ marked: Date | null }>(
      'SELECT erase_kept_before AS marked FROM users WHERE user_id = $1',
      [buyer.userId],
    );
  const erase = 'UPDATE users SET erase_kept_before = clock_timestamp() WHERE user_id = $1';
  await scene.market.owner.query(erase, [buyer.userId]);
  const other = await scene.market.container.pool.connect();
  await other.query('BEGIN');
  await other.query(erase, [buyer.userId]);
  const purged = purgeKeptBodies(scene.market.container.pool, 1);
  try {
    const waiting = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE datname = current_database() AND NOT granted`;
    await eventually(async () => (await scene.market.owner.query(waiting)).rowCount !== 0);
    await other.query('COMMIT');
  } finally {
    other.release(true);
  }
  await purged;
  expect((await mark()).rows[0]?.marked).toEqual(expect.any(Date));
  while ((await purgeKeptBodies(scene.market.container.pool, 1)) > 0);
  expect((await mark()).rows).toEqual([{ marked: null }]);
});

it('deletes what has expired, which cannot be read before either', async () => {
  await keep(1);
  const [gone, stays] = [await ask('gone'), await ask('stays')];
  await scene.market.owner.query('UPDATE kept_bodies SET expires_at = now() WHERE invocation_id = $1', [
    gone,
  ]);
  expect((await bodiesOf(gone)).input).toBeNull();
  while ((await purgeKeptBodies(scene.market.container.pool, 1)) > 0);
  expect(await rowsOf(gone)).toEqual([]);
  expect(await rowsOf(stays)).toHaveLength(1);
});

it('keeps nothing more for an account that has its quota', async () => {
  await keep(1);
  const { MAX_KEPT_BYTES } = scene.market.config;
  await scene.market.owner.query('SELECT stored_bytes_keep($1, false, $2, now() + $3::interval, NULL)', [
    `${buyer.userId}/kept`,
    MAX_KEPT_BYTES,
    '1 day',
  ]);
  const id = await ask('too much', { idempotency_key: 'other bytes' });
  expect(await rowsOf(id)).toEqual([]);
  expect((await call('get', `/v1/invocations/${id}`)).body.output).toBeDefined();
});

it('counts erased bodies no longer, of one call or of all', async () => {
  await keep(1);
  const id = await ask('one', { idempotency_key: 'one' });
  const both = await countedBytes();
  await ask('two', { idempotency_key: 'two' });
  await ask('three', { idempotency_key: 'three' });
  expect(await countedBytes()).toBeGreaterThan(both);
  await call('delete', `/v1/invocations/${id}/bodies`).expect(204);
  await call('delete', `/v1/invocations/${id}/bodies`).expect(204);
  expect(await countedBytes()).toBe(await keptBytes());
  await call('delete', '/v1/auth/keeping/bodies').expect(204);
  expect(await countedBytes()).toBe(0);
});

it('does not count the input of a call whose output exceeds the quota', async () => {
  await keep(1);
  const id = await ask('counted');
  const counted = await countedBytes();
  const add = (part: string, quota: number) =>
    scene.market.owner.query('SELECT kept_body_add($1, $2, $3, $4, $5) AS kept', [
      `${id}_next`,
      buyer.userId,
      part,
      Buffer.alloc(1_000),
      quota,
    ]);
  expect((await add('input', counted + 1)).rows).toEqual([{ kept: true }]);
  expect((await add('output', counted + 1)).rows).toEqual([{ kept: false }]);
  expect(await countedBytes()).toBe(counted);
});

it('encrypts what is kept again with a new master key', async () => {
  await keep(1);
  const id = await ask('rotated');
  const [old] = parseMasterKeys(scene.market.config.MASTER_KEYS);
  const next = { name: 'kept', version: 9, secret: Buffer.alloc(32, 7) };
  const cipher = createCipher([old as never, next]);
  const places = SEALED_PLACES.filter(({ table }) => table === 'kept_bodies').map((place) => ({
    ...place,
    matters: `invocation_id = '${id}'`,
  }));
  const report = await createKeyRotation({ db: scene.market.container.pool, cipher, places }).rotate();
  expect(report.rewrapped.map(({ values }) => values)).toEqual([1, 1]);
  expect(report.failed).toEqual([]);
  await call('delete', '/v1/auth/keeping/bodies').expect(204);
});
