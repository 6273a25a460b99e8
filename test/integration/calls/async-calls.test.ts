/** Calls whose callers do not wait: begun, followed, fetched and cancelled over plain REST. */
import { startHeldAgent } from '../../support/agents/held-agent';
import { startAgent } from '../../support/agents/test-agent';
import { realTime } from '../../support/waits';
import { a2a, clientFor, dataMessage, sendTask } from '../../support/protocols/a2a';
import { TaskState } from '@a2a-js/sdk';
import { balance, eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import { chat, CHAT_SCHEMAS, type ChatEvent, TURN } from '../../support/calls/chat';
import { request } from '../../support/catalogue/publishing';
import { putSelfHosted, use } from '../../support/calls/use';
import { useScene } from '../../support/use-market';
import { followAccount } from '../../support/calls/event-stream';
import { makeKey } from '../../support/accounts/keys';
import { startHookServer } from '../../support/webhooks/hook-server';
import { startReceiver, toldTimes, verifyEvent } from '../../support/webhooks/webhooks';

interface Call extends Record<string, unknown> {
  invocation_id: string;
  status: string;
  output?: unknown;
  error: { code: string } | null;
  usage: { credits_charged: number };
}

const INPUT = { text: 'hello' };
const scene = useScene();
let buyer: TestUser;

beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 100);
});

const begin = (agentId: string, prefer = 'respond-async', body: object = {}) =>
  invoke(scene.market, buyer, agentId, { input: INPUT, ...body }, { prefer });
const read = (path: string, who = buyer) => request<Call>(scene.market, who, 'GET', path);
const cancel = (path: string, who = buyer) => request<Call>(scene.market, who, 'DELETE', path);

/** A held agent with one call that runs, and the path of that call. */
async function running(options: Parameters<typeof putLive>[3] = {}, body: object = {}) {
  const agent = await startHeldAgent();
  const { agentId } = await putLive(scene.market, scene.developer.userId, agent.url, options);
  const reply = await begin(agentId, 'respond-async', body);
  const path = reply.headers.get('location') ?? '';
  return { agent, agentId, reply, path };
}

describe('a caller that prefers not to wait', () => {
  it('gets 202 with the address of the call, and its answer there when the agent has given it', async () => {
    const { agent, reply, path } = await running();
    expect(reply.status).toBe(202);
    expect(reply.headers.get('preference-applied')).toBe('respond-async');
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(reply.body).toMatchObject({ status: 'running', error: null });
    expect(path).toBe(`/v1/invocations/${reply.body.invocation_id ?? ''}`);
    expect(await balance(scene.market.owner, buyer.userId, 'escrow')).toBe(1_000);
    const waiting = read(`${path}?wait=30`);
    await agent.waitForDeliveries(1);
    agent.release();
    const ended = await waiting;
    expect(ended.body).toMatchObject({ status: 'succeeded', output: INPUT, usage: { credits_charged: 10 } });
    expect((await read(`${path}?wait=30`)).body.output).toEqual(INPUT);
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(9_000);
    await agent.stop();
  });

  it("gets the answer itself when the call ends within its wait, and exactly today's response without it", async () => {
    const fast = await begin(scene.agentId, 'return=minimal, respond-async; x=1, wait=20');
    expect(fast).toMatchObject({ status: 200, body: { output: INPUT } });
    expect(fast.headers.has('location')).toBe(false);
    const sync = await begin(scene.agentId, 'wait=1');
    expect(sync).toMatchObject({ status: 200, body: { output: INPUT } });
    expect(sync.headers.has('preference-applied')).toBe(false);
    expect((await read(`/v1/invocations/${sync.body.invocation_id ?? ''}`)).body.output).toBeUndefined();
    const stored = await read(`/v1/invocations/${fast.body.invocation_id ?? ''}`);
    expect(stored.body.output).toEqual(INPUT);
  });

  it('is refused at once as a waiting caller is, and sees a failure at the address', async () => {
    const poor = await begin(scene.agentId, 'respond-async', { max_cost_credits: 1 });
    expect(poor).toMatchObject({ status: 402, body: { error: { code: 'max_cost_exceeded' } } });
    const broken = await putLive(scene.market, scene.developer.userId, scene.agent.url, {
      outputSchema: { type: 'string' },
    });
    const reply = await begin(broken.agentId);
    expect(reply.status).toBe(202);
    const ended = await read(`${reply.headers.get('location') ?? ''}?wait=30`);
    expect(ended.body).toMatchObject({ status: 'failed', error: { code: 'output_schema_mismatch' } });
    const late = await begin(broken.agentId, 'respond-async, wait=20');
    expect(late).toMatchObject({ status: 502, body: { error: { code: 'output_schema_mismatch' } } });
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(10_000);
  });

  it('joins the call of its key, and gets the answer at once when that has ended', async () => {
    const key = { idempotency_key: 'once' };
    const { agent, agentId, reply, path } = await running({}, key);
    const again = await begin(agentId, 'respond-async', key);
    expect([again.status, again.headers.get('location')]).toEqual([202, path]);
    agent.release();
    expect((await read(`${path}?wait=30`)).body.status).toBe('succeeded');
    const replay = await begin(agentId, 'respond-async', key);
    expect(replay).toMatchObject({
      status: 200,
      body: { invocation_id: reply.body.invocation_id, output: INPUT },
    });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(agent.deliveries).toHaveLength(1);
    await agent.stop();
  });

  it('finds the answer of an agent that retains nothing for a day, like that of a task', async () => {
    const { agent, path } = await running({ retentionDays: 0 });
    agent.release();
    expect((await read(`${path}?wait=30`)).body.output).toEqual(INPUT);
    expect((await read(path)).body.output).toEqual(INPUT);
    const { rows } = await scene.market.owner.query<{ hours: string }>(
      `SELECT round(extract(epoch FROM expires_at - now()) / 3600) AS hours FROM invocation_answers
        WHERE invocation_id = $1`,
      [path.split('/').at(-1)],
    );
    expect(rows).toEqual([{ hours: '24' }]);
    await agent.stop();
  });

  it('may send the body of a self-hosted agent as it is', async () => {
    const hosted = await putSelfHosted(scene.market, scene.developer, scene.agent.url);
    const reply = await use(scene.market, buyer, hosted, '{"as":"it is"}', {
      prefer: 'respond-async',
      'content-type': 'text/plain',
    });
    expect(reply.status).toBe(202);
    const ended = await read(`${reply.headers.get('location') ?? ''}?wait=30`);
    expect(ended.body).toMatchObject({ surface: 'use', status: 'succeeded' });
    expect(ended.body.output).toEqual({ as: 'it is' });
  });
});

describe('a wait for the end of a call', () => {
  it('ends after its seconds while the call runs, and is refused beyond a minute', async () => {
    const { agent, path } = await running();
    expect((await read(`${path}?wait=1`)).body.status).toBe('running');
    for (const wait of ['61', '-1', 'x', '1.5'])
      expect((await read(`${path}?wait=${wait}`)).status).toBe(422);
    const other = await register(scene.market, 'buyer', 0);
    expect((await read(`${path}?wait=30`, other)).status).toBe(404);
    agent.release();
    await agent.stop();
  });

  it('is refused beyond the share of its account, and the place of one that left is free again', async () => {
    const { agent, path } = await running();
    const gone = new AbortController();
    const waits = Array.from({ length: 64 }, () =>
      fetch(`${scene.market.url}${path}?wait=60`, {
        headers: { cookie: buyer.cookie },
        signal: gone.signal,
      }).catch(() => undefined),
    );
    await eventually(async () => (await read(`${path}?wait=1`)).status === 429);
    gone.abort();
    await Promise.all(waits);
    await eventually(async () => (await read(`${path}?wait=1`)).status === 200);
    agent.release();
    await agent.stop();
  });
});

describe('canceling a call', () => {
  it('refunds it, hangs up on the agent, and answers the caller who waits for it', async () => {
    const agent = await startHeldAgent();
    const { agentId } = await putLive(scene.market, scene.developer.userId, agent.url);
    const waiting = invoke(scene.market, buyer, agentId, { input: INPUT });
    await agent.waitForDeliveries(1);
    const path = `/v1/invocations/${agent.deliveries[0]?.invocationId ?? ''}`;
    const other = await register(scene.market, 'buyer', 0);
    expect((await cancel(path, other)).status).toBe(404);
    const canceled = await cancel(path);
    expect(canceled).toMatchObject({ status: 200, body: { status: 'failed', error: { code: 'canceled' } } });
    expect(await waiting).toMatchObject({ status: 409, body: { error: { code: 'canceled' } } });
    await eventually(() => Promise.resolve(agent.deliveries[0]?.closedAt !== undefined));
    expect(agent.deliveries[0]?.answered).toBe(false);
    expect(await cancel(path)).toMatchObject({ status: 200, body: { status: 'failed' } });
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(10_000);
    expect(await balance(scene.market.owner, buyer.userId, 'escrow')).toBe(0);
    agent.release();
    await agent.stop();
  });

  it('is 409 for a call that has ended, and leaves its charge', async () => {
    const { body } = await invoke(scene.market, buyer, scene.agentId, { input: INPUT });
    const late = await cancel(`/v1/invocations/${body.invocation_id ?? ''}`);
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(9_000);
    expect((await cancel('/v1/invocations/inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b')).status).toBe(404);
  });

  it('ends a task as CancelTask does: with the same task, call, refund and event', async () => {
    const agent = await startHeldAgent();
    const { agentId } = await putLive(scene.market, scene.developer.userId, agent.url);
    const client = await clientFor(scene.market, buyer, agentId, 'HTTP+JSON');
    const stream = await followAccount(scene.market, { cookie: buyer.cookie });
    const message = () => dataMessage(INPUT, { configuration: { returnImmediately: true } });
    const ids = [(await sendTask(client, message())).id, (await sendTask(client, message())).id] as const;
    const states = async () => {
      const seen: (TaskState | undefined)[] = [];
      for await (const { payload } of client.resubscribeTask({ tenant: '', id: ids[0] }))
        if (payload?.$case === 'statusUpdate') seen.push(payload.value.status?.state);
      return seen;
    };
    await agent.waitForDeliveries(2, 20_000);
    const subscribed = states();
    expect((await cancel(`/v1/invocations/${ids[0]}`)).status).toBe(200);
    await client.cancelTask({ tenant: '', id: ids[1], metadata: {} });
    expect((await subscribed).at(-1)).toBe(TaskState.TASK_STATE_CANCELED);
    const events = await stream.next(2);
    await stream.leave();
    const ends = await Promise.all(
      ids.map(async (id) => {
        const { body: call } = await read(`/v1/invocations/${id}`);
        const { body: task } = await a2a(scene.market, buyer, 'GET', `${agentId}/tasks/${id}`);
        const event = events.find(({ body }) => body.data['invocation_id'] === id)?.body;
        return {
          call: [call.status, call.error, call.usage.credits_charged],
          task: [task.status, task.error],
          event: [event?.type, event?.data['error_code'], event?.data['usage']],
        };
      }),
    );
    expect(ends[0]).toEqual(ends[1]);
    expect(ends[0]).toMatchObject({
      call: ['failed', { code: 'canceled' }, 0],
      task: ['canceled', { code: 'canceled' }],
      event: ['invocation.failed', 'canceled', { credits_charged: 0 }],
    });
    expect((await cancel(`/v1/invocations/${ids[1]}`)).status).toBe(200);
    await expect(client.cancelTask({ tenant: '', id: ids[0], metadata: {} })).rejects.toMatchObject({
      reason: 'TASK_NOT_CANCELABLE',
    });
    await eventually(() => Promise.resolve(agent.deliveries.every(({ closedAt }) => closedAt !== undefined)));
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(10_000);
    agent.release();
    await agent.stop();
  });

  it('is 409 while pieces of an answer are delivered, which are paid', async () => {
    let finish = (): void => undefined;
    const until = new Promise<void>((resolve) => (finish = resolve));
    const parts = async function* () {
      yield 'data: "one"\n\n';
      await until;
      yield 'data: " two"\n\n';
    };
    scene.agent.behave({ kind: 'stream', contentType: 'text/event-stream', parts });
    const { agentId } = await putLive(scene.market, scene.developer.userId, scene.agent.url, {
      ...CHAT_SCHEMAS,
      streaming: true,
    });
    const statuses: number[] = [];
    const reply = await chat(scene.market, buyer, agentId, TURN, {
      onEvent: async ({ type }: ChatEvent) => {
        if (type !== 'output_chunk' || statuses.length > 0) return;
        const id = scene.agent.deliveries.at(-1)?.invocationId ?? '';
        statuses.push((await cancel(`/v1/invocations/${id}`)).status);
        finish();
      },
    });
    scene.agent.behave({ kind: 'echo' });
    expect([reply.status, reply.refusal, statuses]).toEqual([200, {}, [409]]);
    expect(reply.text).toBe('one two');
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(9_000);
  });
});

describe('canceling and money', () => {
  it('gives a free call back', async () => {
    const { agent, agentId, path } = await running({ freeTierCalls: 1 });
    await agent.waitForDeliveries(1);
    expect(await balance(scene.market.owner, buyer.userId, 'escrow')).toBe(0);
    expect((await cancel(path)).status).toBe(200);
    agent.release();
    const charged = async () =>
      (await invoke(scene.market, buyer, agentId, { input: INPUT })).body.usage?.credits_charged;
    expect([await charged(), await charged()]).toEqual([0, 10]);
    await agent.stop();
  });

  it('ends each call once when cancellations and answers arrive together', async () => {
    const agent = await startAgent({ behaviour: { kind: 'slow', ms: 40 } });
    const { agentId } = await putLive(scene.market, scene.developer.userId, agent.url, { credits: 1 });
    const ends = Array.from({ length: 16 }, async (_, at) => {
      const path = (await begin(agentId)).headers.get('location') ?? '';
      await realTime(at * 4, 'the answers arrive meanwhile');
      const statuses = (await Promise.all([cancel(path), cancel(path)])).map(({ status }) => status);
      const { status, error, usage } = (await read(`${path}?wait=20`)).body;
      return [...statuses, status, error?.code, usage.credits_charged].join(' ');
    });
    const seen = await Promise.all(ends);
    const paid = seen.filter((end) => end === '409 409 succeeded  1').length;
    const refunded = seen.filter((end) => end === '200 200 failed canceled 0').length;
    expect({ seen, all: paid + refunded }).toEqual({ seen, all: 16 });
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(10_000 - paid * 100);
    expect(await balance(scene.market.owner, buyer.userId, 'escrow')).toBe(0);
    await agent.stop();
  });

  it('needs the scope to call, and leaves the key of the call to the next call', async () => {
    const key = { idempotency_key: 'again' };
    const { agent, agentId, path } = await running({}, key);
    const { key: narrow } = await makeKey(scene.market, buyer, { scopes: ['billing:read'] });
    const refused = await fetch(scene.market.url + path, {
      method: 'DELETE',
      headers: { 'x-api-key': narrow },
    });
    expect(refused.status).toBe(403);
    await refused.body?.cancel();
    expect((await read(path)).body.status).toBe('running');
    expect((await cancel(path)).status).toBe(200);
    agent.release();
    const next = await begin(agentId, 'respond-async, wait=20', key);
    expect(next).toMatchObject({ status: 200, body: { output: INPUT } });
    expect(`/v1/invocations/${next.body.invocation_id ?? ''}`).not.toBe(path);
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(9_000);
    await agent.stop();
  });
});

describe('the events of a call without a waiting caller', () => {
  it('go to its webhooks and to the event stream, also when it is canceled', async () => {
    const hook = await startHookServer('127.77.0.21');
    const types = ['invocation.succeeded', 'invocation.failed'];
    const receiver = await startReceiver(scene.market, buyer, hook, { types });
    const stream = await followAccount(scene.market, { cookie: buyer.cookie });
    const [canceled, answered] = [await running(), await running()];
    await canceled.agent.waitForDeliveries(1);
    await cancel(canceled.path);
    const [failed] = await stream.next(1);
    answered.agent.release();
    const [succeeded] = await stream.next(1);
    const expected = [
      { invocation_id: canceled.reply.body.invocation_id, status: 'failed', error_code: 'canceled' },
      { invocation_id: answered.reply.body.invocation_id, status: 'succeeded', error_code: null },
    ];
    expect([failed?.body, succeeded?.body]).toMatchObject([
      { type: 'invocation.failed', data: { ...expected[0], usage: { credits_charged: 0 } } },
      { type: 'invocation.succeeded', data: { ...expected[1], usage: { credits_charged: 10 } } },
    ]);
    const told = (await toldTimes(receiver, 2)).map((each) => verifyEvent(receiver.secret, each));
    expect(told).toEqual(
      expect.arrayContaining(
        expected.map(
          (data) => expect.objectContaining({ data: expect.objectContaining(data) as object }) as object,
        ),
      ),
    );
    await stream.leave();
    canceled.agent.release();
    await Promise.all([hook, canceled.agent, answered.agent].map((server) => server.stop()));
  });
});
