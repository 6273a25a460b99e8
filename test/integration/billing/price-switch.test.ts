/**
 * Prices move only by version (specification, Versioning 5; security reference, T14): a call ends at the price, the
 * schemas and the endpoint of the version under which it started.
 */
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { newSlug } from '../../support/names';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import type { TestManifestOptions } from '../../support/agents/manifest';
import { request } from '../../support/catalogue/publishing';
import {
  balance,
  eventually,
  invoke,
  type InvokeReply,
  putLive,
  putVersion,
  register,
  type TestUser,
  topUp,
} from '../../support/market';
import { useMarket } from '../../support/use-market';
import { realTime } from '../../support/waits';

const CALLS = 100;

const market = useMarket();
let developer: TestUser;
let older: TestAgent;
let newer: TestAgent;

beforeAll(async () => {
  developer = await register(market, 'developer');
  older = await startAgent({ host: '127.77.0.2' });
  newer = await startAgent({ host: '127.77.0.3' });
});
afterAll(async () => {
  await Promise.all([older.stop(), newer.stop()]);
});

const NEW_SCHEMA = {
  type: 'object',
  required: ['question'],
  properties: { question: { type: 'string' } },
  additionalProperties: false,
};

it('ends 100 calls in flight at the terms they started with while a new version goes live', async () => {
  const buyer = await register(market, 'buyer', 10_000);
  const { agentId } = await putLive(market, developer.userId, older.url, { credits: 3, timeoutMs: 20_000 });
  let release = (): void => undefined;
  older.behave({ kind: 'waits', until: new Promise<void>((resolve) => (release = resolve)) });
  const running = Array.from({ length: CALLS }, (_, n) =>
    invoke(market, buyer, agentId, { input: { text: 'old', n } }),
  );
  await older.waitForDeliveries(CALLS, 20_000);
  await putVersion(market, agentId, newer.url, {
    version: '1.1.0',
    pricing: { model: 'per_token', credits_per_1k_tokens: '1000', max_credits_per_call: 50 },
    inputSchema: NEW_SCHEMA,
    outputSchema: NEW_SCHEMA,
  });
  expect(older.deliveries.filter(({ answered }) => answered)).toHaveLength(0);
  const asking = { input: { question: 'new?' }, max_cost_credits: 50 };
  const fresh = await Promise.all(Array.from({ length: 10 }, () => invoke(market, buyer, agentId, asking)));
  const refused = await invoke(market, buyer, agentId, { input: { text: 'old' } });
  release();
  const finished = await Promise.all(running);

  expect(finished.map(({ status }) => status)).toEqual(Array.from({ length: CALLS }, () => 200));
  finished.forEach((reply, n) => {
    expect(reply.body).toMatchObject({ output: { text: 'old', n }, usage: { credits_charged: 3 } });
  });
  const newPrice = fresh[0]?.body.usage?.credits_charged ?? 0;
  expect(newPrice).toBeGreaterThan(3);
  for (const reply of fresh) {
    const { usage, output } = reply.body;
    expect(output).toEqual({ question: 'new?' });
    expect(usage?.credits_charged).toBe((usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0));
  }
  expect([refused.status, refused.body.error?.code]).toEqual([422, 'input_schema_mismatch']);
  expect(older.deliveries.map(({ headers }) => headers['x-agent-version'])).toEqual(repeated('1.0.0', CALLS));
  expect(newer.deliveries.map(({ headers }) => headers['x-agent-version'])).toEqual(repeated('1.1.0', 10));
  expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(
    1_000_000 - (CALLS * 3 + 10 * newPrice) * 100,
  );
  expect(await versionsOf(agentId)).toEqual({ '1.0.0': CALLS, '1.1.0': 10 });
});

describe('a higher price of an agent with paid calls', () => {
  const perToken = (rate: string, most: number) =>
    ({ model: 'per_token', credits_per_1k_tokens: rate, max_credits_per_call: most }) as const;

  interface Shown {
    pricing: { credits_per_call?: number };
    next_pricing: { credits_per_call?: number } | null;
    price_effective_at: string | null;
  }
  const shown = async (buyer: TestUser, agentId: string) =>
    (await request<Shown>(market, buyer, 'GET', `/v1/listings/${agentId}`)).body;

  /** An agent that a new buyer has called once. */
  async function used(options: TestManifestOptions) {
    const buyer = await register(market, 'buyer', 10_000);
    const { agentId } = await putLive(market, developer.userId, newer.url, options);
    const first = await invoke(market, buyer, agentId, { input: { text: 'first' } });
    expect(first.status).toBe(200);
    const raise = (version: string, credits: number, priceNoticeMs = 60_000) =>
      putVersion(market, agentId, newer.url, { version, credits, priceNoticeMs });
    return { buyer, agentId, raise, first: first.body.usage?.credits_charged ?? 0 };
  }
  const call = async (buyer: TestUser, agentId: string, body: object = {}) => {
    const reply = await invoke(market, buyer, agentId, { input: { text: 'first' }, ...body });
    return { ...reply, credits: reply.body.usage?.credits_charged ?? reply.body.error?.code };
  };
  const receipt = async (buyer: TestUser, reply: InvokeReply) => {
    const path = `/v1/invocations/${reply.body.invocation_id}`;
    const { body } = await request<{ version: string; evidence: { offer: object } | null }>(market, buyer, 'GET', path);
    return body.evidence?.offer;
  }; // prettier-ignore
  const past = (at: string) =>
    eventually(async () => {
      const { rows } = await market.owner.query<{ past: boolean }>('SELECT now() >= $1 AS past', [at]);
      return rows[0]?.past === true;
    });

  it('counts from the announced second on, for calls that are accepted then', async () => {
    const { buyer, agentId } = await used({ credits: 3 });
    await putVersion(market, agentId, newer.url, { version: '1.1.0', credits: 5, priceNoticeMs: 1_200 });
    const listing = await shown(buyer, agentId);
    expect(listing).toMatchObject({
      pricing: { credits_per_call: 3 },
      next_pricing: { credits_per_call: 5 },
    });
    const before = await call(buyer, agentId, { max_cost_credits: 3 });
    expect(before.credits).toBe(3);
    expect(await receipt(buyer, before)).toMatchObject({ version: '1.1.0', price: { credits_per_call: 3 } });
    const at = listing.price_effective_at ?? '';
    expect(new Date(at).getMilliseconds()).toBe(0);
    const around: Promise<InvokeReply>[] = [];
    while (Date.now() < new Date(at).getTime() + 150) {
      around.push(invoke(market, buyer, agentId, { input: { text: 'around' } }));
      await realTime(40, 'calls before and behind the second');
    }
    around.push(invoke(market, buyer, agentId, { input: { text: 'around' } }));
    await Promise.all(around);
    const { rows } = await market.owner.query<{ late: boolean; units: string }>(
      `SELECT invoked_at >= $2 AS late, charged_units AS units FROM invocations
        WHERE agent_id = $1 AND version = '1.1.0' GROUP BY 1, 2 ORDER BY 1`,
      [agentId, at],
    );
    expect(rows).toEqual([
      { late: false, units: '300' },
      { late: true, units: '500' },
    ]);
    const after = await call(buyer, agentId);
    expect(await receipt(buyer, after)).toMatchObject({ price: { credits_per_call: 5 } });
    expect((await call(buyer, agentId, { max_cost_credits: 3 })).credits).toBe('max_cost_exceeded');
    expect(await shown(buyer, agentId)).toMatchObject({ next_pricing: null, price_effective_at: null });
  });

  it('leaves a metered call at the price by which it was held', async () => {
    const { buyer, agentId, first } = await used({ pricing: perToken('1000', 50) });
    const dearer = { version: '1.1.0', pricing: perToken('2000', 500), priceNoticeMs: 1_000 };
    await putVersion(market, agentId, newer.url, dearer);
    const { price_effective_at: at } = await shown(buyer, agentId);
    let release = (): void => undefined;
    newer.behave({ kind: 'waits', until: new Promise<void>((resolve) => (release = resolve)) });
    const delivered = newer.deliveries.length + 1;
    const held = call(buyer, agentId);
    await newer.waitForDeliveries(delivered, 5_000);
    await past(at ?? '');
    const late = call(buyer, agentId);
    await newer.waitForDeliveries(delivered + 1, 5_000);
    const { rows } = await market.owner.query<{ units: string }>(
      `SELECT price_units AS units FROM invocations WHERE agent_id = $1 AND status = 'running' ORDER BY invocation_id`,
      [agentId],
    );
    release();
    newer.behave({ kind: 'echo' });
    expect(rows).toEqual([{ units: '5000' }, { units: '50000' }]);
    expect([(await held).credits, (await late).credits]).toEqual([first, 2 * first]);
    expect(await receipt(buyer, await held)).toMatchObject({ price: { credits_per_1k_tokens: '1000' } });
    expect(await receipt(buyer, await late)).toMatchObject({ price: { credits_per_1k_tokens: '2000' } });
  });

  it('begins its notice again when it is replaced, and ends it when the price falls', async () => {
    const { buyer, agentId, raise } = await used({ credits: 3 });
    await raise('1.1.0', 5);
    const first = await shown(buyer, agentId);
    await raise('1.2.0', 4, 120_000);
    const second = await shown(buyer, agentId);
    expect(second).toMatchObject({ pricing: { credits_per_call: 3 }, next_pricing: { credits_per_call: 4 } });
    expect(new Date(second.price_effective_at ?? 0).getTime()).toBeGreaterThan(
      new Date(first.price_effective_at ?? 0).getTime() + 50_000,
    );
    await raise('1.3.0', 4, 500_000);
    expect((await shown(buyer, agentId)).price_effective_at).toBe(second.price_effective_at);
    expect((await call(buyer, agentId)).credits).toBe(3);
    await raise('1.4.0', 2);
    expect(await shown(buyer, agentId)).toMatchObject({
      pricing: { credits_per_call: 2 },
      next_pricing: null,
    });
    expect((await call(buyer, agentId)).credits).toBe(2);
    const changed = market.owner.query(
      `UPDATE agent_versions SET price_effective_at = now() WHERE agent_id = $1 AND version = '1.3.0'`,
      [agentId],
    );
    await expect(changed).rejects.toThrow('an announced price stays announced');
  });

  it('counts at once without paid calls of others', async () => {
    const { agentId } = await putLive(market, developer.userId, newer.url, { credits: 3 });
    await topUp(market.owner, developer.userId, 100);
    expect((await call(developer, agentId)).status).toBe(200);
    await putVersion(market, agentId, newer.url, { version: '1.1.0', credits: 5, priceNoticeMs: 60_000 });
    expect((await call(developer, agentId)).credits).toBe(5);
  });

  it('is announced once to each buyer of 30 days, also when a process ends in the middle', async () => {
    const { buyer, agentId, raise } = await used({ credits: 3 });
    await market.container.tallies.flush();
    await market.owner.query(
      `INSERT INTO buyer_days (agent_id, day, buyer_user_id, succeeded)
       SELECT $1, (now() AT TIME ZONE 'UTC')::date - d, format('usr_bench_%s_%s', $2::text, lpad(n::text, 4, '0')), 1
         FROM generate_series(1, 450) n, unnest(CASE WHEN n <= 50 THEN ARRAY[1, 2, 30] WHEN n > 440 THEN ARRAY[31] ELSE ARRAY[3] END) d`,
      [agentId, agentId],
    );
    await raise('1.1.0', 5);
    const turn = async () =>
      (await market.owner.query<{ read: number | null }>('SELECT price_rise_notify(200) AS read')).rows[0]
        ?.read;
    await market.owner.query('BEGIN');
    for (let turns = 0; turns < 8; turns += 1) await turn();
    await market.owner.query('ROLLBACK');
    await eventually(async () => {
      await market.container.priceNotices.send();
      const { rows } = await market.owner.query('SELECT FROM price_rises WHERE agent_id = $1 AND ended_at IS NOT NULL', [agentId]);
      return rows.length === 1;
    }); // prettier-ignore
    const { rows } = await market.owner.query<{ told: number; accounts: number; mails: number }>(
      `SELECT count(*)::int AS told, count(DISTINCT n.user_id)::int AS accounts, count(m.mail_id)::int AS mails
         FROM account_notices n LEFT JOIN notice_mails m ON m.notice_id = n.notice_id
        WHERE n.type = 'price.announced' AND n.agent_id = $1`,
      [agentId],
    );
    expect(rows).toEqual([{ told: 441, accounts: 441, mails: 441 }]);
    const { body } = await request<{ items: object[] }>(market, buyer, 'GET', '/v1/notices');
    expect(body.items).toMatchObject([
      {
        type: 'price.announced',
        subject_id: agentId,
        message: expect.stringMatching(
          /^The price of [a-z0-9-]+ rises\. Now: 3 credits a call\. From .* UTC: 5 credits a call\.$/,
        ) as string,
      },
    ]);
    expect((await request<{ items: object[] }>(market, developer, 'GET', '/v1/notices')).body.items).toEqual(
      [],
    );
  });
});

describe('a quote', () => {
  interface Quote {
    quote_id: string;
    version: string;
    price_credits?: number;
    ceiling_credits?: number;
    input_sha256: string;
    expires_at: string;
    signature: string;
  }
  const INPUT = { text: 'quoted' };
  const ask = async (buyer: TestUser, agentId: string, input: object = INPUT) =>
    request<Quote>(market, buyer, 'POST', `/v1/agents/${agentId}/quote`, { input });
  const quoted = async (buyer: TestUser, agentId: string) => (await ask(buyer, agentId)).body;
  const by = (buyer: TestUser, agentId: string, quoteId: string, input: object = INPUT) =>
    invoke(market, buyer, agentId, { input, quote_id: quoteId });
  const refusal = ({ status, body }: InvokeReply) => [status, body.error?.code, body.error?.message];
  const live = async (options: TestManifestOptions = {}) =>
    (await putLive(market, developer.userId, newer.url, { credits: 3, ...options })).agentId;
  const perToken = (rate: string, most: number) =>
    ({ model: 'per_token', credits_per_1k_tokens: rate, max_credits_per_call: most }) as const;
  let buyer: TestUser;
  beforeAll(async () => {
    buyer = await register(market, 'buyer', 10_000);
  });

  it('is signed, holds nothing, and checks the input as a call does', async () => {
    const agentId = await live({ pricing: perToken('1.5', 40) });
    const before = newer.deliveries.length;
    const poor = await register(market, 'buyer');
    const { status, body } = await ask(poor, agentId);
    const { signature, ...terms } = body;
    expect([status, terms]).toMatchObject([200, { ceiling_credits: 40, version: '1.0.0' }]);
    const keys = createLocalJWKSet((await (await fetch(`${market.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet);
    const verified = await compactVerify(signature, keys);
    expect(verified.protectedHeader.typ).toBe('quote+jws');
    expect(JSON.parse(Buffer.from(verified.payload).toString())).toEqual(terms);
    const hold = new Date(terms.expires_at).getTime() - Date.now();
    expect(hold).toBeGreaterThan(590_000);
    expect(hold).toBeLessThanOrEqual(600_000);
    expect((await ask(poor, agentId, { text: 5 })).status).toBe(422);
    expect((await ask(poor, 'agt_none_v1')).status).toBe(404);
    expect(newer.deliveries).toHaveLength(before);
    expect(refusal(await by(poor, agentId, terms.quote_id))[1]).toBe('insufficient_credits');
  }); // prettier-ignore

  it('keeps price, version and schemas across another version, and is named in the receipt', async () => {
    const agentId = await live();
    const first = await quoted(buyer, agentId);
    await putVersion(market, agentId, newer.url, { version: '1.1.0', credits: 9, inputSchema: NEW_SCHEMA });
    expect((await ask(buyer, agentId)).status).toBe(422);
    const reply = await by(buyer, agentId, first.quote_id);
    expect([reply.status, reply.body.usage?.credits_charged]).toEqual([200, 3]);
    const { body } = await request<{ version: string; evidence: { offer: object } }>(
      market,
      buyer,
      'GET',
      `/v1/invocations/${reply.body.invocation_id}`,
    );
    expect(body.version).toBe('1.0.0');
    expect(body.evidence.offer).toMatchObject({
      quote_id: first.quote_id,
      version: '1.0.0',
      price: { credits_per_call: 3 },
    });
  });

  it('keeps the former price behind the announced second', async () => {
    const agentId = await live();
    expect((await invoke(market, buyer, agentId, { input: INPUT })).status).toBe(200);
    await putVersion(market, agentId, newer.url, { version: '1.1.0', credits: 5, priceNoticeMs: 1 });
    const offers = [await quoted(buyer, agentId), await quoted(buyer, agentId)];
    await eventually(async () => (await quoted(buyer, agentId)).price_credits === 5);
    const reply = await by(buyer, agentId, offers[0]?.quote_id ?? '');
    expect([offers[1]?.price_credits, reply.body.usage?.credits_charged]).toEqual([3, 3]);
    const path = `/v1/invocations/${reply.body.invocation_id}`;
    const { body } = await request<{ evidence: { offer: object } }>(market, buyer, 'GET', path);
    expect(body.evidence.offer).toMatchObject({ version: '1.1.0', price: { credits_per_call: 3 } });
  });

  it('buys one call, also of many at once, and not one that failed', async () => {
    const agentId = await live();
    const { quote_id: quoteId } = await quoted(buyer, agentId);
    newer.behave({ kind: 'status', status: 500 });
    expect((await by(buyer, agentId, quoteId)).status).toBe(502);
    newer.behave({ kind: 'echo' });
    const replies = await Promise.all(Array.from({ length: 12 }, () => by(buyer, agentId, quoteId)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200))
      expect(refusal(reply)).toEqual([409, 'invalid_state', expect.stringContaining('has bought a call')]);
    const key = { 'Idempotency-Key': newSlug('key') };
    const again = await quoted(buyer, agentId);
    const once = () => invoke(market, buyer, agentId, { input: INPUT, quote_id: again.quote_id }, key);
    const [one, other] = [await once(), await once()];
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(other.body.invocation_id).toBe(one.body.invocation_id);
  });

  it('is refused in words: of another buyer, agent or input, expired, of an agent that left', async () => {
    const [agentId, otherId] = [await live(), await live()];
    const { quote_id: quoteId } = await quoted(buyer, agentId);
    const stranger = await register(market, 'buyer', 100);
    expect(refusal(await by(stranger, agentId, quoteId))).toEqual([422, 'validation_failed', expect.stringContaining('no quote of this account')]);
    expect(refusal(await by(buyer, otherId, quoteId))).toEqual([422, 'validation_failed', expect.stringContaining('another agent')]);
    expect(refusal(await by(buyer, agentId, quoteId, { text: 'other' }))).toEqual([422, 'validation_failed', expect.stringContaining('another input')]);
    expect((await by(buyer, agentId, 'quo_x')).status).toBe(422);
    await market.owner.query('UPDATE price_quotes SET expires_at = now() WHERE quote_id = $1', [quoteId]);
    expect(refusal(await by(buyer, agentId, quoteId))).toEqual([409, 'invalid_state', expect.stringContaining('has expired')]);
    const last = await quoted(buyer, agentId);
    await market.owner.query(`UPDATE agents SET status = 'retired' WHERE agent_id = $1`, [agentId]);
    expect(refusal(await by(buyer, agentId, last.quote_id)).slice(0, 2)).toEqual([404, 'not_found']);
  }); // prettier-ignore

  it('is taken by /use as a header', async () => {
    const agentId = await live();
    const { quote_id: quoteId } = await quoted(buyer, agentId);
    await putVersion(market, agentId, newer.url, { version: '1.1.0', credits: 9 });
    const { rows } = await market.owner.query<{ owner: string; slug: string }>(
      `SELECT u.developer_id AS owner, a.slug FROM agents a JOIN users u ON u.user_id = a.developer_user_id WHERE a.agent_id = $1`,
      [agentId],
    );
    const use = (id: string) =>
      fetch(`${market.url}/v1/agents/${rows[0]?.owner}/${rows[0]?.slug}/use`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: buyer.cookie, 'x-quote-id': id },
        body: JSON.stringify(INPUT),
      });
    expect((await use('quo_1')).status).toBe(400);
    expect(await (await use(quoteId)).json()).toMatchObject({ usage: { credits_charged: 3 } });
  });
});

function repeated<T>(value: T, times: number): T[] {
  return Array.from({ length: times }, () => value);
}

async function versionsOf(agentId: string): Promise<Record<string, number>> {
  const { rows } = await market.owner.query<{ version: string; calls: number }>(
    `SELECT version, count(*)::int AS calls FROM invocations WHERE agent_id = $1 AND status = 'succeeded' GROUP BY 1`,
    [agentId],
  );
  return Object.fromEntries(rows.map(({ version, calls }) => [version, calls]));
}
