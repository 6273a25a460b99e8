/** Public agent cards (A2A 1.0, "Agent Card"), verified with the official client's own verifier and with jose. */
import { createLocalJWKSet, flattenedVerify, type JSONWebKeySet } from 'jose';
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { canonicalJson } from '../../../src/kit/json/canonical-json';
import { putLive, putVersion } from '../../support/market';
import { mcpUpstream, putServerLive } from '../../support/protocols/mcp-upstream';
import { useScene } from '../../support/use-market';

const scene = useScene();

type Card = Record<string, unknown> & { signatures: { protected: string; signature: string }[] };

const paths = (agentId: string) => [
  `/.well-known/agents/${agentId}/agent-card.json`,
  `/v1/a2a/${agentId}/.well-known/agent-card.json`,
];

const V1 = { 'a2a-version': '1.0' };

async function cardAt(path: string, headers: Record<string, string> = V1) {
  const response = await fetch(`${scene.market.url}${path}`, { headers });
  const text = await response.text();
  return { response, card: (text === '' ? {} : JSON.parse(text)) as Card };
}

async function jwks(): Promise<JSONWebKeySet> {
  return (await (await fetch(`${scene.market.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
}

it('is public at both addresses, the same, with everything that 1.0 requires', async () => {
  const [first, second] = await Promise.all(paths(scene.agentId).map((path) => cardAt(path)));
  expect(first?.response.status).toBe(200);
  expect(second?.card).toEqual(first?.card);
  const card = first?.card;
  const base = `${scene.market.config.PUBLIC_ORIGIN}/v1/a2a/${scene.agentId}`;
  expect(card).toMatchObject({
    name: 'Echo agent',
    version: '1.0.0',
    supportedInterfaces: [
      { url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: base, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extensions: ['spend-mandate', 'agent-terms'].map((name) => ({
        uri: `${scene.market.config.PUBLIC_ORIGIN}/ext/${name}/v1`,
      })),
    },
    defaultInputModes: ['application/json', 'text/plain'],
    defaultOutputModes: ['application/json'],
    skills: [{ id: 'invoke', tags: ['test'] }],
    securitySchemes: {
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } },
      oauth: { oauth2SecurityScheme: { flows: { authorizationCode: { pkceRequired: true } } } },
      oauthProgram: { oauth2SecurityScheme: { flows: { clientCredentials: {} } } },
    },
    documentationUrl: `${scene.market.config.PUBLIC_ORIGIN}/console/agents/${scene.agentId}`,
  });
  for (const gone of ['url', 'protocolVersion', 'preferredTransport', 'additionalInterfaces', 'security']) {
    expect(card).not.toHaveProperty(gone);
  }
  expect(JSON.stringify(card)).not.toContain('127.77.0');
});

it('has the members of 0.3 for a client that does not say that it speaks 1.0, with signatures of both forms', async () => {
  const old = `/v1/a2a/${scene.agentId}/.well-known/agent.json`;
  const [current, ...others] = await Promise.all([
    cardAt(paths(scene.agentId)[1] ?? ''),
    ...[...paths(scene.agentId), old].map((path) => cardAt(path, {})),
  ]);
  const keys = createLocalJWKSet(await jwks());
  for (const { card, response } of others) {
    expect(response.headers.get('vary')).toContain('A2A-Version');
    expect(card).toMatchObject({
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      url: `${scene.market.config.PUBLIC_ORIGIN}/v1/a2a/${scene.agentId}/rpc`,
      security: ['apiKey', 'session', 'oauth', 'oauthProgram'].map((name) => ({ [name]: ['agents:invoke'] })),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          apiKeySecurityScheme: { name: 'X-API-Key' },
        },
      },
    });
    const { signatures: ofCurrent, ...pure } = current.card;
    const { signatures, ...both } = card;
    expect([ofCurrent.length, signatures.length]).toEqual([1, 2]);
    for (const [at, content] of [both, pure].entries()) {
      const payload = Buffer.from(canonicalJson(content)).toString('base64url');
      await flattenedVerify({ ...signatures[at], payload } as never, keys);
    }
  }
});

it('has a signature that plain RFC 8785 and the official verifier both accept, by the published keys', async () => {
  const { card } = await cardAt(paths(scene.agentId)[1] ?? '');
  const keys = await jwks();
  const { signatures, ...content } = card;
  const [signed] = signatures;
  const payload = Buffer.from(canonicalJson(content)).toString('base64url');
  const { protectedHeader } = await flattenedVerify({ ...signed, payload } as never, createLocalJWKSet(keys));
  expect(protectedHeader).toMatchObject({
    alg: 'ES256',
    typ: 'JOSE',
    jku: `${scene.market.config.PUBLIC_ORIGIN}/.well-known/jwks.json`,
  });
  const verify = verifyAgentCardSignature((kid) =>
    Promise.resolve(keys.keys.find((key) => key.kid === kid) as never),
  );
  // As it came: the library's own form of a card loses the security schemes when it is written again.
  const asItCame = (text: Card) => text as unknown as Parameters<typeof verify>[0];
  await expect(verify(asItCame(card))).resolves.toBeUndefined();
  jest.spyOn(console, 'debug').mockImplementation(() => undefined);
  await expect(verify(asItCame({ ...card, name: 'Another agent' }))).rejects.toThrow();
});

it('is cached by its tag, which changes with the version', async () => {
  const [path = ''] = paths(scene.agentId);
  const { response } = await cardAt(path);
  const etag = response.headers.get('etag') ?? '';
  expect(response.headers.get('cache-control')).toBe('public, no-cache');
  expect(etag).not.toBe('');
  const known = await cardAt(path, { ...V1, 'if-none-match': etag });
  expect(known.response.status).toBe(304);
  expect(known.card).toEqual({});
  await putVersion(scene.market, scene.agentId, scene.agent.url, { version: '1.1.0' });
  const changed = await cardAt(path, { ...V1, 'if-none-match': etag });
  expect(changed.response.status).toBe(200);
  expect(changed.card['version']).toBe('1.1.0');
});

it('names the listing as its documentation while search hides the agent', async () => {
  const hidden = await putLive(scene.market, scene.developer.userId, scene.agent.url);
  await scene.market.owner.query('UPDATE agents SET listed = false WHERE agent_id = $1', [hidden.agentId]);
  const { card } = await cardAt(paths(hidden.agentId)[0] ?? '');
  expect(card['documentationUrl']).toBe(`${scene.market.config.PUBLIC_ORIGIN}/v1/listings/${hidden.agentId}`);
});

it('is 404 for agents that are not live', async () => {
  const retired = await putLive(scene.market, scene.developer.userId, scene.agent.url);
  await scene.market.owner.query(`UPDATE agents SET status = 'retired', listed = false WHERE agent_id = $1`, [
    retired.agentId,
  ]);
  for (const agentId of [retired.agentId, 'agt_no_such_agent_v1', 'nonsense']) {
    for (const path of paths(agentId)) {
      const { response, card } = await cardAt(path);
      expect([agentId, response.status]).toEqual([agentId, 404]);
      expect(card).toMatchObject({ error: { code: 'not_found' } });
    }
  }
});

it('declares text input only if the agent accepts it', async () => {
  const two = {
    type: 'object',
    required: ['text', 'n'],
    properties: { text: { type: 'string' }, n: { type: 'integer' } },
  };
  const live = await putLive(scene.market, scene.developer.userId, scene.agent.url, { inputSchema: two });
  const { card } = await cardAt(paths(live.agentId)[0] ?? '');
  expect(card['defaultInputModes']).toEqual(['application/json']);
});

const extensionOf = (card: Card, name: string) => {
  const { extensions } = card['capabilities'] as { extensions: { uri: string; params: unknown }[] };
  return extensions.find(({ uri }) => uri.endsWith(`/ext/${name}/v1`));
};

it('has price, trust and terms in an extension, by the schema at its URI', async () => {
  const metered = await putLive(scene.market, scene.developer.userId, scene.agent.url, {
    pricing: { model: 'per_token', credits_per_1k_tokens: '2.5', max_credits_per_call: 40 },
  });
  const server = await putServerLive(scene.market, scene.developer.userId, scene.agent.url);
  const cards = await Promise.all(
    [scene.agentId, metered.agentId, server].map(async (id) => (await cardAt(paths(id)[0] ?? '')).card),
  );
  const uri = extensionOf(cards[0] as Card, 'agent-terms')?.uri ?? '';
  const response = await fetch(uri.replace(scene.market.config.PUBLIC_ORIGIN, scene.market.url));
  expect(response.headers.get('content-type')).toMatch(/^application\/schema\+json/);
  const schema = (await response.json()) as { $id: string };
  expect(schema.$id).toBe(uri);
  const ajv = new Ajv2020();
  addFormats(ajv);
  const validate = ajv.compile(schema);
  for (const card of cards) {
    validate(extensionOf(card, 'agent-terms')?.params);
    expect(validate.errors).toBeNull();
  }
  expect(extensionOf(cards[1] as Card, 'agent-terms')?.params).toMatchObject({
    price: { currency: 'credits', model: 'per_token', credits_per_1k_tokens: '2.5', most_credits: 40 },
    trust: { report_url: expect.stringContaining('/trust-report') as string },
    terms: { failed_calls_are_free: true, data_handling: { pii_processed: false } },
  });
});

it('is read by the official client with its terms, its examples, and a scheme for each flow', async () => {
  const inputSchema = {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string' } },
    examples: [{ text: 'Good morning' }, { text: 'Good night' }],
  };
  const { market, developer, agent } = scene;
  const { agentId } = await putLive(market, developer.userId, agent.url, { inputSchema });
  const card = AgentCard.fromJSON((await cardAt(paths(agentId)[1] ?? '')).card);
  const examples = ['{"text":"Good morning"}', '{"text":"Good night"}'];
  expect(card.skills).toMatchObject([{ id: 'invoke', examples }]);
  const terms = card.capabilities?.extensions.find(({ uri }) => uri.endsWith('/ext/agent-terms/v1'));
  expect(terms?.params).toMatchObject({
    price: { currency: 'credits', model: 'per_call', credits_per_call: 10, most_credits: 10 },
    terms: { failed_calls_are_free: true },
  });
  const flowOf = (name: string) => {
    const scheme = card.securitySchemes[name]?.scheme;
    return scheme?.$case === 'oauth2SecurityScheme' ? scheme.value.flows?.flow?.$case : undefined;
  };
  expect(['oauth', 'oauthProgram'].map(flowOf)).toEqual(['authorizationCode', 'clientCredentials']);
});

describe('the skills of an MCP agent', () => {
  const skillsWith = async (tools: Record<string, unknown>[]) => {
    scene.agent.behave(mcpUpstream({ tools }));
    const agentId = await putServerLive(scene.market, scene.developer.userId, scene.agent.url);
    const { card } = await cardAt(paths(agentId)[0] ?? '');
    scene.agent.behave({ kind: 'echo' });
    return card['skills'] as Record<string, unknown>[];
  };
  const inputSchema = { type: 'object' };

  it('are its tools, with the input of a call as an example', async () => {
    const skills = await skillsWith([
      {
        name: 'add',
        title: 'Add',
        description: 'Adds numbers.',
        inputSchema: { ...inputSchema, examples: [{ a: 1 }] },
      },
      { name: 'ping', inputSchema },
      { name: 'needs', inputSchema: { ...inputSchema, required: ['a'] } },
    ]);
    const tags = ['other'];
    expect(skills).toEqual([
      {
        id: 'add',
        name: 'Add',
        description: 'Adds numbers.',
        tags,
        examples: ['{"tool":"add","arguments":{"a":1}}'],
      },
      { id: 'ping', name: 'ping', description: 'ping', tags, examples: ['{"tool":"ping","arguments":{}}'] },
      { id: 'needs', name: 'needs', description: 'needs', tags },
    ]);
  });

  it('are bounded, and the agent alone if its server lists none', async () => {
    const many = Array.from({ length: 900 }, (_, n) => ({
      name: n % 2 === 0 ? 'same' : `tool_${n}`,
      description: 'x'.repeat(2_000),
      inputSchema,
    }));
    const skills = await skillsWith(many);
    expect([skills.length, new Set(skills.map(({ id }) => id)).size]).toEqual([100, 100]);
    expect(skills.every(({ description }) => String(description).length <= 500)).toBe(true);
    expect(await skillsWith([])).toMatchObject([{ id: 'invoke' }]);
  });
});
