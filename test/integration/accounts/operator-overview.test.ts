/** What operators look up: any id, the money of a call and of an account, the platform. */
import { startApi } from '../../../src/api/server';
import { dispute, readDispute } from '../../support/disputes/disputes';
import { makeKey } from '../../support/accounts/keys';
import { eventually, invoke, register, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { useScene } from '../../support/use-market';

const TRAVEL = '/v1/operator/workflows/fast-forward';

const scene = useScene();
let operator: TestUser;

beforeAll(async () => {
  operator = await register(scene.market, 'developer');
  await scene.market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});

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
  const { rows } = await market.owner.query<{ transaction_id: string; invocation_id: string | null }>(
    `SELECT transaction_id, invocation_id FROM transactions JOIN entries USING (transaction_id)
       JOIN accounts USING (account_id) WHERE user_id = $1 ORDER BY transaction_id`,
    [buyer.userId],
  );
  const paid = rows.find(({ invocation_id: id }) => id === call)?.transaction_id ?? '';
  const toppedUp = rows.find(({ invocation_id: id }) => id === null)?.transaction_id ?? '';
  expect(await found(paid)).toEqual([['call', call]]);
  expect(await found(toppedUp)).toEqual([['account', buyer.userId]]);
  const { key_id: key } = await makeKey(market, buyer);
  expect(await found(key)).toEqual([['account', buyer.userId]]);
  for (const prefix of ['pay', 'pmt', 'ivc', 'whk', 'tax', 'bwd', 'fnd', 'fct', 'fwv', 'ver'])
    expect(await found(`${prefix}_${'0'.repeat(32)}`)).toEqual([]);
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
  expect(body.schema.latest).toMatch(/^0\d{3}_\w+\.sql$/);
  expect(body.queues).toMatchObject({ holds_overdue: { count: expect.any(Number) as number } });
  const silent = `INSERT INTO loop_reports VALUES ('frozen-1', '{}', now() - interval '20 seconds')`;
  await scene.market.owner.query(silent);
  const { workers } = (await get<{ workers: { worker: string; alive: boolean }[] }>('/v1/operator/platform'))
    .body;
  expect(workers).toContainEqual(expect.objectContaining({ worker: 'frozen-1', alive: false }));
  expect(workers[0]).toMatchObject({ alive: true, failing_loops: [] });
  const readiness = await get<{ workers: { silent: number; reporting: number } }>('/readiness');
  expect(readiness.body).toMatchObject({ status: 'ready', checks: { worker: 'ok', loops: 'ok' } });
  expect(readiness.body.workers.silent).toBeGreaterThan(0);
  expect(readiness.body.workers.reporting).toBeGreaterThan(0);
  for (const path of ['/v1/operator/platform', '/v1/operator/lookup?q=abc'])
    expect((await get(path, scene.buyer)).status).toBe(403);
});

it('moves the clock of a workflow, and writes it into the audit log', async () => {
  const { market, buyer, agentId } = scene;
  const { body } = await invoke(market, buyer, agentId, { input: { text: 'disputed' } });
  const { dispute_id: id } = (await dispute(market, buyer, body.invocation_id ?? '')).body;
  const move = (workflowId: string, who: TestUser = operator) =>
    request<{ state: string; error?: { code: string } }>(market, who, 'POST', TRAVEL, {
      workflow_id: workflowId,
      seconds: 73 * 3_600,
    });
  expect((await get<{ time_travel: boolean }>('/v1/operator/platform')).body.time_travel).toBe(true);
  expect((await move(`dispute/${id}`, buyer)).status).toBe(403);
  const moved = await move(`dispute/${id}`);
  expect({ status: moved.status, ...moved.body }).toMatchObject({
    status: 200,
    workflow_id: `dispute/${id}`,
  });
  await eventually(async () => (await readDispute(market, buyer, id)).body.resolution === 'developer_silent');
  const log = await get<{ items: object[] }>(
    `/v1/operator/actions?subject=${encodeURIComponent(`dispute/${id}`)}`,
  );
  expect(log.body.items).toMatchObject([
    { action: 'workflow.fast_forward', operator_user_id: operator.userId, reason: '262800 s' },
  ]);
  const gone = await move(`dispute/dsp_${'0'.repeat(32)}`);
  expect([gone.status, gone.body.error?.code]).toEqual([404, 'not_found']);
  // As in production, where the engine has no time travel.
  const { container, engine } = market;
  const production = await startApi(container, { ...engine, timeTravel: undefined });
  const other = { url: production.url };
  const sent = { workflow_id: `dispute/${id}`, seconds: 1 };
  expect((await request(other, operator, 'POST', TRAVEL, sent)).status).toBe(404);
  const { body: platform } = await request<object>(other, operator, 'GET', '/v1/operator/platform');
  expect(platform).toMatchObject({ time_travel: false });
  await production.stop(1_000);
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
