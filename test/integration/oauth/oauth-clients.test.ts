/** The official MCP client connects by OAuth: it knows the address of an agent and nothing else (docs/oauth.md). */
import { auth, Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { type OauthRouteDeps, oauthRoutes } from '../../../src/api/routes/oauth';
import { startAgent } from '../../support/agents/test-agent';
import { startTestApi } from '../../support/stack/api';
import { balance, putLive, register, type TestUser } from '../../support/market';
import {
  authorizeAddress,
  openBrowser,
  originOf,
  permit,
  pkce,
  registerClient,
  resourceOf,
  TestProvider,
  throughOrigin,
} from '../../support/accounts/oauth';
import { request } from '../../support/catalogue/publishing';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
let developer: TestUser;
const agent = useAgent();
beforeAll(async () => {
  developer = await register(market, 'developer');
});

type Mode = 'legacy' | { pin: string };

function transportFor(agentId: string, provider: TestProvider) {
  return new StreamableHTTPClientTransport(new URL(resourceOf(market, agentId)), {
    authProvider: provider,
    fetch: throughOrigin(market),
  });
}

async function connect(mode: Mode, agentId: string, provider: TestProvider): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transportFor(agentId, provider));
  return client;
}

/** From no credentials to tokens: discovery, registration, consent, code, token. */
async function authorize(mode: Mode, agentId: string, buyer: TestUser, fields = {}): Promise<TestProvider> {
  const provider = new TestProvider();
  await expect(connect(mode, agentId, provider)).rejects.toThrow(UnauthorizedError);
  const back = await permit(market, buyer, provider.asked ?? '', fields);
  expect([back.origin, back.pathname, back.searchParams.get('state')]).toEqual([
    'http://127.0.0.1:41999',
    '/callback',
    'a state',
  ]);
  const transport = transportFor(agentId, provider);
  await transport.finishAuth(back.searchParams);
  return provider;
}

interface Grant {
  grant_id: string;
  client_name: string;
  credit_cap: number | null;
  spent_credits: number;
  last_used_at: string | null;
}
const grantsOf = async (buyer: TestUser) =>
  (await request<{ items: Grant[]; total: number }>(market, buyer, 'GET', '/v1/oauth/grants')).body;

const modes: [string, Mode][] = [
  ['legacy', 'legacy'],
  ['modern', { pin: '2026-07-28' }],
];

describe.each(modes)('a client of the era: %s', (_name, mode) => {
  it('goes from no credentials to paid calls, and is held to the cap of its grant', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const provider = await authorize(mode, agentId, buyer, { credit_cap: '10' });
    const client = await connect(mode, agentId, provider);
    const result = await client.callTool({ name: 'invoke', arguments: { text: 'hello' } });
    expect(result).toMatchObject({
      structuredContent: { text: 'hello' },
      _meta: { 'io.market/credits_charged': 7 },
    });
    const refused = await client.callTool({ name: 'invoke', arguments: { text: 'again' } });
    expect(refused).toMatchObject({
      isError: true,
      _meta: { 'io.market/error_code': 'credit_cap_exceeded' },
    });
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_300);
    await client.close();
    const { items } = await grantsOf(buyer);
    expect(items).toEqual([
      expect.objectContaining({
        client_name: 'Test chat',
        redirect_host: '127.0.0.1',
        agent_id: agentId,
        scopes: ['agents:invoke'],
        credit_cap: 10,
        spent_credits: 7,
      }),
    ]);
    const keys = await request<{ total: number }>(market, buyer, 'GET', '/v1/keys');
    expect(keys.body.total).toBe(0);
  });

  it('refreshes an expired token by itself, and starts anew when its grant is revoked', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 });
    const provider = await authorize(mode, agentId, buyer);
    const first = provider.stored;
    await market.owner.query(
      `UPDATE oauth_secrets SET expires_at = now() - interval '1 second' WHERE kind = 'access' AND grant_id =
         (SELECT grant_id FROM oauth_grants WHERE user_id = $1)`,
      [buyer.userId],
    );
    const client = await connect(mode, agentId, provider);
    await client.callTool({ name: 'invoke', arguments: { text: 'hello' } });
    expect(provider.stored?.access_token).not.toBe(first?.access_token);
    expect(provider.stored?.refresh_token).not.toBe(first?.refresh_token);
    expect(provider.stored?.expires_in).toBeGreaterThan(1_790);

    const { items } = await grantsOf(buyer);
    const path = `${market.url}/v1/oauth/grants/${items[0]?.grant_id}`;
    const revoke = () => fetch(path, { method: 'DELETE', headers: { cookie: buyer.cookie } });
    expect([(await revoke()).status, (await revoke()).status]).toEqual([204, 404]);
    provider.asked = undefined;
    await expect(client.callTool({ name: 'invoke', arguments: { text: 'late' } })).rejects.toThrow();
    await client.close();
    expect((await grantsOf(buyer)).total).toBe(0);
    const after = await auth(provider, {
      serverUrl: resourceOf(market, agentId),
      fetchFn: throughOrigin(market),
    });
    expect(after).toBe('REDIRECT');
  });
});

it('connects with a client metadata document, which is fetched once', async () => {
  const buyer = await register(market, 'buyer', 100);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 });
  const host = await startAgent({ host: '127.77.0.7' });
  const documentUrl = `${host.url}/client.json`;
  const document = {
    client_id: documentUrl,
    client_name: 'Document chat',
    redirect_uris: ['http://localhost/callback'],
  };
  host.behave({ kind: 'stream', contentType: 'application/json', parts: () => [JSON.stringify(document)] });
  const provider = new TestProvider('http://localhost:50123/callback', 'ignored', documentUrl);
  await expect(connect('legacy', agentId, provider)).rejects.toThrow(UnauthorizedError);
  expect(provider.information).toMatchObject({ client_id: documentUrl });
  const page = await openBrowser(market, buyer.cookie).open(provider.asked ?? '');
  expect(page.html).toContain('Document chat');
  expect(page.html).toContain(documentUrl);
  const back = await permit(market, buyer, provider.asked ?? '');
  expect(back.host).toBe('localhost:50123');
  await transportFor(agentId, provider).finishAuth(back.searchParams);
  const client = await connect('legacy', agentId, provider);
  const result = await client.callTool({ name: 'invoke', arguments: { text: 'hello' } });
  expect(result.structuredContent).toEqual({ text: 'hello' });
  await client.close();
  expect(host.deliveries.map(({ method, path }) => [method, path])).toEqual([['GET', '/client.json']]);
  await host.stop();
});

it('shows the same message for every document that it cannot fetch', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 });
  const buyer = await register(market, 'buyer');
  const host = await startAgent({ host: '127.77.0.8' });
  host.behave({ kind: 'status', status: 404 });
  const port = new URL(host.url).port;
  const urls = [
    `${host.url}/client.json`,
    `https://127.77.0.9:${port}/client.json`,
    'https://10.0.0.5/client.json',
    'https://no-such-name.invalid/client.json',
  ];
  const pages = await Promise.all(
    urls.map(async (clientId) => {
      const client = { clientId, redirectUri: 'https://chat.example/callback' };
      const address = authorizeAddress(client, resourceOf(market, agentId), pkce().challenge);
      const beganAt = performance.now();
      const page = await openBrowser(market, buyer.cookie).open(address);
      expect([clientId, performance.now() - beganAt > 2_900]).toEqual([clientId, true]);
      return [page.status, page.html];
    }),
  );
  expect(pages).toEqual(Array(urls.length).fill(pages[0]));
  expect(pages[0]).toEqual([400, expect.stringContaining('The client metadata document cannot be read.')]);
  await host.stop();
});

it('shows how to confirm the address of an account if calls need that, and asks for consent only then', async () => {
  const strict = await startTestApi({
    database: market.database,
    env: { PUBLIC_ORIGIN: originOf(market), EMAIL_CONFIRMATION: 'required' },
    routes: [(binder, deps) => oauthRoutes(binder, { ...market.container, ...(deps as OauthRouteDeps) })],
  });
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 });
  const client = await registerClient(market);
  try {
    const at = { ...market, url: strict.url };
    const person = await register(at, 'buyer');
    const browser = openBrowser(at, person.cookie);
    const address = authorizeAddress(client, resourceOf(market, agentId), pkce().challenge);
    const page = await browser.open(address);
    expect(page.status).toBe(403);
    expect(page.html).toContain('follow its link');
    expect(page.html).not.toContain('market email confirm');
    const allowed = await browser.submit(page, address, { action: 'allow', credit_cap: '5' });
    expect([allowed.status, allowed.html.includes('code=')]).toEqual([403, false]);
    await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [
      person.userId,
    ]);
    expect((await browser.open(address)).html).toContain('value="allow"');
  } finally {
    await strict.close();
  }
});
