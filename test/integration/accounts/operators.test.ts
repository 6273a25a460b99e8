/** Changes by operators to agents and accounts: they apply at once, and are logged permanently. */
import { invoke, putLive, register, topUp, type TestUser } from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket({ operations: false });
const agent = useAgent();
let operator: TestUser;
let developer: TestUser;

beforeAll(async () => {
  operator = await register(market, 'buyer');
  developer = await register(market, 'developer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});

async function act(user: TestUser, path: string, json: unknown = { reason: 'Reported by buyers.' }) {
  const response = await fetch(`${market.url}/v1/operator/${path}`, {
    method: 'POST',
    headers: { cookie: user.cookie, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function actionsOn(subject: string) {
  const response = await fetch(`${market.url}/v1/operator/actions?subject=${subject}`, {
    headers: { cookie: operator.cookie },
  });
  return ((await response.json()) as { items: Record<string, unknown>[] }).items;
}

const input = { input: { text: 'hello' }, max_cost_credits: 100 };

it('shows an agent in any state', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url);
  const read = async () => {
    const headers = { cookie: operator.cookie };
    const response = await fetch(`${market.url}/v1/operator/agents/${agentId}`, { headers });
    return (await response.json()) as Record<string, unknown>;
  };
  const about = { agent_id: agentId, developer_user_id: developer.userId };
  expect(await read()).toMatchObject({ ...about, status: 'active', listed: true });
  await act(operator, `agents/${agentId}/suspend`);
  expect(await read()).toMatchObject({ ...about, status: 'suspended', listed: false });
});

it('refuses calls of a suspended agent until it is reinstated, and records the operator and the reason', async () => {
  const buyer = await register(market, 'buyer', 100);
  const { agentId } = await putLive(market, developer.userId, agent.url);
  expect((await invoke(market, buyer, agentId, input)).status).toBe(200);
  expect((await act(operator, `agents/${agentId}/suspend`)).body).toMatchObject({ status: 'suspended' });
  expect((await invoke(market, buyer, agentId, input)).status).toBe(404);
  expect((await invoke(market, developer, agentId, input)).body).toMatchObject({
    error: { code: 'invalid_state', message: 'The agent is suspended.' },
  });
  expect((await act(operator, `agents/${agentId}/suspend`)).body).toMatchObject({
    error: { code: 'invalid_state' },
  });
  expect((await act(operator, `agents/${agentId}/reinstate`, { reason: 'Cleared.' })).status).toBe(200);
  expect((await invoke(market, buyer, agentId, input)).status).toBe(200);
  const { operatorUserId: operator_user_id } = { operatorUserId: operator.userId };
  expect(await actionsOn(agentId)).toMatchObject([
    {
      action: 'agent.reinstate',
      operator_user_id,
      reason: 'Cleared.',
      details: { from: 'suspended', to: 'active' },
    },
    { action: 'agent.suspend', operator_user_id, reason: 'Reported by buyers.' },
  ]);
});

it('refuses calls from a frozen wallet, free or not, and accepts top-ups', async () => {
  const buyer = await register(market, 'buyer', 100);
  const { agentId } = await putLive(market, developer.userId, agent.url);
  expect((await act(operator, `accounts/${buyer.userId}/freeze`)).body).toMatchObject({
    wallet_frozen: true,
  });
  const calls = agent.deliveries.length;
  const refused = await invoke(market, buyer, agentId, input);
  expect([refused.status, refused.body.error?.code]).toEqual([403, 'forbidden']);
  expect(agent.deliveries.length).toBe(calls);
  await topUp(market.owner, buyer.userId, 5);
  expect((await act(operator, `accounts/${buyer.userId}/freeze`)).status).toBe(409);
  expect((await act(operator, `accounts/${buyer.userId}/unfreeze`)).body).toMatchObject({
    frozen_since: null,
  });
  expect((await invoke(market, buyer, agentId, input)).status).toBe(200);
  expect((await actionsOn(buyer.userId)).map(({ action }) => action)).toEqual([
    'wallet.unfreeze',
    'wallet.freeze',
  ]);
});

it('withdraws nothing from the account of a frozen wallet, and pays its earnings on a later Monday', async () => {
  const owner = await register(market, 'developer', 50);
  const buyer = await register(market, 'buyer', 100);
  const { agentId } = await putLive(market, owner.userId, agent.url);
  expect((await invoke(market, buyer, agentId, input)).status).toBe(200);
  await act(operator, `accounts/${owner.userId}/freeze`);
  for (const verb of ['deposit', 'withdraw']) {
    const response = await fetch(`${market.url}/v1/billing/developer/bond/${verb}`, {
      method: 'POST',
      headers: { cookie: owner.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ credits: 1 }),
    });
    expect(response.status).toBe(403);
  }
  const reserve = async () =>
    (
      await market.container.pool.query<{ reason: string | null }>(
        `SELECT reason FROM payout_reserve($1, now() + interval '30 days', 1, 0, '{}', NULL)`,
        [owner.userId],
      )
    ).rows;
  expect(await reserve()).toEqual([]);
  await act(operator, `accounts/${owner.userId}/unfreeze`);
  expect(await reserve()).toEqual([{ reason: 'no_payout_method' }]);
});

it('requires an operator, an existing subject and a reason', async () => {
  const path = `accounts/${developer.userId}/freeze`;
  expect((await act(developer, path)).status).toBe(403);
  expect((await act(operator, `accounts/usr_${'0'.repeat(32)}/freeze`)).status).toBe(404);
  expect((await act(operator, 'agents/agt_nobody_v1/suspend')).status).toBe(404);
  for (const json of [{}, { reason: ' ' }, { reason: 'x', role: 'operator' }]) {
    expect((await act(operator, path, json)).status).toBe(422);
  }
  expect(await actionsOn(developer.userId)).toEqual([]);
});

it.each(['UPDATE operator_actions SET reason = $1', 'DELETE FROM operator_actions WHERE reason <> $1'])(
  'cannot be rewritten, not even by the owner of the tables: %s',
  async (sql) => {
    await expect(market.owner.query(sql, ['x'])).rejects.toThrow('is refused');
    await expect(market.container.pool.query(sql, ['x'])).rejects.toThrow('permission denied');
  },
);
