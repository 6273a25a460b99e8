import { eventDataProblems } from '../../support/webhooks/webhooks';
import { makeKey } from '../../support/accounts/keys';
import {
  eventually,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { registerDeveloper, type TestDeveloper } from '../../support/catalogue/publishing';
import { cleanEvidence, leakedKey } from '../../support/verification/run-evidence';
import { holdTier, runWith } from '../../support/verification/trust';
import { useMarket } from '../../support/use-market';

const market = useMarket({ operations: false });
let developer: TestDeveloper;
let buyer: TestUser;

beforeAll(async () => {
  developer = await registerDeveloper(market);
  buyer = await register(market, 'buyer');
});

type Change = { change_id: number; agent_id: string; listed: boolean };

/** Reads until `count` events have come, then leaves. */
async function events(stream: Response, count: number): Promise<Change[]> {
  const found: Change[] = [];
  let text = '';
  const reader = stream.body?.getReader();
  while (found.length < count) {
    const part = await reader?.read();
    if (!part || part.done) break;
    text += Buffer.from(part.value).toString();
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames)
      if (frame.startsWith('data: ')) found.push(JSON.parse(frame.slice(6)) as Change);
  }
  await reader?.cancel();
  return found;
}

const follow = (query = '', headers: Record<string, string> = { cookie: buyer.cookie }) =>
  fetch(`${market.url}/v1/listings/events${query}`, { headers });

it('sends changes of badge, score and visibility as they happen, each once, and resumes', async () => {
  const agent = await putLive(market, developer.userId, 'https://127.77.0.1:9443');
  await holdTier(market, developer.userId, 'standard');
  const stream = await follow();
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const seen = events(stream, 3);
  await runWith(market, agent, cleanEvidence());
  await runWith(market, agent, cleanEvidence());
  await runWith(market, agent, leakedKey());
  await runWith(market, agent, cleanEvidence());
  const base = { type: 'listing.changed', agent_id: agent.agentId };
  const changes = await seen;
  expect(changes).toMatchObject([
    { ...base, badge: 'standard', trust_score: 100, listed: true },
    { ...base, badge: null, trust_score: 75, listed: false },
    { ...base, badge: 'standard', trust_score: 100, listed: true },
  ]);
  const rest = await events(await follow(`?after=${changes[0]?.change_id}`), 2);
  expect(rest).toEqual(changes.slice(1));
});

/** Resolves when the service has ended a stream. */
async function ended(stream: Response): Promise<void> {
  const reader = stream.body?.getReader();
  for (;;) if ((await reader?.read())?.done !== false) return;
}

describe('streams', () => {
  let small: TestMarket;
  const open = (who: Record<string, string>) => fetch(`${small.url}/v1/listings/events`, { headers: who });
  beforeAll(async () => {
    small = await startMarket({ share: market, env: { EVENT_STREAMS_PER_ACCOUNT: '3', EVENT_STREAMS: '5' } });
  });
  afterAll(() => small.stop());

  it('are limited for an account and in total, and free their places when they end', async () => {
    const [first, second] = [await register(small, 'buyer'), await register(small, 'buyer')];
    const streams = await Promise.all([1, 2, 3].map(() => open({ cookie: first.cookie })));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const fourth = await open({ cookie: first.cookie });
    expect([fourth.status, ((await fourth.json()) as ErrorAnswer).error.code]).toEqual([
      429,
      'concurrency_limited',
    ]);
    const others = await Promise.all([1, 2, 3].map(() => open({ cookie: second.cookie })));
    expect(others.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    for (const stream of [...streams, ...others]) await stream.body?.cancel();
    await eventually(async () => {
      const again = await open({ cookie: first.cookie });
      await again.body?.cancel();
      return again.status === 200;
    });
  });

  it('share one reader, which reads nothing once they have ended', async () => {
    const users = await Promise.all([1, 2, 3, 4, 5].map(() => register(small, 'buyer')));
    const query = jest.spyOn(small.container.pool, 'query');
    const reads = () =>
      query.mock.calls.filter(([what]) => (what as { name?: string }).name === 'listing-changes').length;
    const streams = await Promise.all(users.map(({ cookie }) => open({ cookie })));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await eventually(async () => Promise.resolve(reads() >= 7));
    query.mockClear();
    await eventually(async () => Promise.resolve(reads() >= 2));
    const begun = Date.now();
    query.mockClear();
    await eventually(async () => Promise.resolve(reads() >= 3));
    expect(Date.now() - begun).toBeGreaterThan(1_500);
    for (const stream of streams) await stream.body?.cancel();
    query.mockRestore();
  });

  it('end when their key is deleted or their session ends, and stay open for others', async () => {
    const [byKey, bySession, other] = await Promise.all([1, 2, 3].map(() => register(small, 'buyer')));
    if (!byKey || !bySession || !other) throw new Error('no users');
    const key = await makeKey(small, byKey, { scopes: ['agents:read', 'webhooks:manage'] });
    const events = await fetch(`${small.url}/v1/events/stream`, { headers: { 'x-api-key': key.key } });
    const streams = [await open({ 'x-api-key': key.key }), await open({ cookie: bySession.cookie }), events];
    const staying = await open({ cookie: other.cookie });
    expect([...streams, staying].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const left = Promise.all(streams.map(ended));
    const act = (who: TestUser, method: string, path: string) =>
      fetch(small.url + path, { method, headers: { cookie: who.cookie } });
    expect((await act(byKey, 'DELETE', `/v1/keys/${key.key_id}`)).status).toBe(204);
    expect((await act(bySession, 'POST', '/v1/auth/logout')).status).toBe(204);
    await left;
    const isOver = await Promise.race([ended(staying).then(() => true), Promise.resolve(false)]);
    expect(isOver).toBe(false);
  }, 30_000);
});

interface ErrorAnswer {
  error: { code: string };
}

it('requires the right to read listings', async () => {
  expect((await follow('', {})).status).toBe(401);
  expect((await follow('?after=-1')).status).toBe(422);
});

/** Has the events of a developer's agents recorded. `letter`: each test has its own id of a webhook. */
const subscribe = ({ userId }: TestDeveloper, letter: string) =>
  market.owner.query(
    `INSERT INTO webhooks (webhook_id, user_id, types, sealed) VALUES ('whk_' || repeat($3, 32), $1, $2, '')`,
    [
      userId,
      ['trust_score.updated', 'agent.delisted', 'agent.relisted', 'agent.verification_completed'],
      letter,
    ],
  );

async function eventsOf(agentId: string) {
  const { rows } = await market.owner.query<{ type: string; data: Record<string, unknown> }>(
    'SELECT type, data FROM events WHERE agent_id = $1 ORDER BY event_id',
    [agentId],
  );
  return rows;
}

it('writes events for webhooks with the change: score, delisting, relisting, the end of a run', async () => {
  const other = await registerDeveloper(market);
  const agent = await putLive(market, other.userId, 'https://127.77.0.1:9443');
  await subscribe(other, 'a');
  for (const evidence of [cleanEvidence(), cleanEvidence(), leakedKey(), cleanEvidence()])
    await runWith(market, agent, evidence);
  const rows = await eventsOf(agent.agentId);
  expect(rows.flatMap(({ type, data }) => eventDataProblems(type, data))).toEqual([]);
  const of = (type: string) => rows.filter((row) => row.type === type).map(({ data }) => data);
  expect(of('trust_score.updated')).toMatchObject([
    { agent_id: agent.agentId, score: 100, previous_score: null, rubric_version: '2026.2' },
    { score: 75, previous_score: 100 },
    { score: 100, previous_score: 75 },
  ]);
  expect(of('agent.delisted')).toMatchObject([{ agent_id: agent.agentId, reasons: ['critical_finding'] }]);
  expect(of('agent.relisted')).toHaveLength(1);
  expect(of('agent.verification_completed').map(({ outcome }) => outcome)).toEqual([
    'passed',
    'passed',
    'failed',
    'passed',
  ]);
});

it('writes the change and its event when an operator suspends an agent, lifts that, and its developer retires it', async () => {
  const other = await registerDeveloper(market);
  const operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  const agent = await putLive(market, other.userId, 'https://127.77.0.1:9443');
  await subscribe(other, 'b');
  await runWith(market, agent, cleanEvidence());
  const act = async ({ cookie }: TestUser, path: string) => {
    const body = JSON.stringify({ reason: 'It answers with the data of other buyers.' });
    const headers = { cookie, 'content-type': 'application/json' };
    expect((await fetch(`${market.url}/v1/${path}`, { method: 'POST', headers, body })).ok).toBe(true);
  };
  await act(operator, `operator/agents/${agent.agentId}/suspend`);
  await act(operator, `operator/agents/${agent.agentId}/reinstate`);
  await act(other, `developer/agents/${agent.agentId}/retire`);
  const moves = (await eventsOf(agent.agentId)).filter(({ type }) => /listed$/.test(type));
  expect(moves.flatMap(({ type, data }) => eventDataProblems(type, data))).toEqual([]);
  expect(moves.map(({ type, data }) => [type, data['reasons']])).toEqual([
    ['agent.delisted', ['suspended']],
    ['agent.relisted', undefined],
    ['agent.delisted', ['retired']],
  ]);
  const { rows } = await market.owner.query<{ listed: boolean }>(
    'SELECT listed FROM listing_changes WHERE agent_id = $1 ORDER BY change_id',
    [agent.agentId],
  );
  expect(rows.map(({ listed }) => listed).slice(-3)).toEqual([false, true, false]);
});
