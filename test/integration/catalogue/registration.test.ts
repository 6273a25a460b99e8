import { Webhook } from 'standardwebhooks';
import { startAgent } from '../../support/agents/test-agent';
import { bundleOf } from '../../support/verification/bundles';
import { balance, invoke, register, type TestUser } from '../../support/market';
import { newSlug } from '../../support/names';
import { registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import { holdTier } from '../../support/verification/trust';
import {
  changeRegistration,
  registerAgent,
  registerLive,
  registerServing,
  registration,
  untilVersions,
} from '../../support/catalogue/registrations';
import { useAgent, useMarket } from '../../support/use-market';

const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const SECRET = 'canary-upstream-key-0123456789';

const market = useMarket();
let developer: TestDeveloper;
const agent = useAgent();

beforeAll(async () => {
  developer = await registerDeveloper(market);
});
beforeEach(() => agent.forget());

async function balances(buyerUserId: string) {
  return {
    wallet: await balance(market.owner, buyerUserId, 'wallet'),
    payable: await balance(market.owner, developer.userId, 'payable'),
    fees: await balance(market.owner, null, 'fees'),
  };
}

/** What one call moved, in units. */
async function movedBy(buyerUserId: string, call: () => Promise<unknown>) {
  const before = await balances(buyerUserId);
  await call();
  const after = await balances(buyerUserId);
  return {
    wallet: after.wallet - before.wallet,
    payable: after.payable - before.payable,
    fees: after.fees - before.fees,
  };
}

describe('registering an endpoint', () => {
  it('answers 201 with the id and the price in whole credits, and submits it for verification', async () => {
    const slug = newSlug('self-hosted');
    const agentId = `agt_${slug.replaceAll('-', '_')}_v1`;
    const reply = await registerAgent(market, developer, registration(agent.url, { slug }));
    expect(reply).toEqual({
      status: 201,
      body: {
        agent_id: agentId,
        owner: developer.developerId,
        slug,
        status: 'submitted',
        upstream_auth_set: false,
        price_credits: 3,
      },
    });
    await untilVersions(market, developer, agentId, { '1.0.0': 'live' });
  });

  it('lists it with its name, label, icon and price, and never with its endpoint', async () => {
    const body = registration(`${agent.url}/secret-path`, {
      name: 'Tide tables',
      vertical: 'sailing',
      icon_url: 'https://icons.example.com/tide.png',
    });
    const agentId = await registerLive(market, developer, body);
    const buyer = await register(market, 'buyer');
    const detail = await request(market, buyer, 'GET', `/v1/listings/${agentId}`);
    expect(detail.body).toMatchObject({
      display_name: 'Tide tables',
      vertical: 'sailing',
      icon_url: 'https://icons.example.com/tide.png',
      protocol: 'http',
      version: '1.0.0',
      pricing: { model: 'per_call', credits_per_call: 3, free_tier_calls: 0 },
      developer: { developer_id: developer.developerId },
      input_schema: null,
      output_schema: null,
    });
    const found = await request<{ items: { agent_id: string }[] }>(
      market,
      buyer,
      'GET',
      '/v1/listings?q=sailing&protocol=http',
    );
    expect(found.body.items.map((item) => item.agent_id)).toEqual([agentId]);
    for (const reply of [detail, found])
      expect(JSON.stringify(reply.body)).not.toMatch(/127\.77|secret-path/);
  });

  it('posts the input as it is to the endpoint as it stands, signed, and takes 3 credits for 250 units', async () => {
    const buyer = await register(market, 'buyer', 100);
    const agentId = await registerLive(market, developer, registration(`${agent.url}/v2/do?mode=fast`));
    agent.forget();
    const input = { anything: ['goes', 1, null], nested: { deep: true } };
    const moved = await movedBy(buyer.userId, async () => {
      const reply = await invoke(market, buyer, agentId, { input });
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({ output: input, usage: { credits_charged: 3 } });
    });
    expect(moved).toEqual({ wallet: -300, payable: 291, fees: 9 });
    const [delivery] = agent.deliveries;
    expect(delivery?.path).toBe('/v2/do?mode=fast');
    expect(JSON.parse(delivery?.body.toString() ?? '')).toEqual(input);
    const own = await request<{ signing_secret: string }>(
      market,
      developer,
      'GET',
      `/v1/developer/agents/${agentId}`,
    );
    const signed = delivery?.headers as Record<string, string>;
    new Webhook(own.body.signing_secret).verify(delivery?.body.toString() ?? '', signed);
  });

  it('charges an x402 price in credits, rounded up, and pays the developer like any other', async () => {
    const buyer = await register(market, 'buyer', 100);
    const body = registration(agent.url, {
      access_config: { endpoint_url: agent.url },
      x402: { price_usd: 0.071, pay_to: PAY_TO.toLowerCase() },
    });
    const agentId = await registerLive(market, developer, body);
    const moved = await movedBy(buyer.userId, () => invoke(market, buyer, agentId, { input: {} }));
    expect(moved).toEqual({ wallet: -800, payable: 776, fees: 24 });
    const own = await request(market, developer, 'GET', `/v1/agents/${agentId}/registration`);
    expect(own.body).toMatchObject({ price_credits: 8, x402: { price_usd: 0.071, pay_to: PAY_TO } });
    const listing = await request(market, buyer, 'GET', `/v1/listings/${agentId}`);
    expect(listing.body).toMatchObject({ pricing: { credits_per_call: 8 } });
  });
});

describe('a registration with a time, a size and a metered price of its own', () => {
  const own = { timeout_ms: 1_000, max_payload_bytes: 64 };
  const pricing = { model: 'per_second', credits_per_second: '0.5', max_credits_per_call: 7 };
  const metered = (changes: Record<string, unknown> = {}) =>
    registration(agent.url, { access_config: { endpoint_url: agent.url }, pricing, ...own, ...changes });

  it('holds the most that a call costs, charges its seconds, and refuses what is larger or later', async () => {
    const buyer = await register(market, 'buyer', 20);
    const agentId = await registerServing(market, developer, metered());
    const listing = await request(market, buyer, 'GET', `/v1/listings/${agentId}`);
    expect(listing.body).toMatchObject({ pricing: { ...pricing, free_tier_calls: 0 } });
    const moved = await movedBy(buyer.userId, async () => {
      const reply = await invoke(market, buyer, agentId, { input: {} });
      expect(reply.body).toMatchObject({ usage: { credits_charged: 1 } });
    });
    expect(moved).toEqual({ wallet: -100, payable: 97, fees: 3 });
    const large = await invoke(market, buyer, agentId, { input: { text: 'x'.repeat(64) } });
    expect([large.status, large.body['error']]).toMatchObject([413, { code: 'payload_too_large' }]);
    const moderate = await invoke(market, buyer, agentId, { input: {}, max_cost_credits: 0 });
    expect([moderate.status, moderate.body['error']]).toMatchObject([402, { code: 'max_cost_exceeded' }]);
    agent.behave({ kind: 'slow', ms: 1_500 });
    const kept = await movedBy(buyer.userId, async () => {
      const late = await invoke(market, buyer, agentId, { input: {} });
      expect([late.status, late.body['error']]).toMatchObject([504, { code: 'agent_timeout' }]);
    });
    agent.behave({ kind: 'echo' });
    expect(kept).toEqual({ wallet: 0, payable: 0, fees: 0 });
    expect(agent.deliveries.at(-1)?.headers['x-deadline-ms']).toMatch(/^\d+$/);
  });

  it('is shown to its owner, changed at once without another price, and the same again changes nothing', async () => {
    const agentId = await registerServing(market, developer, metered());
    const path = `/v1/agents/${agentId}/registration`;
    const read = async () => (await request(market, developer, 'GET', path)).body;
    expect(await read()).toMatchObject({ ...own, pricing, price_credits: 7, x402: null });
    const same = await changeRegistration(market, developer, agentId, { pricing, ...own });
    expect([same.status, same.body.status]).toEqual([200, 'live']);
    const slower = await changeRegistration(market, developer, agentId, { timeout_ms: 300_000 });
    expect(slower.body).toMatchObject({ status: 'live', price_credits: 7 });
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'live' });
    const reset = await changeRegistration(market, developer, agentId, {
      timeout_ms: null,
      max_payload_bytes: null,
      access_config: { price_per_call_units: 250 },
      submit: false,
    });
    expect(reset.body).toMatchObject({ status: 'draft', price_credits: 3 });
    expect(await read()).toMatchObject({
      timeout_ms: 30_000,
      max_payload_bytes: 10_485_760,
      pricing: null,
      access_config: { price_per_call_units: 250 },
    });
  });

  it.each([
    [{ timeout_ms: 999 }, ['timeout_ms']],
    [{ timeout_ms: 300_001, max_payload_bytes: 0 }, ['max_payload_bytes', 'timeout_ms']],
    [{ timeout_ms: '1000', max_payload_bytes: 10_485_761 }, ['max_payload_bytes', 'timeout_ms']],
    [{ pricing: { ...pricing, model: 'per_call' } }, ['pricing.model']],
    [{ pricing: { model: 'per_token', max_credits_per_call: 1 } }, ['pricing.credits_per_1k_tokens']],
    [{ pricing: { ...pricing, credits_per_second: '0' } }, ['pricing.credits_per_second']],
    [{ pricing: { ...pricing, max_credits_per_call: 0 } }, ['pricing.max_credits_per_call']],
    [{ pricing: { ...pricing, more: 1 } }, ['pricing.more']],
    [{ x402: { price_usd: 1, pay_to: PAY_TO } }, ['pricing']],
    [{ pricing: undefined }, ['access_config.price_per_call_units']],
  ])('is refused with %j, and the refusal names %j', async (changes, fields) => {
    const { status, body } = await registerAgent(market, developer, metered(changes));
    const { detail } = body as unknown as { detail: { loc: string[] }[] };
    expect(status).toBe(422);
    expect(detail.map(({ loc }) => loc.slice(1).join('.')).sort()).toEqual(fields);
  });
});

describe('the credential of an endpoint', () => {
  it('is sent with probes and calls, and never shown, not even to its owner', async () => {
    const buyer = await register(market, 'buyer', 100);
    const body = registration(agent.url, { upstream_auth: { header: 'X-Canary-Token', key: SECRET } });
    const made = await registerAgent(market, developer, body);
    expect(made.body).toMatchObject({ upstream_auth_set: true });
    const agentId = made.body.agent_id;
    await untilVersions(market, developer, agentId, { '1.0.0': 'live' });
    const called = await invoke(market, buyer, agentId, { input: {} });
    expect(called.status).toBe(200);
    expect(agent.deliveries.length).toBeGreaterThanOrEqual(2);
    for (const { headers } of agent.deliveries) expect(headers['x-canary-token']).toBe(SECRET);
    const replies = await Promise.all(
      [
        `/v1/agents/${agentId}/registration`,
        `/v1/developer/agents/${agentId}`,
        `/v1/developer/agents/${agentId}/versions`,
        '/v1/developer/agents',
        `/v1/listings/${agentId}`,
      ].map((path) => request(market, developer, 'GET', path)),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(replies[0]?.body).toMatchObject({ upstream_auth_set: true });
    expect(replies[1]?.body).toMatchObject({
      kind: 'http',
      manifest: null,
      upstream_auth_set: true,
      registration: { access_config: { endpoint_url: `${agent.url}/` }, upstream_auth_set: true },
    });
    for (const reply of [made, called, ...replies]) {
      expect(JSON.stringify(reply.body)).not.toMatch(/canary-upstream|x-canary/i);
    }
    const rows = await market.owner.query<{ row: string }>(
      'SELECT v::text || a::text AS row FROM agent_versions v JOIN agents a USING (agent_id) WHERE agent_id = $1',
      [agentId],
    );
    expect(rows.rows).toHaveLength(1);
    expect(rows.rows[0]?.row).not.toMatch(/canary/i);
  });
});

describe('a registration with schemas, examples, data handling and a bundle', () => {
  const text = (description: string) => ({
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string', maxLength: 500, description } },
    additionalProperties: false,
  });
  const declared = {
    description: 'Repeats the text that it is given, for tests of declared schemas.',
    input_schema: { ...text('The text to repeat'), examples: [{ text: 'one' }, { text: 'two' }] },
    output_schema: text('The same text'),
    examples: [{ input: { text: 'three' }, output: { text: 'three' } }],
    data_handling: { pii_processed: false, data_retention_days: 0, residency: 'eu', subprocessors: [] },
  };
  const bundle_base64 = bundleOf({
    'agent.mjs': 'export const answer = ({ text }) => ({ text });\n',
    'package.json': '{"name":"repeater","version":"1.0.0","license":"MIT","dependencies":{}}',
    'package-lock.json': '{"lockfileVersion":3,"packages":{}}',
    LICENSE: 'MIT',
  }).toString('base64');

  interface Report {
    score: number;
    badge: string | null;
    summary: string;
    ceiling: { reasons: { code: string; remedy: string }[] };
  }
  const schemaValidOf = async (buyer: TestUser, invocationId: string) => {
    const { body } = await request<{ evidence: { receipt: { schema_valid: boolean | null } } }>(
      market,
      buyer,
      'GET',
      `/v1/invocations/${invocationId}`,
    );
    return body.evidence.receipt.schema_valid;
  };
  const reportOf = async (agentId: string) =>
    (await request<Report>(market, developer, 'GET', `/v1/agents/${agentId}/trust-report`)).body;

  it('earns like a manifest, and its calls are checked by its schemas', async () => {
    const agentId = await registerLive(
      market,
      developer,
      registration(agent.url, { ...declared, bundle_base64 }),
    );
    expect((await reportOf(agentId)).score).toBeGreaterThanOrEqual(75);
    const buyer = await register(market, 'buyer', 1_000);
    const wrong = await invoke(market, buyer, agentId, { input: { words: 1 } });
    expect([wrong.status, wrong.body['error']]).toMatchObject([422, { code: 'input_schema_mismatch' }]);
    const { status, body: called } = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
    expect([status, await schemaValidOf(buyer, String(called['invocation_id']))]).toEqual([200, true]);
    const { body } = await request(market, developer, 'GET', `/v1/agents/${agentId}/registration`);
    expect(body).toMatchObject(declared);

    const path = `/v1/agents/${agentId}/registration`;
    const renamed = await request<{ status: string }>(market, developer, 'PATCH', path, { name: 'Repeater' });
    expect([renamed.status, renamed.body.status]).toEqual([200, 'submitted']);
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'live' });
    const changed = await request<{ status: string }>(market, developer, 'PATCH', path, { examples: null });
    expect([changed.status, changed.body.status]).toEqual([200, 'submitted']);
    await untilVersions(market, developer, agentId, {
      '1.0.0': 'superseded',
      '1.1.0': 'superseded',
      '1.2.0': 'live',
    });
    expect((await reportOf(agentId)).score).toBeGreaterThanOrEqual(75);
  });

  it('leads to a badge when it adds what the report without it names', async () => {
    await holdTier(market, developer.userId, 'basic');
    const strict = await startAgent({
      behaviour: ({ body }) => (body.includes('"text"') ? { kind: 'echo' } : { kind: 'status', status: 422 }),
    });
    const agentId = await registerLive(market, developer, registration(strict.url));
    const before = await reportOf(agentId);
    const missing = before.ceiling.reasons.slice(0, 3);
    expect(before.badge).toBeNull();
    expect(before.summary).toMatch(/and a badge needs 50\. What adds most:/);
    for (const { remedy } of missing) expect(before.summary).toContain(remedy);
    expect(missing.map(({ code }) => code)).toEqual(['no_input_schema', 'no_bundle', 'no_manifest_schemas']);
    const path = `/v1/agents/${agentId}/registration`;
    const given = { ...declared, bundle_base64 };
    expect((await request(market, developer, 'PATCH', path, given)).status).toBe(200);
    await untilVersions(market, developer, agentId, { '1.0.0': 'superseded', '1.1.0': 'live' });
    expect(await reportOf(agentId)).toMatchObject({ badge: 'basic' });
    await strict.stop();
  });

  it('is refused with every problem of what it declares', async () => {
    const body = registration(agent.url, {
      input_schema: { type: 'string' },
      data_handling: { pii_processed: 'no' },
      bundle_base64: 'bm90IGEgYnVuZGxl',
    });
    const { status, body: refused } = await registerAgent(market, developer, body);
    const { detail } = refused as unknown as { detail: { loc: string[] }[] };
    expect(status).toBe(422);
    expect(detail.map(({ loc }) => loc.slice(1).join('.'))).toEqual(
      expect.arrayContaining([
        'input_schema.type',
        'output_schema',
        'bundle_base64',
        'data_handling.residency',
      ]),
    );
    const server = registration(agent.url, { input_schema: declared.input_schema });
    const mcp = { ...server, access_config: { ...(server['access_config'] as object), protocol: 'mcp' } };
    expect((await registerAgent(market, developer, mcp)).status).toBe(422);
  });
});
