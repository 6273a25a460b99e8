/** Attacks of a hostile client, page or token holder on OAuth (docs/oauth.md, RFC 9700), over plain HTTP. */
import { operations } from '../../../src/contract/operations';
import { createOauthClients } from '../../../src/services/oauth/oauth-clients';
import { putLive, register, type TestUser } from '../../support/market';
import { legacy } from '../../support/protocols/mcp';
import { bearer, tokenRequests } from '../../support/accounts/oauth-tokens';
import {
  authorizeAddress,
  csrfOf,
  nextOf,
  openBrowser,
  originOf,
  permit,
  pkce,
  post,
  type RawClient,
  registerClient,
  resourceOf,
} from '../../support/accounts/oauth';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
let developer: TestUser;
const agent = useAgent();
let buyer: TestUser;
let agentId: string;
let other: string;
let client: RawClient;
beforeAll(async () => {
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 }));
  ({ agentId: other } = await putLive(market, developer.userId, agent.url, { credits: 1 }));
  client = await registerClient(market);
});

const requests = () => tokenRequests({ market, buyer, client, agentId });
const obtainCode = (scope?: string) => requests().obtainCode(scope);
const obtainTokens = (scope?: string) => requests().obtainTokens(scope);
const listTools = (token: string, at = agentId) => legacy(market, null, at, 'tools/list', {}, bearer(token));
const worksAt = async (token: string, at = agentId) => (await listTools(token, at)).status;

describe('an access token', () => {
  it('is refused by the endpoint of another agent, with the address of the authorization server', async () => {
    const { access } = await obtainTokens();
    const answer = await listTools(access, other);
    expect(answer.status).toBe(401);
    const metadata = `${originOf(market)}/.well-known/oauth-protected-resource/mcp/a/${other}`;
    expect(answer.headers.get('www-authenticate')).toContain(
      `Bearer error="invalid_token", resource_metadata="${metadata}", scope="agents:invoke"`,
    );
  });

  it('is accepted at the MCP and A2A endpoints of its agent only, where an API key is no Bearer token', async () => {
    const { access } = await obtainTokens('agents:invoke agents:read billing:read webhooks:manage');
    const guarded = operations.filter(({ auth }) => auth !== 'public');
    const others = guarded.filter(
      ({ acceptsToken, path }) => acceptsToken === undefined || !path.includes('{agent_id}'),
    );
    for (const { id, auth, method, path } of others) {
      const url = market.url + path.replace('{agent_id}', agentId).replaceAll(/\{\w+\}/g, 'nothing');
      const response = await fetch(url, { method: method.toUpperCase(), headers: bearer(access) });
      // Public reads get the same answer as without the token, which has no meaning there.
      const isOpen = typeof auth === 'object' && auth.publicReads !== undefined;
      const expected = isOpen ? (await fetch(url, { method: method.toUpperCase() })).status : 401;
      expect([id, response.status]).toEqual([id, expected]);
    }
    const asKey = await fetch(`${market.url}/v1/listings`, { headers: { 'x-api-key': access } });
    expect(asKey.status).toBe(401);
    const key = await fetch(`${market.url}/v1/keys`, {
      method: 'POST',
      headers: { cookie: buyer.cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'k', scopes: ['agents:invoke'] }),
    });
    const { key: apiKey } = (await key.json()) as { key: string };
    expect(await worksAt(apiKey)).toBe(401);
  });

  it('ends alone when it is revoked, and with its grant when the refresh token is', async () => {
    const { access, refresh: token } = await obtainTokens();
    const revoke = (value: string, clientId = client.clientId) =>
      post(market, '/oauth/revoke', { token: value, client_id: clientId });
    const stranger = await registerClient(market);
    expect((await revoke(access, stranger.clientId)).status).toBe(200);
    expect(await worksAt(access)).toBe(200);
    expect((await revoke(access)).status).toBe(200);
    expect(await worksAt(access)).toBe(401);
    const next = await requests().refresh(token);
    expect(next.status).toBe(200);
    expect((await revoke(next.body['refresh_token'] as string)).status).toBe(200);
    expect(await worksAt(next.body['access_token'] as string)).toBe(401);
    expect((await revoke('nonsense')).status).toBe(200);
  });

  it('is in the database as its SHA-256 only', async () => {
    const form = await obtainCode();
    const { body } = await requests().redeem(form);
    const secrets = [form.code, body['access_token'] as string, body['refresh_token'] as string];
    for (const table of ['oauth_secrets', 'oauth_grants', 'oauth_clients', 'api_keys', 'api_key_secrets']) {
      const { rows } = await market.owner.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
      for (const secret of secrets) expect(rows.some(({ row }) => row.includes(secret.slice(4)))).toBe(false);
    }
  });
});

describe('the consent page', () => {
  const address = (more: Record<string, string | undefined> = {}, who = client) =>
    authorizeAddress(who, resourceOf(market, agentId), pkce().challenge, more);

  it('cannot be framed, runs no script, loads nothing and posts only to the service', async () => {
    const page = await openBrowser(market, buyer.cookie).open(address());
    expect(page.status).toBe(200);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.html).not.toMatch(/<script|\son[a-z]+=|javascript:/i);
    for (const text of ['Raw client', 'chat.example', 'Echo agent', agentId, 'Spending cap', buyer.email])
      expect(page.html).toContain(text);
  });

  it('grants nothing without its hidden token, with one of another request, or of another account', async () => {
    const browser = openBrowser(market, buyer.cookie);
    const here = address();
    const page = await browser.open(here);
    const elsewhere = csrfOf(await browser.open(address({ scope: 'agents:invoke billing:read' })));
    const stranger = await register(market, 'buyer');
    const theirs = csrfOf(await openBrowser(market, stranger.cookie).open(here));
    for (const csrf of ['', 'x', elsewhere ?? '', theirs ?? '']) {
      const answer = await browser.submit(page, here, { csrf, action: 'allow' });
      expect([csrf, answer.status]).toEqual([csrf, 403]);
      expect(answer.html).not.toContain('amc_');
    }
    expect((await openBrowser(market, buyer.cookie).submit(page, here, { action: 'allow' })).status).toBe(
      403,
    );
    const cross = await fetch(market.url + here, {
      method: 'POST',
      headers: { cookie: buyer.cookie, 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ action: 'allow' }),
    });
    expect(cross.status).toBe(403);
    expect((await browser.submit(page, here, { action: 'allow' })).status).toBe(200);
  });

  it('shows hostile names as text, without characters that hide what follows', async () => {
    const name = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>\u202Egnp.\u0000';
    const hostile = await registerClient(market, { client_name: name });
    const page = await openBrowser(market, buyer.cookie).open(address({}, hostile));
    expect(page.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img');
    expect(page.html).not.toMatch(/<script|<img|\u202E/);
    expect(page.html).not.toContain('\u0000');
    const state = '"><script>alert(2)</script>';
    const again = await openBrowser(market, buyer.cookie).open(address({ state }));
    expect(again.html).not.toContain('<script');
  });

  it('never redirects without a decision, whatever is wrong with the request', async () => {
    const browser = openBrowser(market, buyer.cookie);
    const wrong: Record<string, string | undefined>[] = [
      { client_id: 'ocl_00000000000000000000000000000000' },
      { client_id: undefined },
      { client_id: '\0' },
      { client_id: `ocl_${'0'.repeat(31)}\0` },
      { client_id: 'https://chat.example/\0' },
      { state: 'a\0b' },
      { redirect_uri: 'https://chat.example/callback\n' },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: 'https://chat.example/callback/../evil' },
      { redirect_uri: 'https://chat.example/callback?x=1' },
      { redirect_uri: 'https://chat.example:444/callback' },
      { redirect_uri: undefined },
      { response_type: 'token' },
      { response_mode: 'fragment' },
      { code_challenge: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge_method: undefined },
      { resource: undefined },
      { resource: 'https://elsewhere.example/mcp/a/x' },
      { resource: `${originOf(market)}/mcp/a/agt_nobody_v1` },
      { scope: 'openid' },
      { prompt: 'none' },
      { request_uri: 'https://evil.example/request' },
    ];
    for (const change of wrong) {
      const page = await browser.open(address(change));
      expect([change, page.status, page.headers.get('location')]).toEqual([change, 400, null]);
      expect(page.html).not.toContain('http-equiv="refresh"');
      expect(page.html).not.toContain('evil.example');
    }
  });

  it('signs a person in, keeps the request, and sends a refusal to the client', async () => {
    const browser = openBrowser(market);
    const here = address();
    const page = await browser.open(here);
    expect(page.html).toContain('Sign in');
    const wrong = await browser.submit(page, here, { action: 'sign_in', email: buyer.email, password: 'no' });
    expect([wrong.status, csrfOf(wrong) !== undefined]).toEqual([401, true]);
    const right = { action: 'sign_in', email: buyer.email, password: 'correct horse battery' };
    const signedIn = await browser.submit(wrong, here, right);
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, here]);
    const question = await browser.open(here);
    expect(question.html).toContain(buyer.email);
    const bad = await browser.submit(question, here, { action: 'allow', credit_cap: '1.5' });
    expect([bad.status, bad.html.includes('whole number')]).toEqual([422, true]);
    const back = nextOf(await browser.submit(question, here, { action: 'deny' }));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'xyz',
      iss: originOf(market),
    });
    const switched = await browser.submit(question, here, { action: 'switch' });
    expect(switched.status).toBe(303);
    expect((await browser.open(here)).html).toContain('Sign in');
  });
});

describe('a registration', () => {
  it.each([
    ['http on another host', ['http://chat.example/cb']],
    ['a script', ['javascript:alert(1)']],
    ['a data address', ['data:text/html,x']],
    ['a fragment', ['https://chat.example/cb#x']],
    ['a password', ['https://user:pass@chat.example/cb']],
    ['no address', []],
    ['eleven addresses', Array.from({ length: 11 }, (_, n) => `https://chat.example/${n}`)],
    ['a relative address', ['/callback']],
    ['a loopback host in a name', ['http://127.0.0.1.evil.example/cb']],
    ['a scheme of 400 letters', [`${'a'.repeat(400)}:/cb`]],
    ['a host of 309 letters', [`https://${'a'.repeat(301)}.example/cb`]],
    ['null', null],
  ])('is refused with %s', async (_what, redirect_uris) => {
    const { status, body } = await post(market, '/oauth/register', { redirect_uris }, 'json');
    expect([status, body['error']]).toEqual([400, 'invalid_redirect_uri']);
  });

  it('takes members that are null as omitted', async () => {
    const metadata = { client_name: null, grant_types: null, response_types: null, scope: null };
    const { clientId } = await registerClient(market, metadata);
    expect(clientId).toMatch(/^ocl_/);
  });

  it('keeps the own query of a redirect address, byte for byte', async () => {
    const redirectUri = 'https://chat.example/cb?x=a%20b&state=1&y=%2f';
    const withQuery = await registerClient(market, { redirect_uris: [redirectUri] });
    const resource = resourceOf(market, agentId);
    const address = authorizeAddress(withQuery, resource, pkce().challenge);
    for (const [action, first] of [
      ['allow', 'code'],
      ['deny', 'error'],
    ]) {
      const back = await permit(market, buyer, address, { action: action ?? '' });
      expect(back.href.startsWith(`${redirectUri}&${first}=`)).toBe(true);
    }
  });

  it('takes any port of a loopback address, and nothing else that differs', async () => {
    const native = await registerClient(market, {
      redirect_uris: ['http://127.0.0.1/callback', 'cursor://app/cb'],
    });
    const statusFor = async (redirect_uri: string) => {
      const { challenge } = pkce();
      const resource = resourceOf(market, agentId);
      return (
        await openBrowser(market, buyer.cookie).open(
          authorizeAddress(native, resource, challenge, { redirect_uri }),
        )
      ).status;
    };
    expect(await statusFor('http://127.0.0.1:5/callback')).toBe(200);
    expect(await statusFor('cursor://app/cb')).toBe(200);
    for (const uri of [
      'http://localhost:5/callback',
      'http://127.0.0.1:5/other',
      'https://127.0.0.1:5/callback',
      'http://127.0.0.1:5@evil.example/callback',
      `http://127.0.0.1:${'0'.repeat(2_100)}5/callback`,
      'http://127.0.0.1:5/call\tback',
      'cursor://app/other',
    ])
      expect([uri, await statusFor(uri)]).toEqual([uri, 400]);
  });

  it('issues no client secret, whatever a client requests', async () => {
    const metadata = {
      redirect_uris: ['https://chat.example/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
    };
    const { status, body } = await post(market, '/oauth/register', metadata, 'json');
    expect([status, body['token_endpoint_auth_method']]).toEqual([201, 'none']);
    expect(body).not.toHaveProperty('client_secret');
  });
});

describe('very many registrations', () => {
  const unused = async () => {
    const { rows } = await market.owner.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM oauth_clients WHERE used_at IS NULL',
    );
    return rows[0]?.n ?? 0;
  };

  it('keep 10,000 unused clients at most, and the newest of them', async () => {
    await market.owner.query(
      `INSERT INTO oauth_clients (client_id, name, redirect_uris, created_at)
       SELECT 'ocl_' || lpad(to_hex(n), 32, '0'), 'flood', '{https://flood.example/}', now() - interval '1 hour'
         FROM generate_series(1, 10050) n`,
    );
    const { clientId } = await registerClient(market);
    expect(await unused()).toBe(10_000);
    const { rows } = await market.owner.query('SELECT FROM oauth_clients WHERE client_id = $1', [clientId]);
    expect(rows).toHaveLength(1);
  });

  it('are deleted after a day, in batches, except clients that an account uses', async () => {
    await market.owner.query(`UPDATE oauth_clients SET created_at = now() - interval '25 hours'`);
    expect(await market.container.oauthClients.purge(1_000)).toBe(1_000);
    await market.owner.query(`DELETE FROM oauth_clients WHERE name = 'flood'`);
    await market.container.oauthClients.purge(1_000);
    expect(await unused()).toBe(0);
    expect(await market.container.oauthClients.isKnown(client.clientId)).toBe(true);
  });

  it('are counted for each address', async () => {
    const { pool, egress, rateLimits } = market.container;
    const clients = createOauthClients({ pool, egress, rateLimits, registrationsPerAddress: 2 });
    const attempt = (network: string) => clients.register({ redirect_uris: ['https://a.example/'] }, network);
    const network = `test ${buyer.userId}`;
    await attempt(network);
    await attempt(network);
    await expect(attempt(network)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(attempt(`${network} 2`)).resolves.toMatchObject({ name: 'Unnamed client' });
  });
});

describe('the purge', () => {
  it('deletes ended codes and tokens and ends expired grants, a few at a time', async () => {
    const { access } = await obtainTokens();
    await obtainCode();
    await market.owner.query(
      `UPDATE oauth_secrets SET purge_at = now() - interval '1 s' WHERE kind = 'access'`,
    );
    await market.owner.query(
      `UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE kind = 'oauth' AND user_id = $1`,
      [buyer.userId],
    );
    expect(await worksAt(access)).toBe(401);
    expect(await market.container.oauthGrants.purge(1)).toBeLessThanOrEqual(2);
    while ((await market.container.oauthGrants.purge(1_000)) > 0);
    const { rows } = await market.owner.query(
      `SELECT FROM api_keys WHERE kind = 'oauth' AND deleted_at IS NULL AND user_id = $1`,
      [buyer.userId],
    );
    expect(rows).toHaveLength(0);
  });

  it('lets an account have 50 grants and no more', async () => {
    for (let made = 0; made < 50; made += 1) await obtainCode();
    const address = authorizeAddress(client, resourceOf(market, agentId), pkce().challenge);
    const browser = openBrowser(market, buyer.cookie);
    const answer = await browser.submit(await browser.open(address), address, { action: 'allow' });
    expect([answer.status, answer.html.includes('at most 50 grants')]).toEqual([409, true]);
  });
});
