/** What operators look up: any id, the money of a call and of an account, the platform. */
import { dispute } from '../support/disputes';
import { makeKey } from '../support/keys';
import { invoke, register, type TestUser } from '../support/market';
import { request } from '../support/publishing';
import { startScene, type Scene } from '../support/scene';

let scene: Scene;
let operator: TestUser;

beforeAll(async () => {
  scene = await startScene();
  operator = await register(scene.market, 'developer');
  await scene.market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});
afterAll(() => scene.stop());

interface Movement {
  account: string;
  user_id: string | null;
  credits: number;
}

const get = <T>(path: string, who: TestUser = operator) => request<T>(scene.market, who, 'GET', path);
const found = async (text: string) => {
  const { body } = await get<{ items: { kind: string; id: string }[] }>(
    `/v1/operator/lookup?q=${encodeURIComponent(text)}`,
  );
  return body.items.map(({ kind, id }) => [kind, id]);
};

it('finds calls by id and trace id, accounts by id and e-mail address, agents and disputes', async () => {
  const { market, buyer, agentId } = scene;
  const { body } = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
  const call = body.invocation_id ?? '';
  const opened = await dispute(market, buyer, call);
  expect(await found(call)).toEqual([['call', call]]);
  expect(await found(` ${(body.trace_id ?? '').toUpperCase()} `)).toEqual([['call', call]]);
  expect(await found(buyer.userId)).toEqual([['account', buyer.userId]]);
  expect(await found(buyer.email.toUpperCase())).toEqual([['account', buyer.userId]]);
  expect(await found(agentId)).toEqual([['agent', agentId]]);
  expect(await found(opened.body.dispute_id)).toEqual([['dispute', opened.body.dispute_id]]);
  expect(await found('f'.repeat(32))).toEqual([]);
  expect(await found('nothing_at_all')).toEqual([]);
});

it('shows both sides of every movement of a call, and nothing of its input', async () => {
  const { market, buyer, developer, agentId } = scene;
  const { body } = await invoke(market, buyer, agentId, { input: { text: 'private words' } });
  const reply = await get<{ status: string; hold: object; movements: Movement[]; workflow_id: string }>(
    `/v1/operator/calls/${body.invocation_id}`,
  );
  expect(reply.body).toMatchObject({
    status: 'succeeded',
    hold: { state: 'captured', credits: 10 },
    workflow_id: `invocation/${body.invocation_id}`,
  });
  const { movements } = reply.body;
  expect(movements).toContainEqual(
    expect.objectContaining({ account: 'wallet', user_id: buyer.userId, credits: -10 }),
  );
  expect(movements).toContainEqual(
    expect.objectContaining({ account: 'payable', user_id: developer.userId }),
  );
  expect(movements.reduce((sum, { credits }) => sum + Math.round(credits * 100), 0)).toBe(0);
  expect(JSON.stringify(reply.body)).not.toContain('private words');
  expect((await get('/v1/operator/calls/inv_' + '0'.repeat(32))).status).toBe(404);
});

it('lists the movements of an account, page by page', async () => {
  const path = `/v1/operator/accounts/${scene.buyer.userId}/movements`;
  const first = await get<{ items: Movement[]; next_cursor: string }>(`${path}?limit=2`);
  expect(first.body.items).toHaveLength(2);
  const rest = await get<{ items: Movement[] }>(`${path}?limit=50&cursor=${first.body.next_cursor}`);
  const accounts = [...first.body.items, ...rest.body.items].map(({ account }) => account);
  expect(new Set(accounts)).toEqual(new Set(['wallet', 'escrow']));
  expect((await get(`/v1/operator/accounts/usr_${'0'.repeat(32)}/movements`)).status).toBe(404);
});

it('shows queues, open holds and the state of schema and ledger, to operators alone', async () => {
  const { body } = await get<{
    schema: { migrations: number; latest: string };
    queues: object;
    workflows_url: string | null;
  }>('/v1/operator/platform');
  expect(body.schema.migrations).toBeGreaterThan(10);
  expect(body.workflows_url).toBeNull();
  expect(body.schema.latest).toMatch(/^0\d{3}_\w+\.js$/);
  expect(body.queues).toMatchObject({ holds_overdue: { count: expect.any(Number) as number } });
  for (const path of ['/v1/operator/platform', '/v1/operator/lookup?q=abc'])
    expect((await get(path, scene.buyer)).status).toBe(403);
});

it('lists calls of a time and of a key', async () => {
  const { market, buyer, agentId } = scene;
  const key = await makeKey(market, buyer, { scopes: ['agents:invoke'] });
  const paid = await invoke(
    market,
    { cookie: '' },
    agentId,
    { input: { text: 'by key' } },
    { 'x-api-key': key.key },
  );
  const ids = async (query: string) => {
    const { body } = await get<{ items: { invocation_id: string }[] }>(`/v1/invocations?${query}`, buyer);
    return body.items.map(({ invocation_id: id }) => id);
  };
  expect(await ids(`key_id=${key.key_id}`)).toEqual([paid.body.invocation_id]);
  const hour = (by: number) => new Date(Date.now() + by * 3_600_000).toISOString();
  expect(await ids(`since=${hour(-1)}&until=${hour(1)}`)).toContain(paid.body.invocation_id);
  expect(await ids(`until=${hour(-1)}`)).toEqual([]);
  expect(await ids(`since=${hour(1)}`)).toEqual([]);
});
