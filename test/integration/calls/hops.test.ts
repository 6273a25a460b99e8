/** Agents that call agents: a chain ends at five calls, for any agents and endpoints. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificates } from '../../support/agents/authority';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { balance, invoke, putLive, register, type TestUser } from '../../support/market';
import { makeKey } from '../../support/accounts/keys';
import { putSelfHosted, use, type SelfHosted } from '../../support/calls/use';
import { newSlug } from '../../support/names';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
let developer: TestUser;
const agent = useAgent();

beforeAll(async () => {
  developer = await register(market, 'developer');
});

async function invocationsOf(agentIds: string[]): Promise<{ status: string; count: number }[]> {
  const { rows } = await market.owner.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM invocations WHERE agent_id = ANY($1) GROUP BY status',
    [agentIds],
  );
  return rows;
}

/** An agent that is nothing but a way back to us, to another agent, at the cost of `payer`. */
async function relayTo(next: () => string, payer: TestUser, hops: string[]): Promise<TestAgent> {
  const relay = await startAgent({
    behaviour: {
      kind: 'acts',
      act: async ({ body, headers }) => {
        const count = String(headers['x-marketplace-hops']);
        hops.push(count);
        const input: unknown = JSON.parse(body.toString());
        const reply = await invoke(market, payer, next(), { input }, { 'x-marketplace-hops': count });
        if (reply.status === 200) return { kind: 'answer', output: reply.body.output };
        return { kind: 'answer', output: reply.body, status: reply.status };
      },
    },
  });
  return relay;
}

describe('a chain of calls', () => {
  it('is counted from one, or from the count in the caller’s header', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url);
    agent.forget();
    const input = { input: { text: 'hello' } };
    for (const headers of [{}, { 'x-marketplace-hops': '0' }, { 'X-Marketplace-Hops': '4' }]) {
      expect((await invoke(market, buyer, agentId, input, headers)).status).toBe(200);
    }
    const sent = agent.deliveries.map(({ headers }) => headers['x-marketplace-hops']);
    expect(sent).toEqual(['1', '1', '5']);
  });

  it('is refused at the limit, before anything is written', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url);
    agent.forget();
    for (const hops of ['5', '6', '999']) {
      const headers = { 'x-marketplace-hops': hops };
      const reply = await invoke(market, buyer, agentId, { input: { text: 'hello' } }, headers);
      expect([reply.status, reply.body.error?.code]).toEqual([429, 'a2a_depth_exceeded']);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await invocationsOf([agentId])).toEqual([]);
    expect(agent.deliveries).toHaveLength(0);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
  });

  it.each(['x', '-1', '1, 2', '1.5', ''])('is refused with the invalid count %j', async (hops) => {
    const buyer = await register(market, 'buyer');
    const reply = await invoke(market, buyer, 'agt_nobody_v1', { input: {} }, { 'x-marketplace-hops': hops });
    expect([reply.status, reply.body.error?.code]).toEqual([400, 'invalid_header']);
  });

  it('is refused beyond the limit for every operation', async () => {
    const buyer = await register(market, 'buyer');
    const statusOf = async (hops: string) => {
      const headers = { cookie: buyer.cookie, 'x-marketplace-hops': hops };
      return (await fetch(`${market.url}/v1/invocations`, { headers })).status;
    };
    expect([await statusOf('5'), await statusOf('6')]).toEqual([200, 429]);
  });

  it('of two agents that call each other for ever ends, and all of it is refunded', async () => {
    const buyer = await register(market, 'buyer', 100);
    const payer = await register(market, 'buyer', 1_000);
    const hops: string[] = [];
    const ids = { first: '', second: '' };
    const first = await relayTo(() => ids.second, payer, hops);
    const second = await relayTo(() => ids.first, payer, hops);
    ids.first = (await putLive(market, developer.userId, first.url, { timeoutMs: 20_000 })).agentId;
    ids.second = (await putLive(market, developer.userId, second.url, { timeoutMs: 20_000 })).agentId;
    const reply = await invoke(market, buyer, ids.first, { input: { text: 'round and round' } });
    expect([reply.status, reply.body.error?.code]).toEqual([502, 'agent_error']);
    expect(hops).toEqual(['1', '2', '3', '4', '5']);
    expect(await invocationsOf([ids.first, ids.second])).toEqual([{ status: 'failed', count: 5 }]);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
    expect(await balance(market.owner, payer.userId, 'wallet')).toBe(100_000);
    await Promise.all([first.stop(), second.stop()]);
  });
});

describe('endpoints that are this service itself', () => {
  it('by another name, with a credential that pays, are a loop that ends and costs nothing', async () => {
    const buyer = await register(market, 'buyer', 100);
    const payer = await register(market, 'buyer', 1_000);
    const { key } = await makeKey(market, payer);
    const seen: string[] = [];
    const front = await startFront(seen);
    const slugs = ['first', 'second'].map((name) => newSlug(name));
    const agents: SelfHosted[] = [];
    for (const [at, slug] of slugs.entries()) {
      const { rows } = await market.owner.query<{ developer_id: string }>(
        'SELECT developer_id FROM users WHERE user_id = $1',
        [developer.userId],
      );
      const other = `${front.url}/v1/agents/${rows[0]?.developer_id}/${slugs[1 - at]}/use`;
      agents.push(await putSelfHosted(market, developer, other, { slug }));
    }
    for (const { agentId } of agents) {
      const at = { agentId, endpointUrl: front.url };
      await market.container.credentials.store(market.owner, at, { header: 'X-API-Key', key });
    }
    const reply = await use(market, buyer, agents[0] as SelfHosted, { text: 'round and round' });
    expect([reply.status, reply.body.error?.code]).toEqual([502, 'agent_error']);
    expect(seen).toEqual(['1', '2', '3', '4', '5']);
    const ids = agents.map(({ agentId }) => agentId);
    expect(await invocationsOf(ids)).toEqual([{ status: 'failed', count: 5 }]);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
    expect(await balance(market.owner, payer.userId, 'wallet')).toBe(100_000);
    await front.stop();
  });
});

/** A second name of this service: hands requests on as they come, and knows nothing of hops. */
async function startFront(seen: string[]): Promise<{ url: string; stop(): Promise<void> }> {
  const { leaf } = await testCertificates();
  const { host } = new URL(market.url);
  const front = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (req, res) => {
    seen.push(String(req.headers['x-marketplace-hops']));
    const options = { method: req.method, headers: { ...req.headers, host } };
    const onwards = httpRequest(`${market.url}${req.url}`, options, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    req.pipe(onwards.on('error', () => res.destroy()));
  }).listen(0, '127.77.0.3');
  await once(front, 'listening');
  const { port } = front.address() as AddressInfo;
  return {
    url: `https://127.77.0.3:${port}`,
    async stop() {
      front.close();
      front.closeAllConnections();
    },
  };
}

it('refuses its own address as an agent', () => {
  const { host } = new URL(market.config.PUBLIC_ORIGIN);
  const verdict = market.container.egress.checkUrl(`https://${host}/v1/agents/a/b/use`);
  expect(verdict).toEqual({ ok: false, rule: 'url_host_is_ours' });
});
