/** Agents whose names turn inwards, through the whole path. */
import { startDns, type TestDns } from '../../support/agents/dns-server';
import { startAgent, startHoneypot, type Honeypot, type TestAgent } from '../../support/agents/test-agent';
import {
  balance,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';

let dns: TestDns;
let market: TestMarket;
let agent: TestAgent;
let honeypot: Honeypot;
let developer: TestUser;

beforeAll(async () => {
  agent = await startAgent();
  honeypot = await startHoneypot('127.0.0.1', agent.port);
  dns = await startDns({
    'flips.fixtures.example': (earlier) => (earlier % 2 === 0 ? [agent.host] : ['127.0.0.1']),
  });
  market = await startMarket({ env: { EGRESS_DNS_SERVERS: dns.address } });
  developer = await register(market, 'developer');
});
afterAll(async () => {
  expect(honeypot.connections()).toBe(0);
  await expectWholeLedger(market);
  await market.stop();
  await Promise.all([agent.stop(), honeypot.stop(), dns.stop()]);
});

const putAt = async (name: string, port: number, timeoutMs = 20_000) =>
  (await putLive(market, developer.userId, `https://${name}.fixtures.example:${port}`, { timeoutMs }))
    .agentId;

it('charges the calls that reached an agent, and refunds those whose name had changed to an internal address', async () => {
  const buyer = await register(market, 'buyer', 1_000);
  const agentId = await putAt('flips', agent.port);
  agent.forget();
  const seen: Record<string, number> = {};
  for (let count = 0; count < 20; count += 1) {
    const { status, body } = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
    const outcome = `${status} ${body.error?.code ?? 'answered'}`;
    seen[outcome] = (seen[outcome] ?? 0) + 1;
    expect(JSON.stringify(body)).not.toMatch(/127\.|flips|fixtures/);
  }
  expect(Object.keys(seen).sort()).toEqual(['200 answered', '502 agent_unreachable']);
  expect(agent.deliveries).toHaveLength(seen['200 answered'] ?? 0);
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(100_000 - agent.deliveries.length * 1_000);
  expect(await balance(market.owner, buyer.userId, 'escrow')).toBe(0);
});
