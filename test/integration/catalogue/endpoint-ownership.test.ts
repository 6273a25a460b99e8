/**
 * Without a proof that a host is the developer's, a registration makes the service call it a few times, and not again.
 */
import { Webhook } from 'standardwebhooks';
import type { Delivery, Behaviour } from '../../support/agents/behaviours';
import { type DnsRecords, startDns, type TestDns } from '../../support/agents/dns-server';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { failStoring } from '../../support/verification/failing-storage';
import { eventually, expectWholeLedger, startMarket, type TestMarket } from '../../support/market';
import { testManifest } from '../../support/agents/manifest';
import { publish, registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import { newSlug } from '../../support/names';
import {
  changeRegistration,
  registerAgent,
  registerLive,
  registration,
  untilVersions,
} from '../../support/catalogue/registrations';

const MOST_REQUESTS = 10;
const TEXTS = {
  type: 'object',
  properties: { text: { type: 'string', examples: ['to be or not to be'] } },
  required: ['text'],
};
const records: DnsRecords = {};

let market: TestMarket;
let dns: TestDns;
const agents: TestAgent[] = [];

beforeAll(async () => {
  dns = await startDns(records);
  market = await startMarket({ env: { EGRESS_DNS_SERVERS: dns.address } });
});
afterAll(async () => {
  await expectWholeLedger(market);
  await market.stop();
  await Promise.all([dns.stop(), ...agents.map((agent) => agent.stop())]);
});

let hosts = 0;

interface Host {
  agent: TestAgent;
  url: string;
  name: string;
  /** How the host answers GET, by path; `/` is the endpoint. Others: 404. */
  pages: Record<string, Behaviour>;
}

/** A host with a name of its own, which needs a proof, and an agent that answers with what it got. */
async function startHost(): Promise<Host> {
  hosts += 1;
  const name = `host-${hosts}.fixtures.example`;
  const pages: Host['pages'] = {};
  const behaviour = ({ method, path }: Delivery): Behaviour =>
    method === 'GET' ? (pages[path] ?? { kind: 'status', status: 404 }) : { kind: 'echo' };
  const agent = await startAgent({ behaviour });
  agents.push(agent);
  records[name] = [agent.host];
  return { agent, url: `https://${name}:${agent.port}/`, name, pages };
}

const withSchemas = (url: string) => registration(url, { input_schema: TEXTS, output_schema: TEXTS });

interface Own {
  serving_version: string | null;
  ownership: {
    host: string;
    status: string;
    method: string | null;
    token: string;
    file_url: string;
    checked_at: string | null;
  } | null;
  latest_run: { run_id: string; state: string } | null;
}

async function own(developer: TestDeveloper, agentId: string) {
  const { body } = await request<Own>(market, developer, 'GET', `/v1/developer/agents/${agentId}`);
  if (!body.ownership) throw new Error('an agent shows its ownership');
  return { ...body, ownership: body.ownership };
}

/** Asks for another run and waits for its end. Returns what the host got meanwhile. */
async function reverify(developer: TestDeveloper, agentId: string, { agent }: Host) {
  const before = (await own(developer, agentId)).latest_run?.run_id;
  agent.forget();
  await market.owner.query('DELETE FROM agent_reverifications WHERE agent_id = $1', [agentId]);
  const path = `/v1/developer/agents/${agentId}/reverify`;
  expect((await request(market, developer, 'POST', path)).status).toBe(202);
  await eventually(async () => {
    const { latest_run: run } = await own(developer, agentId);
    return run !== null && run.run_id !== before && run.state !== 'running';
  }, 30_000);
  return agent.deliveries.map(({ method, path: asked }) => `${method} ${asked}`);
}

interface Report {
  stages: Record<'dynamic_testing' | 'red_team', { score: number; coverage: number; findings: unknown[] }>;
  ceiling: { reasons: { code: string; remedy: string }[] };
}

async function reportOf(developer: TestDeveloper, agentId: string): Promise<Report> {
  const path = `/v1/agents/${agentId}/trust-report`;
  return (await request<Report & Record<string, unknown>>(market, developer, 'GET', path)).body;
}

const LOOKUPS = ['GET /.well-known/agent-marketplace.txt', 'GET /'];

describe('a host without a proof', () => {
  it('gets at most ten requests of the first run, and only lookups of the next, and continues to serve', async () => {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    const agentId = await registerLive(market, developer, withSchemas(host.url));
    expect(host.agent.deliveries.length).toBeGreaterThan(LOOKUPS.length + 3);
    expect(host.agent.deliveries.length).toBeLessThanOrEqual(MOST_REQUESTS);
    expect((await own(developer, agentId)).ownership).toMatchObject({
      host: `${host.name}:${host.agent.port}`,
      status: 'unproven',
      method: null,
    });

    expect(await reverify(developer, agentId, host)).toEqual(LOOKUPS);
    const report = await reportOf(developer, agentId);
    for (const stage of ['dynamic_testing', 'red_team'] as const) {
      const { score, coverage, findings } = report.stages[stage];
      expect({ stage, score, coverage, findings }).toEqual({ stage, score: 0, coverage: 0, findings: [] });
    }
    expect(report.ceiling.reasons.map(({ code }) => code)).toContain('ownership_unproven');
    expect((await own(developer, agentId)).serving_version).toBe('1.0.0');
  });

  it('gets no further request of its first run when the service fails after the calls', async () => {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    const storage = await failStoring(market.owner, ['dynamic', 'redTeam'], 1);
    const { body } = await registerAgent(market, developer, withSchemas(host.url));
    await untilVersions(market, developer, body.agent_id, { '1.0.0': 'rejected' });
    await storage.mend();
    const methods = host.agent.deliveries.map(({ method }) => method);
    expect(methods.slice(0, LOOKUPS.length)).toEqual(['GET', 'GET']);
    const calls = methods.slice(LOOKUPS.length);
    expect(calls.length).toBeGreaterThan(3);
    expect(calls.length).toBeLessThanOrEqual(MOST_REQUESTS - LOOKUPS.length);
  });

  it('keeps a new version waiting for its proof while the old one serves', async () => {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    const agentId = await registerLive(market, developer, withSchemas(host.url));
    host.agent.forget();
    await changeRegistration(market, developer, agentId, { input_schema: { ...TEXTS, title: 'Texts' } });
    const versions = await untilVersions(market, developer, agentId, {
      '1.0.0': 'live',
      '1.1.0': 'rejected',
    });
    expect(versions[0]?.reject_reason).toContain('ownership of the host is not proven');
    expect(host.agent.deliveries.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  it('gets one first run a day of a developer, over all agents and ports', async () => {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    await registerLive(market, developer, withSchemas(host.url));
    host.agent.forget();
    const { body } = await registerAgent(market, developer, withSchemas(`${host.url}other`));
    await untilVersions(market, developer, body.agent_id, { '1.0.0': 'rejected' });
    expect(host.agent.deliveries.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });
});

describe('a proof', () => {
  it.each<[string, (host: Host, token: string) => void]>([
    [
      'file',
      ({ pages }, token) => (pages['/.well-known/agent-marketplace.txt'] = text(`# ours\r\n${token}\r\n`)),
    ],
    ['dns', ({ name }, token) => (records[`_agent-marketplace.${name}`] = { texts: ['v=spf1 -all', token] })],
    ['header', ({ pages }, token) => (pages['/'] = answer({ 'X-Marketplace-Token': token }))],
  ])('by %s opens the host to whole runs', async (method, prove) => {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    const agentId = await registerLive(market, developer, withSchemas(host.url));
    prove(host, (await own(developer, agentId)).ownership.token);
    expect((await reverify(developer, agentId, host)).length).toBeGreaterThan(MOST_REQUESTS);
    expect((await own(developer, agentId)).ownership).toMatchObject({ status: 'proven', method });
    expect(JSON.stringify(await reportOf(developer, agentId))).not.toContain('ownership_unproven');
  });

  it('by the token of another agent, or behind a redirect, does not count', async () => {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    const other = await startHost();
    const agentId = await registerLive(market, developer, withSchemas(host.url));
    const otherId = await registerLive(market, developer, withSchemas(other.url));
    const foreign = (await own(developer, otherId)).ownership.token;
    const { token } = (await own(developer, agentId)).ownership;
    other.pages['/proof'] = text(token);
    host.pages['/.well-known/agent-marketplace.txt'] = { kind: 'redirect', location: `${other.url}proof` };
    host.pages['/'] = answer({ 'X-Marketplace-Token': foreign });
    records[`_agent-marketplace.${host.name}`] = { texts: [foreign, `${token}x`, `see ${token}`] };
    other.agent.forget();
    expect(await reverify(developer, agentId, host)).toEqual(LOOKUPS);
    expect((await own(developer, agentId)).ownership.status).toBe('unproven');
    expect(other.agent.deliveries).toEqual([]);
  });

  it('of one origin does not count for another, and a URL that has its own token in it has another token', async () => {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    const moved = await startHost();
    const agentId = await registerLive(market, developer, withSchemas(host.url));
    const { token } = (await own(developer, agentId)).ownership;
    host.pages['/'] = answer({ 'X-Marketplace-Token': token });
    await reverify(developer, agentId, host);
    expect((await own(developer, agentId)).ownership.status).toBe('proven');

    moved.pages[`/echo?token=${token}`] = answer({ 'X-Marketplace-Token': token });
    const endpoint_url = `${moved.url}echo?token=${token}`;
    await changeRegistration(market, developer, agentId, { access_config: { endpoint_url } });
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'live' });
    expect(moved.agent.deliveries.length).toBeLessThanOrEqual(MOST_REQUESTS);
    const { ownership } = await own(developer, agentId);
    expect(ownership.status).toBe('unproven');
    expect(ownership.token).not.toBe(token);
  });

  it('is not needed on loopback, and its token is visible to the owner alone', async () => {
    const developer = await registerDeveloper(market);
    const { agent } = await startHost();
    const agentId = await registerLive(market, developer, withSchemas(agent.url));
    expect(agent.deliveries.length).toBeGreaterThan(MOST_REQUESTS);
    const { ownership } = await own(developer, agentId);
    expect(ownership).toMatchObject({ status: 'proven', method: 'loopback' });
    const stranger = await registerDeveloper(market);
    const seen = await Promise.all(
      [
        `/v1/developer/agents/${agentId}`,
        `/v1/listings/${agentId}`,
        `/v1/agents/${agentId}/trust-report`,
      ].map((path) => request(market, stranger, 'GET', path)),
    );
    expect(seen[0]?.status).toBe(404);
    expect(JSON.stringify(seen)).not.toContain(ownership.token);
  });
});

describe('a proof that was found before', () => {
  async function proven() {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    const agentId = await registerLive(market, developer, withSchemas(host.url));
    const { token } = (await own(developer, agentId)).ownership;
    host.pages['/.well-known/agent-marketplace.txt'] = text(token);
    await reverify(developer, agentId, host);
    return { developer, host, agentId };
  }
  const age = (agentId: string, days: number) =>
    market.owner.query(
      `UPDATE endpoint_proofs SET checked_at = now() - make_interval(days => $2) WHERE agent_id = $1`,
      [agentId, days],
    );

  it('is asked again by a run a day later', async () => {
    const { developer, host, agentId } = await proven();
    await age(agentId, 2);
    expect((await reverify(developer, agentId, host)).slice(0, 1)).toEqual(LOOKUPS.slice(0, 1));
    const { checked_at: checked, status } = (await own(developer, agentId)).ownership;
    expect({ status, isNew: Date.now() - Date.parse(checked ?? '') < 60_000 }).toEqual({
      status: 'proven',
      isNew: true,
    });
  });

  it('holds for 30 days if a run does not find it, then ends with the badge and the calls', async () => {
    const { developer, host, agentId } = await proven();
    delete host.pages['/.well-known/agent-marketplace.txt'];
    await age(agentId, 29);
    expect((await reverify(developer, agentId, host)).length).toBeGreaterThan(MOST_REQUESTS);
    expect((await own(developer, agentId)).ownership.status).toBe('proven');
    await age(agentId, 31);
    expect(await reverify(developer, agentId, host)).toEqual(LOOKUPS);
    expect((await own(developer, agentId)).ownership.status).toBe('unproven');
    const { rows } = await market.owner.query(
      'SELECT earned_badge FROM trust_reports WHERE agent_id = $1 ORDER BY verified_at DESC LIMIT 1',
      [agentId],
    );
    expect(rows).toEqual([{ earned_badge: null }]);
  });
});

describe('a host whose file names accounts', () => {
  const FILE = '/.well-known/agent-marketplace.txt';

  it('refuses the agents of others, without a call', async () => {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    host.pages[FILE] = text('# ours alone\nowner: dev_somebody-else\n');
    const { body } = await registerAgent(market, developer, withSchemas(host.url));
    const [version] = await untilVersions(market, developer, body.agent_id, { '1.0.0': 'rejected' });
    expect(version?.reject_reason).toContain('belongs to another account');
    expect(host.agent.deliveries.map(({ method }) => method)).toEqual(['GET']);
  });

  it('takes a version that serves out of the search, whatever was proven before', async () => {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    host.pages[FILE] = text(`Owner: dev_other\nowner: ${developer.developerId}`);
    const agentId = await registerLive(market, developer, withSchemas(host.url));
    host.pages['/'] = answer({ 'X-Marketplace-Token': (await own(developer, agentId)).ownership.token });
    await reverify(developer, agentId, host);
    expect((await own(developer, agentId)).ownership.method).toBe('header');
    host.pages[FILE] = text('owner: dev_other');
    await market.owner.query(
      `UPDATE endpoint_proofs SET checked_at = now() - interval '2 days' WHERE agent_id = $1`,
      [agentId],
    );
    expect(await reverify(developer, agentId, host)).toEqual(LOOKUPS.slice(0, 1));
    expect(await own(developer, agentId)).toMatchObject({
      listed: false,
      badge: null,
      ownership: { status: 'unproven' },
      latest_run: { state: 'failed' },
    });
  });
});

describe('an agent with a manifest', () => {
  /** Publishes an agent at a host of its own. Its answer to challenges can be set. */
  async function published() {
    const developer = await registerDeveloper(market);
    const host = await startHost();
    let challenged: Behaviour = { kind: 'status', status: 404 };
    host.agent.behave((delivery) => {
      if (delivery.method === 'GET') return { kind: 'status', status: 404 };
      if (delivery.path !== '/ownership') return { kind: 'echo' };
      return signer(delivery) ?? challenged;
    });
    let secret: string | undefined;
    const signer = ({ body, headers }: Delivery): Behaviour | undefined => {
      if (secret === undefined) return undefined;
      const webhook = new Webhook(secret);
      const { challenge } = JSON.parse(body.toString()) as { challenge: string };
      const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
      return { kind: 'answer', output: { signature: webhook.sign(challenge, at, 'ownership') } };
    };
    const manifest = testManifest(host.url.replace(/\/$/, ''), { agentId: newSlug('challenged') });
    const { body } = await publish(market, developer, manifest);
    await untilVersions(market, developer, body.agent_id, { '1.0.0': 'live' });
    return {
      ...{ developer, host, agentId: body.agent_id },
      answers: (own: string) => (secret = own),
      says: (behaviour: Behaviour) => (challenged = behaviour),
    };
  }

  it('gets one short run, and proves its host by a signed answer to a signed challenge', async () => {
    const { developer, host, agentId, answers, says } = await published();
    expect(host.agent.deliveries.length).toBeLessThanOrEqual(MOST_REQUESTS + 1);
    const lookups = ['GET /.well-known/agent-marketplace.txt', 'POST /ownership', 'GET /'];
    expect(await reverify(developer, agentId, host)).toEqual(lookups);
    says({ kind: 'echo' });
    expect(await reverify(developer, agentId, host)).toEqual(lookups);
    const { body } = await request<{ signing_secret: string }>(
      market,
      developer,
      'GET',
      `/v1/developer/agents/${agentId}`,
    );
    answers(`whsec_${Buffer.alloc(32, 7).toString('base64')}`);
    await expect(reverify(developer, agentId, host)).resolves.toHaveLength(lookups.length);
    answers(body.signing_secret);
    expect((await reverify(developer, agentId, host)).length).toBeGreaterThan(MOST_REQUESTS);
    expect((await own(developer, agentId)).ownership).toMatchObject({
      status: 'proven',
      method: 'challenge',
    });
  });
});

function text(content: string): Behaviour {
  return { kind: 'stream', contentType: 'text/plain', parts: () => [content] };
}

function answer(headers: Record<string, string>): Behaviour {
  return { kind: 'answer', output: {}, headers };
}
