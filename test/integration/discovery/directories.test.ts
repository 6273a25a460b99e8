/** What directories read: the API of the MCP registry (GET /v0.1/servers), and the AI Catalog with its signatures. */
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { flattenedVerify, importJWK, type JWK } from 'jose';
import { canonicalJson, sha256Hex } from '../../../src/kit/json/canonical-json';
import { listPageEnds } from '../../../src/stores/catalogue/listed-agents';
import { setAgentStatus } from '../../../src/stores/catalogue/agents';
import { putListing } from '../../support/catalogue/listings';
import { AI_CATALOG_SCHEMA } from '../../support/discovery/ai-catalog-schema';
import { vocabularyProblems } from '../../support/discovery/schema-org';
import { SERVER_JSON_SCHEMA } from '../../support/discovery/server-json-schema';
import { sitemapProblems } from '../../support/discovery/sitemap-schema';
import { putLive, register, startMarket, type TestMarket, type TestUser } from '../../support/market';

interface Entry {
  server: { name: string; title: string; description: string; version: string; remotes: { url: string }[] };
  _meta: { 'io.modelcontextprotocol.registry/official': { updatedAt: string; isLatest: boolean } };
}
interface Page {
  servers: Entry[];
  metadata: { count: number; nextCursor?: string };
}

const validate = addFormats(new Ajv({ allErrors: true })).compile(SERVER_JSON_SCHEMA);
const PREFIX = '127.0.0.1/';
const ORIGIN = 'https://market.example.com';
const HIDDEN = ['h-suspended', 'h-retired', 'h-unlisted'];

let market: TestMarket;
/** The same market at an address that has a `did:web`. */
let named: TestMarket;
let developer: TestUser;
let buyer: TestUser;
beforeAll(async () => {
  market = await startMarket({ operations: false, env: { PUBLIC_READS: 'true' } });
  named = await startMarket({ share: market, env: { PUBLIC_READS: 'true', PUBLIC_ORIGIN: ORIGIN } });
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer');
  await putListing(market, developer, 'r-plain', 5, { display_name: 'Plain', trust_score: 71 });
  await putListing(market, developer, 'r-hostile', 5, {
    display_name: `</script>"'&${'😀'.repeat(70)}`,
    description: `${'Long. '.repeat(40)}\u2028\u202e`,
    kind: 'mcp',
  });
  await putListing(market, developer, 'r-third', 5);
  await putListing(market, developer, 'h-suspended', 5, { status: 'suspended', listed: false });
  await putListing(market, developer, 'h-retired', 5, { status: 'retired', listed: false });
  await putListing(market, developer, 'h-unlisted', 5, { listed: false });
});
afterAll(async () => {
  await named.stop();
  await market.stop();
});

async function get<Body = Page>(path: string, at = market, who?: TestUser) {
  const response = await fetch(`${at.url}${path}`, { headers: who ? { cookie: who.cookie } : {} });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
}
const list = (query = '') => get(`/v0.1/servers${query}`);
const namesOf = ({ servers }: Page) => servers.map(({ server }) => server.name.replace(PREFIX, ''));
const at = (name: string, version: string) =>
  `/v0.1/servers/${encodeURIComponent(PREFIX + name)}/versions/${version}`;

it('lists the market and every listed agent to anybody, each by a valid server.json', async () => {
  const { status, body, headers } = await list();
  expect(status).toBe(200);
  expect(namesOf(body)).toEqual(['market', 'agt_r_hostile_v1', 'agt_r_plain_v1', 'agt_r_third_v1']);
  for (const { server } of body.servers) {
    expect([server.name, validate(server), validate.errors]).toEqual([server.name, true, null]);
  }
  const origin = market.config.PUBLIC_ORIGIN;
  expect(body.servers.map(({ server }) => server.remotes[0]?.url)).toEqual([
    `${origin}/mcp`,
    ...['hostile', 'plain', 'third'].map((name) => `${origin}/mcp/a/agt_r_${name}_v1`),
  ]);
  expect(body.metadata).toEqual({ count: 4 });
  expect(JSON.stringify(body)).not.toContain('127.77.0');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('cache-control')).toBe('public, no-cache');
});

it('has each server once on its pages, and refuses the cursor of another query', async () => {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await list(`?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    names.push(...namesOf(body));
    cursor = body.metadata.nextCursor;
    expect((await list(`?search=r&cursor=${cursor ?? 'W10'}`)).status).toBe(422);
  } while (cursor !== undefined && names.length < 9);
  expect(names).toEqual(['market', 'agt_r_hostile_v1', 'agt_r_plain_v1', 'agt_r_third_v1']);
});

it.each([
  ['search=R_PLAIN', ['agt_r_plain_v1']],
  ['search=market', ['market']],
  ['search=%25', []],
  ['search=127.0.0.1%2Fagt_r_t', ['agt_r_third_v1']],
  ['version=latest&search=plain', ['agt_r_plain_v1']],
  ['version=9.9.9', []],
  ['updated_since=2020-01-01T00:00:00Z&search=third', ['agt_r_third_v1']],
  ['updated_since=2099-01-01T00:00:00Z', []],
  ['include_deleted=true&search=h_', []],
])('finds servers by ?%s', async (query, names) => {
  const { status, body } = await list(`?${query}`);
  expect([status, namesOf(body)]).toEqual([200, names]);
});

it.each(['limit=0', 'limit=101', 'updated_since=yesterday', 'cursor=x', 'colour=red', 'search=%00'])(
  'refuses ?%s',
  async (query) => {
    expect((await list(`?${query}`)).status).toBe(422);
  },
);

it('shows the serving version of a server by its name', async () => {
  const latest = await get<Entry>(at('agt_r_plain_v1', 'latest'));
  expect(latest.body).toMatchObject({
    server: { name: `${PREFIX}agt_r_plain_v1`, title: 'Plain', version: '1.0.0' },
    _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
  });
  expect((await get<Entry>(at('agt_r_plain_v1', '1.0.0'))).body).toEqual(latest.body);
  expect((await get<Entry>(at('market', 'latest'))).body.server.name).toBe(`${PREFIX}market`);
  const versions = await get(`/v0.1/servers/${encodeURIComponent(`${PREFIX}agt_r_plain_v1`)}/versions`);
  expect(versions.body).toEqual({ servers: [latest.body], metadata: { count: 1 } });
});

it.each([
  at('agt_r_plain_v1', '1.0.1'),
  at('agt_nobody_v1', 'latest'),
  at('', 'latest'),
  at('agt_r_plain_v1', '%2e%2e'),
  `/v0.1/servers/${encodeURIComponent('com.other/agt_r_plain_v1')}/versions/latest`,
  ...HIDDEN.map((slug) => at(`agt_${slug.replace('-', '_')}_v1`, 'latest')),
])('answers %s with 404', async (path) => {
  expect((await get(path)).status).toBe(404);
  // The owner of a suspended agent learns no more.
  expect((await get(path, market, developer)).status).toBe(404);
});

it('needs an account where the market is closed, and is not stored by caches', async () => {
  const closed = await startMarket({ share: market, env: { PUBLIC_READS: 'false' } });
  expect((await get('/v0.1/servers', closed)).status).toBe(401);
  const { status, headers } = await get('/v0.1/servers', closed, buyer);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  await closed.stop();
});

interface Signature {
  signer: string;
  profile: string;
  issuedAt: string;
  expiresAt: string;
  jws?: string;
}
interface Manifest {
  contributor: string;
  subject: { identifier: string; type: string; version: string; digest?: string; url?: string };
  signature: Signature;
}
interface Catalog {
  host: { identifier?: string };
  entries: {
    identifier: string;
    type: string;
    version: string;
    url?: string;
    data?: object;
    digest?: string;
    trustManifests?: [Manifest];
  }[];
  signature?: Signature;
}
interface DidDocument {
  id: string;
  verificationMethod: { id: string; controller: string; publicKeyJwk: JWK }[];
  assertionMethod: string[];
}

const isCatalog = addFormats(new Ajv2020({ allErrors: true, strict: false })).compile(AI_CATALOG_SCHEMA);

/** The `did:web` signer profile of the specification, with a JOSE library. */
async function expectSigned<Whole extends { signature?: Signature | undefined }>(
  whole: Whole,
  typ: string,
  did: DidDocument,
): Promise<void> {
  const { signature } = whole;
  if (!signature) throw new Error('not signed');
  const { jws = '', ...rest } = signature;
  expect([rest.signer, rest.profile]).toEqual([did.id, 'did-web-v1']);
  expect(Date.parse(rest.expiresAt)).toBeGreaterThan(Date.now());
  const [header = '', empty, mark = ''] = jws.split('.');
  expect(empty).toBe('');
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
  const method = did.verificationMethod.find(({ id }) => id === kid);
  expect([did.assertionMethod.includes(kid), method?.controller]).toEqual([true, did.id]);
  const payload = Buffer.from(canonicalJson({ ...whole, signature: rest })).toString('base64url');
  const key = await importJWK(method?.publicKeyJwk as JWK, 'ES256');
  const verified = await flattenedVerify({ protected: header, payload, signature: mark }, key);
  expect(verified.protectedHeader).toEqual({ alg: 'ES256', kid, typ });
}

describe('the AI Catalog', () => {
  const catalogAt = (url = named) => get<Catalog>('/.well-known/ai-catalog.json', url);

  it('has the market and every listed agent, in the form of the specification', async () => {
    const { body, headers } = await catalogAt();
    expect([isCatalog(body), isCatalog.errors]).toEqual([true, null]);
    expect(headers.get('content-type')).toBe('application/ai-catalog+json');
    const page = (name: string) => `${ORIGIN}/console/agents/agt_r_${name}_v1`;
    expect(body.entries.map(({ identifier }) => identifier)).toEqual([
      'urn:air:market.example.com:mcp:market',
      ...['hostile', 'plain', 'third'].flatMap((name) => [`${page(name)}#mcp`, `${page(name)}#a2a`]),
    ]);
    expect(JSON.stringify(body)).not.toMatch(/127\.77\.0|h_suspended|h_retired|h_unlisted/);
  });

  it('is signed as a whole and entry by entry, each bound to its artifact, by the keys of the DID document', async () => {
    const [{ body: catalog }, { body: did }] = await Promise.all([
      catalogAt(),
      get<DidDocument>('/.well-known/did.json', named),
    ]);
    expect(did.id).toBe('did:web:market.example.com');
    expect(catalog.host.identifier).toBe(did.id);
    await expectSigned(catalog, 'ai-catalog+jws', did);
    for (const { identifier, type, version, url, data, digest, trustManifests } of catalog.entries) {
      const [manifest] = trustManifests ?? [];
      if (!manifest) throw new Error(identifier);
      expect(manifest.contributor).toBe(did.id);
      expect(manifest.subject).toEqual(
        data ? { identifier, type, version, digest } : { identifier, type, version, url },
      );
      if (data) expect(digest).toBe(`sha256:${sha256Hex(canonicalJson(data))}`);
      await expectSigned(manifest, 'ai-catalog-trust-manifest+jws', did);
    }
    const [first] = catalog.entries[1]?.trustManifests ?? [];
    const forged = { ...first, subject: { ...first?.subject, version: '9.0.0' } };
    await expect(expectSigned(forged as Manifest, 'ai-catalog-trust-manifest+jws', did)).rejects.toThrow();
  });

  it('has pages behind an agent, and none behind the last one', async () => {
    const { body } = await get<Catalog>('/v1/ai-catalog/agt_r_plain_v1', named);
    expect([isCatalog(body), isCatalog.errors]).toEqual([true, null]);
    expect(body.entries.map(({ url }) => url).filter(Boolean)).toEqual([
      `${ORIGIN}/.well-known/agents/agt_r_third_v1/agent-card.json`,
    ]);
    expect((await get('/v1/ai-catalog/agt_r_third_v1', named)).status).toBe(404);
  });

  it('names the last agent of each page that another one follows', async () => {
    const { reads } = market.container;
    expect(await listPageEnds(reads, 1)).toEqual(['agt_r_hostile_v1', 'agt_r_plain_v1']);
    expect(await listPageEnds(reads, 2)).toEqual(['agt_r_plain_v1']);
    expect(await listPageEnds(reads, 3)).toEqual([]);
  });

  it('is unsigned at an address without a domain, and has the market alone where that is closed', async () => {
    const { body } = await catalogAt(market);
    expect([isCatalog(body), body.signature, body.host.identifier]).toEqual([true, undefined, undefined]);
    expect((await get('/.well-known/did.json')).status).toBe(404);
    const closed = await startMarket({ share: market, env: { PUBLIC_READS: 'false' } });
    const { body: shut } = await catalogAt(closed);
    expect(shut.entries.map(({ identifier }) => identifier)).toEqual(['urn:air:127.0.0.1:mcp:market']);
    await closed.stop();
  });
});

it('sends a document again only when it has changed, and at once without an agent that is suspended', async () => {
  const leaving = await putListing(market, developer, 'r-leaving', 5);
  const fresh = await startMarket({ share: market, env: { PUBLIC_READS: 'true', PUBLIC_ORIGIN: ORIGIN } });
  const ask = async (path: string, tag?: string) => {
    const response = await fetch(`${fresh.url}${path}`, { headers: tag ? { 'If-None-Match': tag } : {} });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const paths = [
    '/.well-known/ai-catalog.json',
    '/v1/ai-catalog/agt_r_hostile_v1',
    '/sitemap/agents.xml',
    '/sitemap/agt_r_hostile_v1.xml',
  ];
  const tags = new Map<string, string>();
  for (const path of paths) {
    const { headers, text } = await ask(path);
    const tag = headers.get('etag') ?? '';
    tags.set(path, tag);
    expect([path, headers.get('cache-control'), text.includes(leaving)]).toEqual([
      path,
      'public, no-cache',
      true,
    ]);
    const again = await ask(path, `"other", ${tag}`);
    expect([path, again.status, again.text, again.headers.get('etag')]).toEqual([path, 304, '', tag]);
  }
  await setAgentStatus(market.container.pool, leaving, 'suspended');
  for (const path of paths) {
    const { status, headers, text } = await ask(path, tags.get(path));
    expect([path, status, text.includes(leaving), text.includes('agt_r_third_v1')]).toEqual([
      path,
      200,
      false,
      true,
    ]);
    expect(headers.get('etag')).not.toBe(tags.get(path));
  }
  expect((await ask('/v0.1/servers')).text).not.toContain(leaving);
  expect((await ask(`/.well-known/agents/${leaving}/agent-card.json`)).status).toBe(404);
  await fresh.stop();
});

it('writes the registration file of an agent that names ERC-8004 identities, until it is suspended', async () => {
  const registry = 'eip155:8453:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432';
  const largest = (2n ** 256n - 1n).toString();
  const erc8004 = [
    { agent_id: '22', registry: registry.toLowerCase() },
    { agent_id: largest, registry },
  ];
  const { agentId } = await putLive(market, developer.userId, 'https://127.77.0.9:9443', {
    agentId: 'r-on-chain',
    displayName: '</script>"On chain',
    a2aInvocable: true,
    erc8004,
  });
  const fileOf = (id: string, of = named) =>
    get<object>(`/.well-known/agents/${id}/agent-registration.json`, of);
  const { status, headers, body } = await fileOf(agentId);
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(body).toEqual({
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name: '</script>"On chain',
    description: expect.stringContaining('Echoes') as string,
    services: [
      { name: 'web', endpoint: `${ORIGIN}/console/agents/${agentId}` },
      { name: 'MCP', endpoint: `${ORIGIN}/mcp/a/${agentId}` },
      { name: 'A2A', endpoint: `${ORIGIN}/.well-known/agents/${agentId}/agent-card.json`, version: '1.0' },
    ],
    x402Support: false,
    active: true,
    supportedTrust: [],
    registrations: [
      { agentId: 22, agentRegistry: registry },
      { agentId: largest, agentRegistry: registry },
    ],
  });
  // The domain is that of all agents, so it proves none of them.
  const { body: ofMarket } = await get<object>('/.well-known/agent-registration.json', named);
  expect(ofMarket).toMatchObject({ services: [{}, { endpoint: `${ORIGIN}/mcp` }], registrations: [] });
  const closed = await startMarket({ share: market, env: { PUBLIC_READS: 'false' } });
  expect((await fileOf(agentId, closed)).status).toBe(404);
  await closed.stop();
  expect((await fileOf('agt_r_plain_v1')).status).toBe(404);
  await setAgentStatus(market.container.pool, agentId, 'suspended');
  expect((await fileOf(agentId)).status).toBe(404);
});

describe('what crawlers read', () => {
  const textAt = async (path: string, of = named) => {
    const response = await fetch(`${of.url}${path}`);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
  };
  const locations = (xml: string) => [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address]) => address);

  it('leads from robots.txt to the sitemap of the listed agents, each at its canonical address', async () => {
    const robots = await textAt('/robots.txt');
    expect([robots.status, robots.type]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(robots.text).toContain(`\nSitemap: ${ORIGIN}/sitemap.xml\n`);
    // Rules are beginnings of addresses, and public pages begin with none of them.
    const closed = [...robots.text.matchAll(/^Disallow: (.*)$/gm)].map(([, rule = '']) => rule);
    for (const page of ['/console/agents/agt_x_v1', '/console/developers/dev_x', '/docs/accounts', '/'])
      expect(closed.filter((rule) => page.startsWith(rule))).toEqual([]);
    const index = await textAt('/sitemap.xml');
    expect(index.type).toBe('application/xml; charset=utf-8');
    expect(locations(index.text)).toEqual([`${ORIGIN}/sitemap/pages.xml`, `${ORIGIN}/sitemap/agents.xml`]);
    const agents = await textAt('/sitemap/agents.xml');
    const pages = ['hostile', 'plain', 'third'].map((name) => `${ORIGIN}/console/agents/agt_r_${name}_v1`);
    expect(locations(agents.text)).toEqual(pages);
    expect(agents.text.match(/<lastmod>[0-9T:.Z-]+<\/lastmod>/g)).toHaveLength(3);
    expect(locations((await textAt('/sitemap/agt_r_plain_v1.xml')).text)).toEqual(pages.slice(2));
    expect(locations((await textAt('/sitemap/pages.xml')).text)).toContain(`${ORIGIN}/docs/`);
    for (const name of ['sitemap', 'sitemap/pages', 'sitemap/agents', 'sitemap/agt_r_plain_v1'])
      expect([name, await sitemapProblems((await textAt(`/${name}.xml`)).text)]).toEqual([name, []]);
    for (const missing of ['agt_r_third_v1', 'nothing'])
      expect((await textAt(`/sitemap/${missing}.xml`)).status).toBeGreaterThanOrEqual(404);
  });

  it('shows a listed agent without JavaScript, and nothing of any other', async () => {
    const { text } = await textAt('/console/agents/agt_r_plain_v1');
    expect(text).toContain(`<link rel="canonical" href="${ORIGIN}/console/agents/agt_r_plain_v1" />`);
    expect(text).toMatch(/<article class="first-text"><h2>Plain<\/h2>/);
    const [, json = '{}'] = /<script type="application\/ld\+json">([^]*?)<\/script>/.exec(text) ?? [];
    expect(JSON.parse(json)).toMatchObject({ name: 'Plain', offers: { price: '0.05' } });
    expect(vocabularyProblems(JSON.parse(json))).toEqual([]);
    const closed = await startMarket({ share: market, env: { PUBLIC_READS: 'false' } });
    for (const [id, of] of [
      ['agt_h_suspended_v1', named],
      ['agt_h_unlisted_v1', named],
      ['agt_nobody_v1', named],
      ['agt_r_plain_v1', closed],
    ] as const) {
      const other = (await textAt(`/console/agents/${id}`, of)).text;
      expect([id, /<article|ld\+json|canonical/.test(other)]).toEqual([id, false]);
      expect(other).toContain('<meta name="robots" content="noindex" />');
    }
    expect(locations((await textAt('/sitemap.xml', closed)).text)).toHaveLength(1);
    // A sitemap has at least one page.
    expect((await textAt('/sitemap/agents.xml', closed)).status).toBe(404);
    await closed.stop();
  });
});
