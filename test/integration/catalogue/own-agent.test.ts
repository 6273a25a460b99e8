/** What a developer does with an own agent: a new signing secret, a preview, and the reason of a suspension. */
import { createHmac } from 'node:crypto';
import { createServingVersions } from '../../../src/services/catalogue/serving-version-cache';
import { sandboxMails } from '../../support/accounts/mails';
import type { Delivery } from '../../support/agents/behaviours';
import { testManifest } from '../../support/agents/manifest';
import { publish, registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import { invoke, putLive, register, type TestUser } from '../../support/market';
import { newSlug } from '../../support/names';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket({ operations: false });
const agent = useAgent();
let developer: TestDeveloper;
let buyer: TestUser;

beforeAll(async () => {
  [developer, buyer] = await Promise.all([registerDeveloper(market), register(market, 'buyer', 1_000)]);
});

interface Secrets {
  signing_secret: string;
  previous_secret_expires_at: string | null;
}

const own = (id: string, path = '') => `/v1/developer/agents/${id}${path}`;
const read = async (id: string) => (await request<Secrets>(market, developer, 'GET', own(id))).body;
const rotate = (id: string, body: object = {}, user: TestUser = developer) =>
  request<Secrets>(market, user, 'POST', own(id, '/rotate-signing-secret'), body);

/** What the agent received for its newest call: each signature by the secret that made it. */
function signers(delivery: Delivery | undefined, secrets: readonly string[]): string[] {
  const header = (name: string) => String(delivery?.headers[name]);
  const made = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
      .update(`${header('webhook-id')}.${header('webhook-timestamp')}.`)
      .update(delivery?.body ?? '')
      .digest('base64');
  return header('webhook-signature')
    .split(' ')
    .map((signature) => secrets.find((secret) => signature === `v1,${made(secret)}`) ?? signature);
}

describe('a rotated signing secret', () => {
  const call = async (id: string) => {
    expect((await invoke(market, buyer, id, { input: { text: 'signed' } })).status).toBe(200);
    return agent.deliveries.at(-1);
  };

  it('signs calls beside the one before, until the grace period ends', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const before = (await read(agentId)).signing_secret;
    const { status, body } = await rotate(agentId);
    expect(status).toBe(200);
    expect(body.signing_secret).toMatch(/^whsec_/);
    const expected = Date.now() + 86_400_000;
    expect(Math.abs(Date.parse(body.previous_secret_expires_at ?? '') - expected)).toBeLessThan(60_000);
    expect(await read(agentId)).toMatchObject(body);
    expect(signers(await call(agentId), [before, body.signing_secret])).toEqual([
      body.signing_secret,
      before,
    ]);

    const mails = sandboxMails(market.owner);
    const sent = (await mails.to(developer.email)).find(({ text }) => text.includes(agentId));
    expect(sent?.subject).toBe('The signing secret of an agent was changed');
    mails.close();
  });

  it('signs alone without a grace period, and three sign at most', async () => {
    const { agentId } = await putLive(market, developer.userId, agent.url);
    for (let count = 0; count < 2; count += 1) expect((await rotate(agentId)).status).toBe(200);
    expect((await rotate(agentId)).body).toMatchObject({ error: { code: 'invalid_state' } });
    const { body } = await rotate(agentId, { grace_seconds: 0 });
    expect(body.previous_secret_expires_at).toBeNull();
    expect(signers(await call(agentId), [body.signing_secret])).toEqual([body.signing_secret]);
  });

  it('reaches a process that has called the agent before', async () => {
    const { agentId, versionId } = await putLive(market, developer.userId, agent.url);
    let now = 0;
    const versions = createServingVersions({ db: market.owner, now: () => now });
    const sealed = async () => (await versions.byId(versionId)).sealedSigningSecret.toString('hex');
    await versions.ofAgent(agentId, undefined);
    const before = await sealed();
    await rotate(agentId);
    expect(await sealed()).toBe(before);
    expect(versions.lately(agentId)).toBeDefined();
    now = 30_000;
    expect(versions.lately(agentId)).toBeUndefined();
    expect(await sealed()).not.toBe(before);
  });

  it('keeps the proof of ownership, and belongs to the developer', async () => {
    const { body: made } = await request(market, developer, 'POST', '/v1/agents/register', {
      slug: newSlug('owned'),
      name: 'Owned',
      access_config: { endpoint_url: agent.url, price_per_call_units: 100 },
      submit: false,
    });
    const agentId = String(made['agent_id']);
    const tokenOf = async () => {
      const { body } = await request<{ ownership: { token: string } | null }>(
        market,
        developer,
        'GET',
        own(agentId),
      );
      return body.ownership?.token;
    };
    const token = await tokenOf();
    expect(token).toBeDefined();
    await rotate(agentId);
    expect(await tokenOf()).toBe(token);
    expect((await rotate(agentId, {}, await registerDeveloper(market))).status).toBe(404);
    expect((await rotate(agentId, { grace_seconds: -1 })).status).toBe(422);
  });
});

it('shows the developer an agent as buyers will see it, before they do', async () => {
  const manifest = testManifest(agent.url, { agentId: newSlug('preview'), jobs: { max_seconds: 2_400 } });
  const { body: made } = await publish(market, developer, manifest, { submit: false });
  const id = String(made['agent_id']);
  expect((await request(market, developer, 'GET', `/v1/listings/${id}`)).status).toBe(404);
  const { status, body } = await request(market, developer, 'GET', own(id, '/preview'));
  expect(status).toBe(200);
  expect(body).toMatchObject({
    agent_id: id,
    display_name: manifest.display_name,
    version: '1.0.0',
    capabilities: { jobs: { max_seconds: 2_400, heartbeat_seconds: 300 } },
  });
  expect(JSON.stringify(body)).not.toContain(agent.url);
  const other = await registerDeveloper(market);
  expect((await request(market, other, 'GET', own(id, '/preview'))).status).toBe(404);
});

it('shows the fields of a schema as they were written, and the inputs of the examples', async () => {
  const written = { zone: { type: 'string' }, amount: { type: 'integer' }, mode: { type: 'string' } };
  const manifest = {
    ...testManifest(agent.url, { agentId: newSlug('order') }),
    input_schema: { type: 'object', properties: written, examples: [{ zone: 'b' }] },
    output_schema: { type: 'object' },
    examples: [{ input: { zone: 'a', amount: 1 }, output: {} }, { input: { zone: 'b' } }],
  };
  const { body: made } = await publish(market, developer, manifest, { submit: false });
  expect(made).toMatchObject({ status: 'draft' });
  const { body } = await request<{ input_schema: typeof manifest.input_schema; examples: unknown[] }>(
    market,
    developer,
    'GET',
    own(String(made['agent_id']), '/preview'),
  );
  expect(Object.keys(body.input_schema.properties)).toEqual(['zone', 'amount', 'mode']);
  expect(body.examples).toEqual([{ zone: 'a', amount: 1 }, { zone: 'b' }]);
  const { body: same } = await publish(market, developer, manifest, { submit: false });
  expect(same).toEqual(made);
});

it('shows the developer why an operator has suspended an agent, and how it looks meanwhile', async () => {
  const operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  const { agentId } = await putLive(market, developer.userId, agent.url);
  const reason = 'It answers with the data of other buyers.';
  await request(market, operator, 'POST', `/v1/operator/agents/${agentId}/suspend`, { reason });
  const { body } = await request<{ reasons: object[] }>(
    market,
    developer,
    'GET',
    own(agentId, '/visibility'),
  );
  expect(body.reasons).toContainEqual(expect.objectContaining({ code: 'suspended', statement: reason }));
  expect((await request(market, developer, 'GET', own(agentId, '/preview'))).status).toBe(200);
});

it('says what the marketplace costs to every account, and to the owner why a wallet is frozen', async () => {
  expect((await fetch(`${market.url}/v1/marketplace`)).status).toBe(401);
  const costs = await request(market, buyer, 'GET', '/v1/marketplace');
  const methods = (costs.body as unknown as { payout_methods: { method: string }[] }).payout_methods;
  expect(methods.map(({ method }) => method)).toEqual(['ach', 'swift', 'upi']); // USDC is off in this market
  expect(methods[2]).toEqual({
    method: 'upi',
    currency: 'INR',
    minimum_credits: 500,
    fee_credits: 0,
    conversion_percent: 0.5,
    processing_time: 'same day',
  });
  expect(costs.body).toMatchObject({
    registration_fee_credits: 1_000,
    top_up: {
      sandbox: true,
      currencies: [
        { currency: 'INR', credits_per_major: 1 },
        { currency: 'USD', credits_per_major: 100 },
      ],
    },
  });
  const frozen = async () =>
    (await request<{ wallet_frozen: unknown }>(market, buyer, 'GET', '/v1/auth/security')).body.wallet_frozen;
  expect(await frozen()).toBeNull();
  await market.owner.query('SELECT wallet_set_frozen($1, true)', [buyer.userId]);
  expect(await frozen()).toMatchObject({ cause: 'operator', owed_credits: 0 });
});
