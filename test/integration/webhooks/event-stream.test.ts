/** The event stream of an account: what it carries, for whom, and how a client resumes (docs/webhooks.md). */
import { recordEvent } from '../../../src/stores/webhooks/outbox';
import { withTransaction } from '../../../src/stores/db';
import { followAccount, type StreamedEvent } from '../../support/calls/event-stream';
import { makeKey } from '../../support/accounts/keys';
import { invoke, register, topUp, type TestUser } from '../../support/market';
import { useScene } from '../../support/use-market';

const scene = useScene();
let stranger: TestUser;
beforeAll(async () => {
  stranger = await register(scene.market, 'buyer');
});

const follow = (who: TestUser, more: Parameters<typeof followAccount>[2] = {}) =>
  followAccount(scene.market, { cookie: who.cookie }, more);
const call = (text = 'x') => invoke(scene.market, scene.buyer, scene.agentId, { input: { text } });
const record = (who: TestUser, credits: number) =>
  recordEvent(scene.market.container.pool, {
    type: 'credits.loaded',
    data: { credits },
    audience: { userIds: [who.userId] },
  });
const creditsOf = (events: StreamedEvent[]) => events.map(({ body }) => body.data['credits']);

it('sends calls to buyer and developer, to a session and to a key, and to no other account', async () => {
  const key = await makeKey(scene.market, scene.buyer, { scopes: ['webhooks:manage'] });
  const streams = [
    await follow(scene.buyer),
    await followAccount(scene.market, { 'x-api-key': key.key }),
    await follow(scene.developer),
  ];
  const other = await follow(stranger);
  expect(streams.map(({ ready }) => ready)).toEqual(Array(3).fill({ complete: true }));
  const { body } = await call();
  scene.agent.behave({ kind: 'status', status: 500 });
  await call('fails');
  scene.agent.behave({ kind: 'echo' });
  for (const stream of streams) {
    const [succeeded, failed] = await stream.next(2);
    expect(succeeded?.body).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/) as string,
      type: 'invocation.succeeded',
      data: { invocation_id: body.invocation_id, agent_id: scene.agentId, usage: { credits_charged: 10 } },
    });
    expect(failed?.body).toMatchObject({ type: 'invocation.failed', data: { error_code: 'agent_error' } });
    expect(JSON.stringify(succeeded)).not.toContain(scene.buyer.userId);
    await stream.leave();
  }
  await record(stranger, 1);
  expect(creditsOf(await other.next(1))).toEqual([1]);
  await other.leave();
});

it('resumes behind the last event that a client has, without a gap and without a repetition', async () => {
  const who = await register(scene.market, 'buyer');
  const first = await follow(who);
  for (const credits of [1, 2, 3]) await record(who, credits);
  const [, second] = await first.next(3);
  await first.leave();
  for (const credits of [4, 5]) await record(who, credits);
  const resumed = await follow(who, { lastEventId: second?.id ?? '' });
  expect(resumed.ready).toEqual({ complete: true });
  expect(creditsOf(await resumed.next(3))).toEqual([3, 4, 5]);
  await record(who, 6);
  expect(creditsOf(await resumed.next(1))).toEqual([6]);
  await resumed.leave();
  const fromBegin = await follow(who, { query: `?after=${first.readyId}` });
  expect(creditsOf(await fromBegin.next(6))).toEqual([1, 2, 3, 4, 5, 6]);
  await fromBegin.leave();
});

it('sends an event whose transaction commits late', async () => {
  const who = await register(scene.market, 'buyer');
  const stream = await follow(who);
  await withTransaction(scene.market.container.pool, async (tx) => {
    await recordEvent(tx, {
      type: 'credits.loaded',
      data: { credits: 1 },
      audience: { userIds: [who.userId] },
    });
    await record(who, 2);
    expect(creditsOf(await stream.next(1))).toEqual([2]);
  });
  const [late] = await stream.next(1);
  expect(late?.body.data['credits']).toBe(1);
  await stream.leave();
});

it('reads events that did not fit into memory from the database, each once and in order', async () => {
  const who = await register(scene.market, 'buyer');
  const stream = await follow(who);
  const count = 700;
  await withTransaction(scene.market.container.pool, async (tx) => {
    for (let credits = 1; credits <= count; credits += 1)
      await recordEvent(tx, {
        type: 'credits.loaded',
        data: { credits },
        audience: { userIds: [who.userId] },
      });
  });
  expect(creditsOf(await stream.next(count))).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  await stream.leave();
});

it('begins at the present behind a position in the future', async () => {
  const who = await register(scene.market, 'buyer');
  const stream = await follow(who, { lastEventId: '9999999999999999' });
  await record(who, 1);
  expect(creditsOf(await stream.next(1))).toEqual([1]);
  await stream.leave();
});

it('reports that events may be missing if the account did not follow them', async () => {
  const who = await register(scene.market, 'buyer');
  const stream = await follow(who, { lastEventId: '1' });
  expect(stream.ready).toEqual({ complete: false });
  await stream.leave();
});

it('sends the requested types only', async () => {
  const stream = await follow(scene.buyer, { query: '?type=credits.loaded&type=dispute.opened' });
  await call();
  await topUp(scene.market.owner, scene.buyer.userId, 5);
  expect((await stream.next(1)).map(({ body }) => body.type)).toEqual(['credits.loaded']);
  await stream.leave();
});

it('writes nothing for an account without a stream', async () => {
  const who = await register(scene.market, 'buyer');
  expect(await record(who, 1)).toBeNull();
});

it.each([
  ['no caller', {}, '', 401],
  ['a key without the scope', { key: ['agents:invoke'] }, '', 403],
  ['an unknown type', {}, '?type=nothing', 422],
  ['a negative position', {}, '?after=-1', 422],
  ['a header that is not a position', { 'last-event-id': 'evt_1; DROP' }, '', 400],
  ['a header that is too long', { 'last-event-id': '1'.repeat(17) }, '', 400],
])('refuses %s', async (what, headers, query, status) => {
  const { key: scopes, ...rest } = headers as { key?: ['agents:invoke'] };
  const credential = scopes
    ? { 'x-api-key': (await makeKey(scene.market, scene.buyer, { scopes })).key }
    : { ...(what !== 'no caller' && { cookie: scene.buyer.cookie }) };
  const answer = await fetch(`${scene.market.url}/v1/events/stream${query}`, {
    headers: { ...rest, ...credential },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    status,
    expect.stringContaining('application/json'),
  ]);
  await answer.body?.cancel();
});
