/** Milestones and pieces of jobs (ADR 0319): what was delivered is paid, also if the job fails or is canceled later. */
import { randomUUID } from 'node:crypto';
import { makeKey, readKey } from '../../support/accounts/keys';
import { startAgent } from '../../support/agents/test-agent';
import { request } from '../../support/catalogue/publishing';
import { dispute, registerOperator, resolve, respond } from '../../support/disputes/disputes';
import { sendCallback } from '../../support/jobs/callbacks';
import { jobOf } from '../../support/jobs/jobs';
import { mandateOf, startMandateScene, useMandate } from '../../support/mandates/mandate-scene';
import { budget, claimsOf } from '../../support/mandates/mandates';
import { balance, eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import { useScene } from '../../support/use-market';

const MILESTONES = [
  { name: 'outline', percent: 25 },
  { name: 'draft', percent: 50 },
];
const JOBS = { jobs: { max_seconds: 600, milestones: MILESTONES } };
const TAKES_ALL = { behaviour: { kind: 'answer', status: 202, output: {} } } as const;
const scene = useScene({ agent: JOBS, server: TAKES_ALL });
let buyer: TestUser;

beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 100);
});

interface Call extends Record<string, unknown> {
  status: string;
  error: { code: string; message: string } | null;
  usage: { credits_charged: number };
  refunded_credits: number;
  job: { pieces: number; milestones: { name: string; reached_at: string }[] };
  evidence: { receipt: { credits_charged: number } } | null;
}

const begin = (headers: Record<string, string> = {}, agentId = scene.agentId) =>
  invoke(scene.market, buyer, agentId, { input: { text: 'hello' } }, { prefer: 'respond-async', ...headers });

/** A job that its agent has accepted. */
async function newJob(headers: Record<string, string> = {}): Promise<string> {
  const { body } = await begin(headers);
  const id = String(body.invocation_id);
  await eventually(async () => (await jobOf(scene.market.owner, id)) !== undefined);
  return id;
}

const callBack = (invocationId: string, message: unknown, id?: string) =>
  sendCallback(scene.market, { invocationId, secret: scene.signingSecret }, message, id);
const reach = (id: string, name: string) => callBack(id, { type: 'milestone', name, piece: { of: name } });
const read = (id: string, who = buyer) =>
  request<Call>(scene.market, who, 'GET', `/v1/invocations/${id}?wait=30`);
const cancel = (id: string) => request<Call>(scene.market, buyer, 'DELETE', `/v1/invocations/${id}`);
const wallet = () => balance(scene.market.owner, buyer.userId, 'wallet');
const earned = () => balance(scene.market.owner, scene.developer.userId, 'payable');

async function failed(...names: string[]): Promise<string> {
  const id = await newJob();
  for (const name of names) expect(await reach(id, name)).toMatchObject({ status: 202 });
  await callBack(id, { type: 'failure', message: 'no sources left' });
  await read(id);
  return id;
}

it('are paid when the job fails after them, and the rest is refunded', async () => {
  const before = await earned();
  const id = await failed('outline', 'draft');
  const { body } = await read(id);
  expect(body).toMatchObject({
    status: 'failed',
    error: {
      code: 'agent_error',
      message:
        'The agent answered with an error. 7 credits were charged for the milestones that were reached.',
    },
    usage: { credits_charged: 7 },
    job: { pieces: 2, milestones: [{ name: 'outline' }, { name: 'draft' }] },
    evidence: { receipt: { credits_charged: 7 } },
  });
  expect(await wallet()).toBe(9_300);
  expect((await earned()) - before).toBe(679);
  const usage = await request(scene.market, scene.developer, 'GET', `/v1/agents/${scene.agentId}/usage`);
  expect(usage.body).toMatchObject({ gross_credits: 7, developer_earnings_credits: 6.79 });
});

it('are paid when the buyer cancels, also rounded down, and a job without any is free', async () => {
  const id = await newJob();
  await reach(id, 'outline');
  expect((await cancel(id)).body).toMatchObject({
    status: 'failed',
    usage: { credits_charged: 2 },
    error: {
      code: 'canceled',
      message: 'The call was canceled. 2 credits were charged for the milestones that were reached.',
    },
  });
  const other = await newJob();
  expect((await cancel(other)).body).toMatchObject({
    usage: { credits_charged: 0 },
    error: { message: 'The call was canceled. Nothing was charged.' },
  });
  expect(await wallet()).toBe(9_800);
  expect(await balance(scene.market.owner, buyer.userId, 'escrow')).toBe(0);
});

it('add nothing to the price of a success', async () => {
  const id = await newJob();
  await reach(id, 'draft');
  await callBack(id, { type: 'answer', output: { text: 'done' } });
  expect((await read(id)).body).toMatchObject({ status: 'succeeded', usage: { credits_charged: 10 } });
  expect(await wallet()).toBe(9_000);
});

it('are paid by the sweep, when the process that led the job is lost', async () => {
  const { owner } = scene.market;
  const id = await newJob();
  await reach(id, 'outline');
  await owner.query(`UPDATE holds SET lease_until = now() - interval '1 second' WHERE invocation_id = $1`, [
    id,
  ]);
  await owner.query('SELECT invocation_sweep(60000, $1)', [[id]]);
  expect((await read(id)).body).toMatchObject({ status: 'failed', usage: { credits_charged: 2 } });
});

it('count once, by their names and by the ids of their messages', async () => {
  const id = await newJob();
  const message = { type: 'milestone', name: 'outline', piece: 1 };
  const msg = randomUUID();
  expect(await callBack(id, message, msg)).toMatchObject({ status: 202 });
  expect(await callBack(id, message, msg)).toMatchObject({ status: 202 });
  expect(await callBack(id, message)).toMatchObject({ status: 409, code: 'invalid_state' });
  expect(await callBack(id, { ...message, name: 'end' })).toMatchObject({
    status: 422,
    problems: ['must be one of "outline", "draft"'],
  });
  expect(await callBack(id, { type: 'milestone', name: 'draft' })).toMatchObject({ status: 422 });
  expect(
    (await request<Call>(scene.market, buyer, 'GET', `/v1/invocations/${id}`)).body.job.milestones,
  ).toHaveLength(1);
  expect((await cancel(id)).body.usage.credits_charged).toBe(2);
  expect(await reach(id, 'draft')).toMatchObject({ status: 409 });
  expect(await callBack(id, message, msg)).toMatchObject({ status: 202 });
});

it('can be disputed after the end, and go back to the buyer and its key', async () => {
  const { market } = scene;
  const key = await makeKey(market, buyer, { credit_cap: 50 });
  const reply = await fetch(`${market.url}/v1/agents/${scene.agentId}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key.key, prefer: 'respond-async' },
    body: JSON.stringify({ input: { text: 'hello' } }),
  });
  const { invocation_id: id } = (await reply.json()) as { invocation_id: string };
  await eventually(async () => (await jobOf(market.owner, id)) !== undefined);
  await reach(id, 'draft');
  const early = await dispute(market, buyer, id);
  expect([early.status, early.body]).toMatchObject([409, { error: { code: 'invalid_state' } }]);
  await callBack(id, { type: 'failure' });
  await read(id);
  expect(await readKey(market, buyer, key.key_id)).toMatchObject({ spent_credits: 5 });
  const opened = await dispute(market, buyer, id);
  expect(opened.status).toBe(201);
  const operator = await registerOperator(market);
  await respond(market, scene.developer, opened.body.dispute_id, 'contest');
  await resolve(market, operator, opened.body.dispute_id, 'buyer');
  await eventually(async () => (await read(id)).body.status === 'disputed');
  expect((await read(id)).body.refunded_credits).toBe(5);
  expect(await readKey(market, buyer, key.key_id)).toMatchObject({ spent_credits: 0 });
  expect(await wallet()).toBe(10_000);
  const { items } = (
    await request<{ items: { piece: unknown }[] }>(market, buyer, 'GET', `/v1/invocations/${id}/pieces`)
  ).body;
  expect(items).toMatchObject([{ milestone: 'draft', piece: null }]);
});

it('keep the idempotency key of a job that was paid in part, so that a repetition pays nothing', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const id = await newJob(key);
  await reach(id, 'outline');
  await callBack(id, { type: 'failure' });
  await read(id);
  const again = await begin(key);
  expect(again.body.error?.code ?? again.body).toBe('agent_error');
  expect(await wallet()).toBe(9_800);
});

it('count for the budget of a mandate', async () => {
  const own = await startMandateScene({ agent: JOBS, server: TAKES_ALL });
  const jws = await mandateOf(own, { constraints: [budget(100)] });
  const reply = useMandate(own, jws);
  const jobs = () =>
    own.market.owner.query<{ invocation_id: string }>('SELECT invocation_id FROM jobs WHERE agent_id = $1', [
      own.agentId,
    ]);
  await eventually(async () => (await jobs()).rows.length === 1);
  const target = { invocationId: (await jobs()).rows[0]?.invocation_id ?? '', secret: own.signingSecret };
  await sendCallback(own.market, target, { type: 'milestone', name: 'draft', piece: 'text' });
  await sendCallback(own.market, target, { type: 'failure' });
  expect((await reply).status).toBe(502);
  const { rows } = await own.market.owner.query(
    'SELECT spent_units, reserved_units, occurrences FROM mandates WHERE root_jti = $1',
    [claimsOf(jws)['jti']],
  );
  expect(rows).toEqual([{ spent_units: '500', reserved_units: '0', occurrences: 1 }]);
  await own.stop();
});

describe('pieces', () => {
  it('are listed in their order while the job runs, for its buyer only', async () => {
    const id = await newJob();
    for (const piece of ['one', { two: [2] }, null]) await callBack(id, { type: 'piece', piece });
    const path = `/v1/invocations/${id}/pieces`;
    const page = (cursor = '') =>
      request<{ items: unknown[]; next_cursor: string; total: number }>(
        scene.market,
        buyer,
        'GET',
        `${path}?limit=2${cursor && `&cursor=${cursor}`}`,
      );
    const first = await page();
    expect(first.body).toMatchObject({
      items: [
        { number: 1, milestone: null, piece: 'one' },
        { number: 2, piece: { two: [2] } },
      ],
      total: 3,
    });
    expect((await page(first.body.next_cursor)).body).toMatchObject({
      items: [{ number: 3, piece: null }],
      next_cursor: null,
    });
    const stranger = await register(scene.market, 'buyer', 1);
    expect((await request(scene.market, stranger, 'GET', path)).status).toBe(404);
    expect((await cancel(id)).body).toMatchObject({ usage: { credits_charged: 0 }, job: { pieces: 3 } });
  });

  it('have limits, and wait until the 202 of the agent was read', async () => {
    const { market, developer } = scene;
    const id = await newJob();
    expect(await callBack(id, { type: 'piece', piece: 'x'.repeat(65_537) })).toMatchObject({ status: 413 });
    await market.owner.query('UPDATE jobs SET piece_count = 1000 WHERE invocation_id = $1', [id]);
    expect(await callBack(id, { type: 'piece', piece: 1 })).toMatchObject({ status: 409 });
    expect(await reach(id, 'draft')).toMatchObject({ status: 202 });
    await cancel(id);
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    const slow = await startAgent({
      behaviour: { kind: 'waits', until },
    });
    const live = await putLive(market, developer.userId, slow.url, { ...JOBS, timeoutMs: 60_000 });
    const { body } = await begin({}, live.agentId);
    const invocationId = String(body.invocation_id);
    await eventually(() => slow.countOf(invocationId) === 1);
    const early = await sendCallback(
      market,
      { invocationId, secret: live.signingSecret },
      {
        type: 'piece',
        piece: 1,
      },
    );
    expect(early).toMatchObject({ status: 429, code: 'rate_limited' });
    release();
    await read(invocationId);
    await slow.stop();
  });
});
