import { URI } from 'otpauth';
import { testManifest } from '../../support/agents/manifest';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { balance, invoke, register } from '../../support/market';
import { makeKey } from '../../support/accounts/keys';
import { newSlug } from '../../support/names';
import {
  places,
  publish,
  registerDeveloper,
  request,
  type TestDeveloper,
} from '../../support/catalogue/publishing';
import {
  changeRegistration,
  registerAgent,
  registerServing,
  registration,
  untilVersions,
} from '../../support/catalogue/registrations';
import { longRows } from '../../support/ledger/counts';
import { useAgent, useMarket } from '../../support/use-market';

const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const market = useMarket();
let developer: TestDeveloper;
const agent = useAgent();

beforeAll(async () => {
  developer = await registerDeveloper(market);
});
beforeEach(() => {
  agent.behave({ kind: 'echo' });
  agent.forget();
});

const change = (agentId: string, body: unknown, who = developer) =>
  changeRegistration(market, who, agentId, body);
const read = async (agentId: string) =>
  (await request(market, developer, 'GET', `/v1/agents/${agentId}/registration`)).body;

describe('a new endpoint or price', () => {
  it('is verified while the old version serves at the old address for the old price', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await registerServing(market, developer, registration(agent.url));
    let release: (value?: unknown) => void = () => undefined;
    const released = new Promise((resolve) => (release = resolve));
    const next = await startAgent({ behaviour: { kind: 'waits', until: released } });
    const reply = await change(agentId, {
      access_config: { endpoint_url: `${next.url}/new`, price_per_call_units: 700 },
    });
    expect(reply).toMatchObject({ status: 200, body: { status: 'submitted', price_credits: 7 } });
    await next.waitForDeliveries(1, 20_000);
    agent.forget();
    const meanwhile = await invoke(market, buyer, agentId, { input: { during: 1 } });
    expect(meanwhile.body).toMatchObject({ output: { during: 1 }, usage: { credits_charged: 3 } });
    expect(agent.deliveries).toHaveLength(1);
    release();
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'live' });
    next.forget();
    const afterwards = await invoke(market, buyer, agentId, { input: { after: 1 } });
    expect(afterwards.body).toMatchObject({ output: { after: 1 }, usage: { credits_charged: 7 } });
    expect(next.deliveries.map(({ path }) => path)).toEqual(['/new']);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_000);
    await next.stop();
  });

  it('on another host requires the credential again, or none', async () => {
    const auth = { header: 'X-Secret', key: 'moves-with-nobody' };
    const agentId = await registerServing(
      market,
      developer,
      registration(agent.url, { upstream_auth: auth }),
    );
    const elsewhere = await startAgent();
    const access = { access_config: { endpoint_url: elsewhere.url } };
    const refused = await change(agentId, access);
    expect(refused.status).toBe(422);
    expect(places(refused)).toEqual(['upstream_auth.key']);
    expect(elsewhere.deliveries).toHaveLength(0);
    const path = { access_config: { endpoint_url: `${agent.url}/other-path` } };
    expect(await change(agentId, path)).toMatchObject({ status: 200, body: { upstream_auth_set: true } });
    const cleared = await change(agentId, { ...access, upstream_auth: { key: '' } });
    expect(cleared).toMatchObject({ status: 200, body: { upstream_auth_set: false } });
    await elsewhere.stop();
  });

  it('on another host gets its own credential, and the old host keeps the old one', async () => {
    const buyer = await register(market, 'buyer', 100);
    // Not the agent of all tests: a late probe of the test before would reach it.
    const first = await startAgent();
    const [before, after] = ['secret-of-the-old-host', 'secret-of-the-new-host'].map((key) => ({
      header: 'X-Secret',
      key,
    }));
    const agentId = await registerServing(
      market,
      developer,
      registration(first.url, { upstream_auth: before }),
    );
    let release: (value?: unknown) => void = () => undefined;
    const released = new Promise((resolve) => (release = resolve));
    const next = await startAgent({ behaviour: { kind: 'waits', until: released } });
    const secretsAt = ({ deliveries }: TestAgent) => [
      ...new Set(deliveries.map(({ headers }) => headers['x-secret'])),
    ];
    first.forget();
    const moved = await change(agentId, {
      access_config: { endpoint_url: next.url },
      upstream_auth: after,
    });
    expect(moved.body).toMatchObject({ status: 'submitted', upstream_auth_set: true });
    await next.waitForDeliveries(1, 20_000);
    expect((await invoke(market, buyer, agentId, { input: { during: 1 } })).status).toBe(200);
    expect(secretsAt(first)).toEqual([before?.key]);
    release();
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'live' });
    expect((await invoke(market, buyer, agentId, { input: { after: 1 } })).status).toBe(200);
    expect(secretsAt(next)).toEqual([after?.key]);
    expect(secretsAt(first)).toEqual([before?.key]);
    // A move back to the first host requires the secret again, because the earlier value was deleted.
    const back = { access_config: { endpoint_url: first.url } };
    expect(places(await change(agentId, back))).toEqual(['upstream_auth.key']);
    await change(agentId, { ...back, upstream_auth: { key: '' } });
    first.forget();
    await untilVersions(market, developer, agentId, {
      '1.0.0': 'superseded',
      '1.1.0': 'superseded',
      '1.2.0': 'live',
    });
    expect((await invoke(market, buyer, agentId, { input: {} })).status).toBe(200);
    expect(secretsAt(first)).toEqual([undefined]);
    expect(await read(agentId)).toMatchObject({ upstream_auth_set: false });
    await next.stop();
    await first.stop();
  });

  it('that fails its verification leaves the old version serving, and may be corrected', async () => {
    const agentId = await registerServing(market, developer, registration(agent.url));
    const broken = await startAgent({ behaviour: { kind: 'status', status: 503 } });
    await change(agentId, { access_config: { endpoint_url: broken.url } });
    await untilVersions(market, developer, agentId, { '1.0.0': 'live', '1.1.0': 'rejected' });
    const buyer = await register(market, 'buyer', 100);
    expect((await invoke(market, buyer, agentId, { input: {} })).status).toBe(200);
    const back = await change(agentId, { access_config: { endpoint_url: agent.url } });
    expect(back.body).toMatchObject({ status: 'live' });
    await untilVersions(market, developer, agentId, {
      '1.0.0': 'superseded',
      '1.1.0': 'rejected',
      '1.2.0': 'live',
    });
    await broken.stop();
  });

  it('replaces the other kind of price', async () => {
    const agentId = await registerServing(market, developer, registration(agent.url));
    const dollars = await change(agentId, { x402: { price_usd: 0.1, pay_to: PAY_TO } });
    expect(dollars.body).toMatchObject({ status: 'submitted', price_credits: 10 });
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'live' });
    expect(await read(agentId)).toMatchObject({
      x402: { price_usd: 0.1, pay_to: PAY_TO },
      access_config: { price_per_call_units: null },
    });
    const elsewhere = await change(agentId, {
      x402: { pay_to: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB' },
    });
    expect(elsewhere.body).toMatchObject({ status: 'live', price_credits: 10 });
    const units = await change(agentId, { access_config: { price_per_call_units: 1_000 } });
    expect(units.body).toMatchObject({ status: 'submitted', price_credits: 10 });
    expect(await read(agentId)).toMatchObject({ x402: null, access_config: { price_per_call_units: 1_000 } });
  });
});

describe('what buyers read', () => {
  const icon = (name: string) => `https://icons.example.com/${name}.png`;
  const about = (what: string) => `${what} and answers with what it has read, one line for each page.`;

  it.each<[string, string, (value: string) => Record<string, string>, string, string]>([
    ['name', 'display_name', (value) => ({ name: value }), 'Another name', 'A third name'],
    ['icon', 'icon_url', (value) => ({ icon_url: value }), icon('a'), icon('b')],
    ...longRows<[string, string, (value: string) => Record<string, string>, string, string]>(
      ['description', 'description', (value) => ({ description: value }), about('Reads invoices'), about('Reads letters')],
      ['vertical', 'vertical', (value) => ({ vertical: value }), 'law', 'tax'],
    ),
  ])('is verified before it is live: the %s', async (_what, field, changeTo, refused, passed) => {
    const agentId = await registerServing(market, developer, registration(agent.url));
    const shown = async () =>
      (await request<Record<string, unknown>>(market, developer, 'GET', `/v1/listings/${agentId}`)).body[field];
    const before = await shown();
    agent.behave({ kind: 'status', status: 503 });
    expect(await change(agentId, changeTo(refused))).toMatchObject({ status: 200, body: { status: 'submitted' } });
    await untilVersions(market, developer, agentId, { '1.0.0': 'live', '1.1.0': 'rejected' });
    expect(await shown()).toEqual(before);
    agent.behave({ kind: 'echo' });
    expect((await change(agentId, changeTo(passed))).body).toMatchObject({ status: 'submitted' });
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'rejected', '1.2.0': 'live' });
    expect(await shown()).toBe(passed);
  }); // prettier-ignore
});

describe('a draft', () => {
  const submitDraft = (agentId: string, version: string) =>
    request(market, developer, 'POST', `/v1/developer/agents/${agentId}/versions/${version}/submit`);

  it('is stored, changed as a draft, and neither probed nor listed before it is submitted', async () => {
    const made = await registerAgent(market, developer, registration(agent.url, { submit: false }));
    expect(made).toMatchObject({ status: 201, body: { status: 'draft' } });
    const agentId = made.body.agent_id;
    expect(await change(agentId, { name: 'Better' })).toMatchObject({
      status: 200,
      body: { status: 'draft' },
    });
    await untilVersions(market, developer, agentId, { '1.1.0': 'draft' });
    expect(await read(agentId)).toMatchObject({ name: 'Better' });
    expect(await read(agentId)).not.toHaveProperty('submit');
    expect(agent.deliveries).toEqual([]);
    expect((await request(market, developer, 'GET', `/v1/listings/${agentId}`)).status).toBe(404);
    expect(await submitDraft(agentId, '1.1.0')).toMatchObject({ status: 202, body: { status: 'submitted' } });
    await untilVersions(market, developer, agentId, { '1.1.0': 'live' });
  });

  it('may be a change of a live agent, and is submitted by a change too', async () => {
    const agentId = await registerServing(market, developer, registration(agent.url));
    const draft = await change(agentId, { name: 'Later', submit: false });
    expect(draft.body).toMatchObject({ status: 'draft' });
    await untilVersions(market, developer, agentId, { '1.0.0': 'live', '1.1.0': 'draft' });
    expect((await change(agentId, { submit: true })).body).toMatchObject({ status: 'submitted' });
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.2.0': 'live' });
  });

  it('frees the registration when it is deleted', async () => {
    const body = registration(agent.url, { submit: false });
    const { agent_id: agentId } = (await registerAgent(market, developer, body)).body;
    expect((await registerAgent(market, developer, body)).body).toMatchObject({
      error: { code: 'slug_taken' },
    });
    const path = `/v1/developer/agents/${agentId}/versions/1.0.0`;
    const deleted = await fetch(`${market.url}${path}`, {
      method: 'DELETE',
      headers: { cookie: developer.cookie },
    });
    expect(deleted.status).toBe(204);
    expect((await request(market, developer, 'GET', `/v1/agents/${agentId}/registration`)).status).toBe(409);
    expect((await change(agentId, { name: 'Gone' })).status).toBe(409);
    const again = await registerAgent(market, developer, { ...body, submit: true });
    expect(again).toMatchObject({ status: 201, body: { agent_id: agentId, status: 'submitted' } });
    await untilVersions(market, developer, agentId, { '1.0.0': 'live' });
  });

  it('is requested by a boolean', async () => {
    const reply = await registerAgent(market, developer, registration(agent.url, { submit: 'no' }));
    expect(reply.status).toBe(422);
    expect(places(reply)).toEqual(['submit']);
    const agentId = await registerServing(market, developer, registration(agent.url));
    expect(places(await change(agentId, { submit: 1 }))).toEqual(['submit']);
  });
});

describe('jobs', () => {
  it('are declared like in a manifest, and changed field by field', async () => {
    const body = registration(agent.url, { submit: false, capabilities: { jobs: { max_seconds: 2_400 } } });
    const { agent_id: agentId } = (await registerAgent(market, developer, body)).body;
    const jobs = async (changed: unknown) => {
      expect((await change(agentId, { capabilities: changed })).status).toBe(200);
      return (await read(agentId))['capabilities'];
    };
    expect(await jobs({ streaming: true })).toEqual({
      streaming: true,
      jobs: { max_seconds: 2_400, heartbeat_seconds: 300 },
    });
    expect(await jobs({ jobs: { max_seconds: 60 } })).toEqual({
      streaming: true,
      jobs: { max_seconds: 60, heartbeat_seconds: 60 },
    });
    const silent = await change(agentId, { capabilities: { jobs: { heartbeat_seconds: 61 } } });
    expect([silent.status, places(silent)]).toEqual([422, ['capabilities.jobs.heartbeat_seconds']]);
    expect(await jobs({ jobs: null })).toEqual({ streaming: true });
    expect(await jobs(null)).toBeUndefined();
  });

  it('are the jobs of an MCP server, which declares no streaming', async () => {
    const tools = registration(agent.url, { capabilities: { jobs: { max_seconds: 60 } } });
    const access = { ...(tools['access_config'] as object), protocol: 'mcp' };
    const made = await registerAgent(market, developer, { ...tools, access_config: access, submit: false });
    expect(made.status).toBe(201);
    expect((await read(made.body.agent_id))['capabilities']).toEqual({
      jobs: { max_seconds: 60, heartbeat_seconds: 60 },
    });
    const change = { capabilities: { streaming: true, jobs: { max_seconds: 60 } } };
    const refused = await registerAgent(market, developer, {
      ...registration(agent.url, change),
      access_config: access,
    });
    expect([refused.status, places(refused)]).toEqual([422, ['capabilities.streaming']]);
  });

  it('are refused when they are no object with a length', async () => {
    const agentId = await registerServing(market, developer, registration(agent.url));
    for (const jobs of ['yes', true, {}, { max_seconds: 60, more: 1 }, { max_seconds: 1e9 }]) {
      const reply = await change(agentId, { capabilities: { jobs } });
      expect([jobs, reply.status]).toEqual([jobs, 422]);
      expect(places(reply)[0]).toContain('capabilities.jobs');
    }
  });
});

describe('any other change', () => {
  it('serves at once, is a version of its own, and needs no probe', async () => {
    const x402 = { price_usd: 0.1, pay_to: PAY_TO };
    const access = { access_config: { endpoint_url: agent.url } };
    const agentId = await registerServing(market, developer, registration(agent.url, { ...access, x402 }));
    agent.forget();
    const auth = { header: 'X-First', key: 'key-number-one-0001' };
    const reply = await change(agentId, { upstream_auth: auth });
    expect(reply).toMatchObject({ status: 200, body: { status: 'live' } });
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'live' });
    expect(agent.deliveries.filter(({ path }) => path !== '/').length).toBe(0);
  });

  it('makes no version when it changes nothing', async () => {
    const agentId = await registerServing(market, developer, registration(agent.url));
    for (const body of [{}, { name: 'Self-hosted agent' }, { upstream_auth: { key: '' } }]) {
      expect(await change(agentId, body)).toMatchObject({ status: 200, body: { status: 'live' } });
    }
    await untilVersions(market, developer, agentId, { '1.0.0': 'live' });
  });

  it('sets, replaces and clears the credential from the next call on', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await registerServing(market, developer, registration(agent.url));
    const seen = async () => {
      agent.forget();
      expect((await invoke(market, buyer, agentId, { input: {} })).status).toBe(200);
      const { 'x-first': first, 'x-second': second } = agent.deliveries[0]?.headers ?? {};
      return { first, second };
    };
    const given = await change(agentId, { upstream_auth: { header: 'X-First', key: 'key-number-one-0001' } });
    expect(given.body).toMatchObject({ status: 'live', upstream_auth_set: true });
    expect(await seen()).toEqual({ first: 'key-number-one-0001', second: undefined });
    await change(agentId, { upstream_auth: { header: 'X-Second', key: 'key-number-two-0002' } });
    expect(await seen()).toEqual({ first: undefined, second: 'key-number-two-0002' });
    const kept = await change(agentId, { name: 'Renamed' });
    expect(kept.body).toMatchObject({ status: 'submitted', upstream_auth_set: true });
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'superseded', '1.2.0': 'superseded', '1.3.0': 'live' }); // prettier-ignore
    const cleared = await change(agentId, { upstream_auth: { header: 'X-Second', key: '' } });
    expect(cleared.body).toMatchObject({ upstream_auth_set: false });
    expect(await seen()).toEqual({ first: undefined, second: undefined });
  });

  it('survives ten changes at once: ten versions, the last one serves', async () => {
    const agentId = await registerServing(market, developer, registration(agent.url));
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => change(agentId, { name: `Name ${index}` })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const states = Array.from({ length: 11 }, (_, n) => [`1.${n}.0`, n === 10 ? 'live' : 'superseded']);
    await untilVersions(market, developer, agentId, Object.fromEntries(states) as Record<string, string>);
  });
});

describe('a change that is not allowed', () => {
  it('names every wrong field, including the slug and the protocol', async () => {
    const agentId = await registerServing(market, developer, registration(agent.url));
    const reply = await change(agentId, {
      slug: 'other',
      name: '',
      access_config: { protocol: 'mcp', endpoint_url: 'http://x.example.com', price_per_call_units: 5 },
      x402: { price_usd: 1, pay_to: PAY_TO },
      upstream_auth: { header: 'te', key: 'x' },
      badge: 'premium',
    });
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
    expect(places(reply)).toEqual([
      'access_config.endpoint_url',
      'access_config.protocol',
      'badge',
      'name',
      'slug',
      'upstream_auth.header',
      'x402',
    ]);
    await untilVersions(market, developer, agentId, { '1.0.0': 'live' });
  });

  it('is one to another developer’s agent, to a manifest, or to a retired agent', async () => {
    const rival = await registerDeveloper(market);
    const agentId = await registerServing(market, developer, registration(agent.url));
    expect(await change(agentId, { name: 'Mine' }, rival)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
    const manifest = await publish(
      market,
      developer,
      testManifest(agent.url, { agentId: newSlug('self-hosted') }),
    );
    expect(await change(manifest.body.agent_id, { name: 'Mine' })).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state' } },
    });
    await request(market, developer, 'POST', `/v1/developer/agents/${agentId}/retire`);
    expect(await change(agentId, { name: 'Again' })).toMatchObject({
      status: 409,
      body: { error: { code: 'invalid_state' } },
    });
  });
});

describe('the address that gets the earnings', () => {
  const OTHER = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
  const mails = async (userId: string) => {
    const { rows } = await market.owner.query<{ subject: string }>(
      `SELECT subject FROM security_mails WHERE recipient = $1 AND kind = 'payout_address_changed' ORDER BY mail_id`,
      [userId],
    );
    return rows.map(({ subject }) => subject);
  };

  /** The Monday after the coming one: the first whose week begins after a change of today. */
  const fromMonday = (): string => {
    const monday = new Date();
    monday.setUTCDate(monday.getUTCDate() + 14 - ((monday.getUTCDay() + 6) % 7));
    return `, from Monday ${monday.toISOString().slice(0, 10)}`;
  };

  /** Enrols an authenticator app; returns a code that was not used yet. */
  const enrol = async (who: TestDeveloper): Promise<string> => {
    const path = '/v1/auth/authenticator';
    const password = { password: 'correct horse battery' };
    const begun = await request<{ otpauth_uri: string }>(market, who, 'POST', path, password);
    const app = URI.parse(begun.body.otpauth_uri);
    if (!('period' in app)) throw new Error('not TOTP');
    const codeAt = (steps: number) => app.generate({ timestamp: Date.now() + steps * 30_000 });
    const done = await request(market, who, 'POST', `${path}/confirm`, { totp_code: codeAt(-1) });
    expect(done.status).toBe(200);
    return codeAt(1);
  };

  it('is reported by mail when an agent is registered, also by a key and as a draft', async () => {
    const owner = await registerDeveloper(market);
    const { key } = await makeKey(market, owner, { scopes: ['agents:publish'] });
    const x402 = { price_usd: 0.1, pay_to: PAY_TO.toLowerCase() };
    const register = async (more: Record<string, unknown>) => {
      const reply = await fetch(`${market.url}/v1/agents/register`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(registration(agent.url, { submit: false, ...more })),
      });
      expect(reply.status).toBe(201);
      return ((await reply.json()) as { agent_id: string }).agent_id;
    };
    await register({});
    expect(await mails(owner.userId)).toEqual([]);
    const agentId = await register({ access_config: { endpoint_url: agent.url }, x402 });
    expect(await mails(owner.userId)).toEqual([`${agentId}, ${PAY_TO}${fromMonday()}`]);
  });

  it('is changed in a session only, and reported by mail', async () => {
    const owner = await registerDeveloper(market);
    const priced = { access_config: { endpoint_url: agent.url }, x402: { price_usd: 0.1, pay_to: PAY_TO } };
    const agentId = await registerServing(market, owner, registration(agent.url, priced));
    const registered = `${agentId}, ${PAY_TO}${fromMonday()}`;
    const { key } = await makeKey(market, owner, { scopes: ['agents:publish'] });
    const withKey = (body: unknown) =>
      fetch(`${market.url}/v1/agents/${agentId}/registration`, {
        method: 'PATCH',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const x402 of [{ pay_to: OTHER }, { pay_to: OTHER.toLowerCase() }, null]) {
      const refused = await withKey({ x402, access_config: x402 ? {} : { price_per_call_units: 300 } });
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('x402.pay_to')]);
    }
    expect((await withKey({ x402: { pay_to: PAY_TO.toLowerCase() }, name: 'Renamed' })).status).toBe(200);
    expect(await mails(owner.userId)).toEqual([registered]);
    expect((await change(agentId, { x402: { pay_to: OTHER } }, owner)).status).toBe(200);
    expect((await change(agentId, { x402: { pay_to: PAY_TO } }, owner)).status).toBe(200);
    const changed = [OTHER, PAY_TO].map((address) => `${agentId}, ${address}${fromMonday()}`);
    expect(await mails(owner.userId)).toEqual([registered, ...changed]);
  });

  it('needs a code of the authenticator app that the account has', async () => {
    const owner = await registerDeveloper(market);
    const priced = { access_config: { endpoint_url: agent.url }, x402: { price_usd: 0.1, pay_to: PAY_TO } };
    const agentId = await registerServing(market, owner, registration(agent.url, priced));
    const code = await enrol(owner);
    const without = await change(agentId, { x402: { pay_to: OTHER } }, owner);
    expect([without.status, without.body.error?.code]).toEqual([401, 'second_factor_required']);
    const odd = await change(agentId, { x402: { pay_to: OTHER }, totp_code: 7 }, owner);
    expect([odd.status, places(odd)]).toEqual([422, ['totp_code']]);
    const allowed = await change(agentId, { x402: { pay_to: OTHER }, totp_code: code }, owner);
    expect(allowed.status).toBe(200);
    expect((await change(agentId, { name: 'No code needed' }, owner)).status).toBe(200);
  });
});
