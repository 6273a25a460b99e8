/** The platform's fee: one rate, copied onto a version when it goes live, which that version keeps. */
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { registerOperator } from '../../support/disputes/disputes';
import { marketCommand, type MarketCommand } from '../../support/cli/market-command';
import {
  invoke,
  putLive,
  putVersion,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';

jest.setTimeout(120_000);

let market: TestMarket;
let agent: TestAgent;
let developer: TestUser;
let buyer: TestUser;
let command: MarketCommand;

beforeAll(async () => {
  [market, agent] = await Promise.all([startMarket(), startAgent()]);
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 10_000);
  command = marketCommand(market.url, { DATABASE_URL: market.database.appUrl });
});
afterAll(async () => {
  command.remove();
  await market.stop();
  await agent.stop();
});
afterEach(() => market.owner.query('UPDATE platform_settings SET fee_percent = 3'));

async function get<T>(path: string, who: TestUser): Promise<T> {
  const response = await fetch(`${market.url}${path}`, { headers: { cookie: who.cookie } });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

/** Gross, net and fee of an agent, in credits. */
async function usage(agentId: string): Promise<number[]> {
  const body = await get<Record<string, number>>(`/v1/agents/${agentId}/usage`, developer);
  return ['gross_credits', 'developer_earnings_credits', 'platform_fee_credits'].map(
    (name) => body[name] ?? -1,
  );
}

async function call(agentId: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const { status } = await invoke(market, buyer, agentId, {
      input: { text: 'hello' },
      max_cost_credits: 100,
    });
    expect(status).toBe(200);
  }
}

it('is 3% until an operator changes it, and the command shows it', async () => {
  expect(await command.run(['operator', 'fee'])).toMatchObject({
    code: 0,
    stdout: 'The fee is 3% for versions that go live now.\n',
  });
});

it('stays what it was for a live version, and is the new one for versions that go live later', async () => {
  const { agentId: early } = await putLive(market, developer.userId, agent.url, { credits: 10 });
  await call(early, 2);

  const change = await command.run(['operator', 'fee', '4', '--reason', 'Prices of 2027', '--json']);
  expect(change.json()).toEqual({ fee_percent: 4, previous_percent: 3 });
  const { agentId: late } = await putLive(market, developer.userId, agent.url, { credits: 10 });
  await call(early, 1);
  await call(late, 3);
  expect(await usage(early)).toEqual([30, 29.1, 0.9]);
  expect(await usage(late)).toEqual([30, 28.8, 1.2]);

  // The next version of the early agent takes the new rate; what it earned before keeps the old one.
  await putVersion(market, early, agent.url, { credits: 10, version: '1.1.0' });
  await call(early, 1);
  expect(await usage(early)).toEqual([40, 38.7, 1.3]);

  const { items } = await get<{ items: Record<string, unknown>[] }>(
    '/v1/billing/developer/transactions?entry_type=invocation_earning&limit=100',
    developer,
  );
  const earned = (agentId: string) =>
    items.filter((item) => item['agent_id'] === agentId).map((item) => item['credits']);
  expect(earned(late)).toEqual([9.6, 9.6, 9.6]);
  expect(earned(early)).toEqual([9.6, 9.7, 9.7, 9.7]);
  expect((await checkLedger(market.container.pool)).ok).toBe(true);
});

it('may be 0%: the developer then gets all of a charge', async () => {
  await market.owner.query('UPDATE platform_settings SET fee_percent = 0');
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
  await call(agentId, 1);
  expect(await usage(agentId)).toEqual([10, 10, 0]);
  expect((await checkLedger(market.container.pool)).ok).toBe(true);
});

it('is found by the ledger check when a lot does not have the rate of its version', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
  await call(agentId, 1);
  const set = (percent: number) =>
    market.owner.query(
      `ALTER TABLE agent_versions DISABLE TRIGGER agent_version_is_immutable;
       UPDATE agent_versions SET fee_percent = ${percent} WHERE agent_id = '${agentId}';
       ALTER TABLE agent_versions ENABLE TRIGGER agent_version_is_immutable`,
    );
  await set(4);
  const report = await checkLedger(market.container.pool);
  expect(report.proofs.filter(({ total }) => total > 0).map(({ name }) => name)).toEqual(['calls', 'lots']);
  await set(3);
  expect((await checkLedger(market.container.pool)).ok).toBe(true);
});

it('refuses a rate that is not a whole percentage within the bounds', async () => {
  for (const rate of ['51', '3.5', '-1', 'four']) {
    const refused = await command.run(['operator', 'fee', '--', rate]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(`"${rate}" is not a fee: give a whole number of percent from 0 to 50`);
  }
  await expect(
    market.container.pool.query('UPDATE platform_settings SET fee_percent = 51'),
  ).rejects.toMatchObject({ code: '23514' });
});

it('is in the audit log, with who changed it, from what to what, and why', async () => {
  await command.run(['operator', 'fee', '5', '--reason', 'A test of the log']);
  const operator = await registerOperator(market);
  const { items } = await get<{ items: unknown[] }>(
    '/v1/operator/actions?action=fee.change&limit=1',
    operator,
  );
  expect(items).toMatchObject([
    {
      operator_user_id: null,
      subject: 'platform',
      reason: 'A test of the log',
      details: { from_percent: 3, to_percent: 5 },
    },
  ]);
});

it('cannot be changed on a version, and a version cannot go live without it', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url);
  await expect(
    market.container.pool.query('UPDATE agent_versions SET fee_percent = 1 WHERE agent_id = $1', [agentId]),
  ).rejects.toMatchObject({ code: '23514' });
});
