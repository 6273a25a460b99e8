/** What buyers paid and developers earned over time, before and after the calls are rolled up. */
import { rollUpSpend } from '../../../src/stores/billing/spend';
import { startHeldAgent } from '../../support/agents/held-agent';
import { makeKey } from '../../support/accounts/keys';
import { request } from '../../support/catalogue/publishing';
import { invoke, putLive, register } from '../../support/market';
import { newSlug } from '../../support/names';
import { useScene } from '../../support/use-market';

const scene = useScene();

interface Spend {
  calls: number;
  credits: number;
  days: { date: string; calls: number; credits: number }[];
  agents: { agent_id: string; display_name: string; calls: number; credits: number }[];
  keys: { key_id: string | null; name: string | null; calls: number; credits: number }[];
}
interface Sales {
  calls: number;
  failed: number;
  developer_earnings_credits: number;
  days: { date: string; calls: number }[];
  agents: { agent_id: string; calls: number; failed: number; developer_earnings_credits: number }[];
}

const spendOf = async (cookie: string, query = '') =>
  (await request<Spend>(scene.market, { cookie }, 'GET', `/v1/billing/spend${query}`)).body;
/** Rolls up the calls of now, as if it were later. */
const rollUp = () => rollUpSpend(scene.market.container.pool, 1_000, Date.now() + 1_200_000);

it('is the same before and after the calls are rolled up, by day, agent and key, without free and failed calls', async () => {
  const { market, agent, developer } = scene;
  const buyer = await register(market, 'buyer', 1_000);
  const { agentId: dear } = await putLive(market, developer.userId, agent.url, {
    credits: 30,
    agentId: newSlug('dear'),
  });
  const { agentId: free } = await putLive(market, developer.userId, agent.url, { credits: 5, freeTierCalls: 1, agentId: newSlug('free') }); // prettier-ignore
  const { key } = await makeKey(market, buyer, { scopes: ['agents:invoke'] });
  const input = { input: { text: 'hello' } };
  await invoke(market, buyer, dear, input);
  await invoke(market, buyer, free, input);
  await invoke(market, { cookie: '' }, scene.agentId, input, { 'x-api-key': key });
  agent.behave({ kind: 'status', status: 500 });
  await invoke(market, buyer, dear, input);
  agent.behave({ kind: 'echo' });

  const before = await spendOf(buyer.cookie);
  const today = new Date().toISOString().slice(0, 10);
  expect(before).toMatchObject({ calls: 2, credits: 40 });
  expect(before.days.at(-1)).toEqual({ date: today, calls: 2, credits: 40 });
  expect(before.days[0]?.date).toBe(`${today.slice(0, 8)}01`);
  expect(before.agents).toEqual([
    { agent_id: dear, display_name: 'Echo agent', calls: 1, credits: 30 },
    { agent_id: scene.agentId, display_name: 'Echo agent', calls: 1, credits: 10 },
  ]);
  expect(before.keys.map(({ key_id: id, credits }) => [id === null, credits])).toEqual([
    [true, 30],
    [false, 10],
  ]);
  expect(await rollUp()).toBeGreaterThanOrEqual(4);
  expect(await spendOf(buyer.cookie)).toEqual(before);
  expect(await rollUp()).toBe(0);
  await invoke(market, buyer, dear, input);
  expect(await spendOf(buyer.cookie)).toMatchObject({ calls: 3, credits: 70 });
});

it('passes calls that run, and adds them once they have ended', async () => {
  const { market, developer, agentId: quick } = scene;
  const buyer = await register(market, 'buyer', 1_000);
  const held = await startHeldAgent();
  const { agentId: slow } = await putLive(market, developer.userId, held.url, { credits: 30 });
  const input = { input: { text: 'hello' } };
  const running = invoke(market, buyer, slow, input);
  await held.waitForDeliveries(1);
  await invoke(market, buyer, quick, input);
  await rollUp();
  await rollUp();
  expect(await spendOf(buyer.cookie)).toMatchObject({ calls: 1, credits: 10 });
  held.release();
  await running;
  const ended = await spendOf(buyer.cookie);
  expect(ended).toMatchObject({ calls: 2, credits: 40 });
  await rollUp();
  expect(await spendOf(buyer.cookie)).toEqual(ended);
  const left = await market.owner.query('SELECT FROM spend_waiting WHERE buyer_user_id = $1', [buyer.userId]);
  const days = await market.owner.query<{ calls: string }>(
    'SELECT sum(calls) AS calls FROM spend_days WHERE buyer_user_id = $1',
    [buyer.userId],
  );
  expect([left.rows.length, days.rows]).toEqual([0, [{ calls: '2' }]]);
});

it('is read from the sums of days, by indexes only', async () => {
  const { rows } = await scene.market.owner.query<{ plan: string }>(
    `SELECT indexdef AS plan FROM pg_indexes WHERE tablename = 'spend_days'`,
  );
  expect(rows.map(({ plan }) => plan).join()).toContain('(buyer_user_id, day, agent_id, key_id)');
});

it.each(['since=yesterday', 'since=2020-01-01', 'until=2020-01-01&since=2021-01-01', 'by=agent'])(
  'refuses ?%s',
  async (query) => {
    const reply = await request(scene.market, scene.buyer, 'GET', `/v1/billing/spend?${query}`);
    expect(reply.status).toBe(422);
  },
);

it('shows a developer what all agents earned, and nothing to buyers', async () => {
  const { market, agent, buyer } = scene;
  const developer = await register(market, 'developer');
  const { agentId: one } = await putLive(market, developer.userId, agent.url, {
    credits: 100,
    agentId: newSlug('one'),
  });
  const { agentId: two } = await putLive(market, developer.userId, agent.url, {
    credits: 10,
    agentId: newSlug('two'),
  });
  const input = { input: { text: 'hello' } };
  await invoke(market, buyer, two, input);
  await invoke(market, buyer, one, input);
  agent.behave({ kind: 'status', status: 500 });
  await invoke(market, buyer, two, input);
  agent.behave({ kind: 'echo' });
  const { body } = await request<Sales>(market, developer, 'GET', '/v1/developer/sales');
  expect(body).toMatchObject({ calls: 3, failed: 1, developer_earnings_credits: 106.7 });
  expect(body.days.at(-1)).toMatchObject({ date: new Date().toISOString().slice(0, 10), calls: 3 });
  expect(body.agents).toMatchObject([
    { agent_id: one, calls: 1, failed: 0, developer_earnings_credits: 97 },
    { agent_id: two, calls: 2, failed: 1, developer_earnings_credits: 9.7 },
  ]);
  expect((await request(market, buyer, 'GET', '/v1/developer/sales')).status).toBe(403);
});
