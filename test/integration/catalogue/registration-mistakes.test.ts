import { testManifest } from '../../support/agents/manifest';
import { startAgent } from '../../support/agents/test-agent';
import { keptMarket } from '../../support/kept-market';
import { register, type TestMarket } from '../../support/market';
import {
  places,
  publish,
  registerDeveloper,
  request,
  type TestDeveloper,
} from '../../support/catalogue/publishing';
import {
  registerAgent,
  registerLive,
  registration,
  untilVersions,
} from '../../support/catalogue/registrations';
import { useMarket } from '../../support/use-market';

const URL = 'https://127.77.0.1:9443';
const PAY_TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** Its worker does not run, so no registration is verified: most tests only read what the API answers. */
const market = useMarket({ operations: false });
let developer: TestDeveloper;

beforeAll(async () => {
  developer = await registerDeveloper(market);
});

describe('the right to register', () => {
  it('belongs to a developer who has paid the fee, in a session', async () => {
    const buyer = await register(market, 'buyer');
    const unpaid = await register(market, 'developer');
    const replies = [
      await registerAgent(market, { cookie: '' }, registration(URL)),
      await registerAgent(market, buyer, registration(URL)),
      await registerAgent(market, unpaid, registration(URL)),
    ];
    expect(replies.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [401, 'not_authenticated'],
      [403, 'forbidden'],
      [403, 'registration_required'],
    ]);
  });

  it('belongs to a key with the scope agents:publish, whose account is the owner', async () => {
    const byKey = async (scopes: string[], body: unknown) => {
      const key = await request<{ key: string }>(market, developer, 'POST', '/v1/keys', {
        name: 'ci',
        scopes,
      });
      const response = await fetch(`${market.url}/v1/agents/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key.body.key },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect(await byKey(['agents:publish'], registration(URL))).toMatchObject({
      status: 201,
      body: { owner: developer.developerId },
    });
    expect(await byKey(['agents:read'], registration(URL))).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    });
  });

  it('does not depend on an owner in the body', async () => {
    const reply = await registerAgent(market, developer, registration(URL, { owner: 'dev_somebody-else' }));
    expect(reply.status).toBe(422);
    expect(places(reply)).toEqual(['owner']);
  });
});

describe('a slug', () => {
  it('belongs to one developer and one agent, published or registered', async () => {
    const rival = await registerDeveloper(market);
    const published = await publish(market, developer, testManifest(URL, { agentId: 'by-manifest' }));
    expect(published.status).toBe(201);
    expect((await registerAgent(market, developer, registration(URL, { slug: 'by-endpoint' }))).status).toBe(
      201,
    );
    const conflicts = [
      await registerAgent(market, rival, registration(URL, { slug: 'by-endpoint' })),
      await registerAgent(market, developer, registration(URL, { slug: 'by-endpoint' })),
      await registerAgent(market, developer, registration(URL, { slug: 'by-manifest' })),
      await publish(market, developer, testManifest(URL, { agentId: 'by-endpoint', version: '1.2.0' })),
      await publish(market, developer, testManifest(URL, { agentId: 'by-endpoint', version: '2.0.0' })),
    ];
    expect(conflicts.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [409, 'slug_taken'],
      [409, 'slug_taken'],
      [409, 'slug_taken'],
      [409, 'invalid_state'],
      [409, 'invalid_state'],
    ]);
  });

  it('is given to one of eight who ask for it at once', async () => {
    const body = registration(URL);
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => registerAgent(market, developer, body)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 409),
    ]);
  });
});

describe('a registration with mistakes', () => {
  it('gets all of them in one answer', async () => {
    const reply = await registerAgent(market, developer, {
      slug: 'Not A Slug',
      name: '',
      vertical: 'v'.repeat(65),
      icon_url: 'http://icons.example.com/x.png',
      access_config: { endpoint_url: 'https://127.0.0.1/', protocol: 'soap', price_per_call_units: 0.5 },
      upstream_auth: { header: 'Host', key: 'x', note: 'y' },
      x402: { price_usd: 0.0000001, pay_to: 'me' },
      trust_score: 100,
    });
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
    expect(places(reply)).toEqual([
      'access_config.endpoint_url',
      'access_config.price_per_call_units',
      'access_config.protocol',
      'icon_url',
      'name',
      'slug',
      'trust_score',
      'upstream_auth.header',
      'upstream_auth.note',
      'vertical',
      'x402',
      'x402.pay_to',
      'x402.price_usd',
    ]);
  });

  it.each([
    ['nothing', {}],
    ['a list', []],
    ['wrong kinds throughout', { slug: 1, name: [], access_config: 'x', upstream_auth: 3, x402: [] }],
  ])('is refused when it is %s', async (_what, body) => {
    const reply = await registerAgent(market, developer, body);
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
  });

  const price = (value: unknown) => ({ access_config: { endpoint_url: URL, price_per_call_units: value } });
  const usd = (value: unknown, payTo: unknown = PAY_TO) => ({
    access_config: { endpoint_url: URL },
    x402: { price_usd: value, pay_to: payTo },
  });
  const auth = (header: unknown, key: unknown = 'hush-hush-0123456789') => ({
    upstream_auth: { header, key },
  });

  it.each([
    ['1 unit', price(1), 1],
    ['100 units', price(100), 1],
    ['101 units', price(101), 2],
    ['the highest price', price(10_000_000), 100_000],
    ['a millionth of a dollar', usd(0.000001), 1],
    ['7 cents', usd(0.07), 7],
    ['1.1 cents', usd(0.011), 2],
    ['0.29 dollars', usd(0.29), 29],
    ['1.15 dollars', usd(1.15), 115],
    ['1000 dollars', usd(1_000), 100_000],
    ['a lower-case address', usd(0.5, PAY_TO.toLowerCase()), 50],
    ['any safe header', auth('X-My.Key_1~'), 3],
    ['Authorization', auth('Authorization', 'Bearer 0123456789abcdef'), 3],
    ['a cookie', auth('Cookie', 'a=0123456789abcdef'), 3],
    ['an empty key', { upstream_auth: { key: '' } }, 3],
  ])('is refused for %s', async (_what, changes, credits) => {
    const reply = await registerAgent(market, developer, registration(URL, changes));
    expect(reply.body).toMatchObject({ price_credits: credits });
    expect(reply.status).toBe(201);
  });

  it.each([
    ['no price', { access_config: { endpoint_url: URL } }, 'access_config.price_per_call_units'],
    ['two prices', { ...price(100), x402: { price_usd: 1, pay_to: PAY_TO } }, 'x402'],
    ['0 units', price(0), 'access_config.price_per_call_units'],
    ['10,000,001 units', price(10_000_001), 'access_config.price_per_call_units'],
    ['units as text', price('100'), 'access_config.price_per_call_units'],
    ['7 decimals', usd(0.0000015), 'x402.price_usd'],
    ['less than a millionth', usd(1e-7), 'x402.price_usd'],
    ['17 decimals', usd(0.1 + 0.2), 'x402.price_usd'],
    ['0 dollars', usd(0), 'x402.price_usd'],
    ['1000.01 dollars', usd(1_000.01), 'x402.price_usd'],
    ['dollars as text', usd('0.5'), 'x402.price_usd'],
    ['no pay_to', { access_config: { endpoint_url: URL }, x402: { price_usd: 1 } }, 'x402.pay_to'],
    ['a wrong checksum', usd(1, PAY_TO.replace('5aA', '5aa')), 'x402.pay_to'],
    ['the zero address', usd(1, `0x${'0'.repeat(40)}`), 'x402.pay_to'],
    ['a header of framing', auth('Content-Length'), 'upstream_auth.header'],
    ['a header of ours', auth('webhook-signature'), 'upstream_auth.header'],
    ['a proxy header', auth('Proxy-Authorization'), 'upstream_auth.header'],
    ['a header with a space', auth('X Key'), 'upstream_auth.header'],
    ['a header with a line break', auth('X-Key\r\nHost'), 'upstream_auth.header'],
    ['a header of 129', auth('x'.repeat(129)), 'upstream_auth.header'],
    ['no header', { upstream_auth: { key: 'hush-hush-0123456789' } }, 'upstream_auth.header'],
    ['a key with a line break', auth('X-Key', 'a\r\nHost: b'), 'upstream_auth.key'],
    ['a key of 8193', auth('X-Key', 'k'.repeat(8_193)), 'upstream_auth.key'],
    ['a key that is not Latin-1', auth('X-Key', 'ключ'), 'upstream_auth.key'],
    ['a blank key', auth('X-Key', ' '), 'upstream_auth.key'],
    ['a key of 15 characters', auth('X-Key', 'Bearer hush-hush-01234'), 'upstream_auth.key'],
    ['slug of 65', { slug: 'a'.repeat(65) }, 'slug'],
    ['slug with underscore', { slug: 'a_b' }, 'slug'],
    ['NUL in the name', { name: 'a\0b' }, 'name'],
    ['a blank name', { name: '   ' }, 'name'],
    ['a blank vertical', { vertical: ' ' }, 'vertical'],
    ['no vertical but null', { vertical: null }, 'vertical'],
  ])('is not refused for %s', async (_what, changes, place) => {
    const reply = await registerAgent(market, developer, registration(URL, changes));
    expect(reply.status).toBe(422);
    expect(places(reply)).toEqual([place]);
    expect(JSON.stringify(reply.body)).not.toContain('hush');
  });
});

describe('verification of an endpoint without schemas', () => {
  let verifying: TestMarket;
  let seller: TestDeveloper;

  beforeAll(async () => {
    verifying = await keptMarket();
    seller = await registerDeveloper(verifying);
  });
  afterAll(() => verifying.stop());

  it('accepts an agent that refuses the blank input', async () => {
    const strict = await startAgent({ behaviour: { kind: 'status', status: 422 } });
    await registerLive(verifying, seller, registration(strict.url));
    expect(strict.deliveries[0]?.body.toString()).toBe('{}');
    await strict.stop();
  });

  it.each([
    [401, '. The endpoint refuses our credential: check header and key of upstream_auth.'],
    [404, ''],
    [500, ''],
  ])('rejects one that answers %i, with a reason that does not quote the answer', async (status, advice) => {
    const failing = await startAgent({ behaviour: { kind: 'status', status } });
    const { body } = await registerAgent(verifying, seller, registration(failing.url));
    const [version] = await untilVersions(verifying, seller, body.agent_id, { '1.0.0': 'rejected' });
    expect(version?.reject_reason).toBe(`Probe 1 failed with agent_error (HTTP status ${status})${advice}`);
    const buyer = await register(verifying, 'buyer');
    expect((await request(verifying, buyer, 'GET', `/v1/listings/${body.agent_id}`)).status).toBe(404);
    await failing.stop();
  });
});
