/** Agents that developers sell by their A2A agent card (ADR 0342), with servers of the official SDK. */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { AgentCard, generateAgentCardSignature, TaskState } from '@a2a-js/sdk';
import {
  type A2aAgent,
  registrationOfCard as bodyFor,
  type Speaks,
  startA2aAgent,
  WIRES,
} from '../../support/agents/a2a-agent';
import { startAgent } from '../../support/agents/test-agent';
import { chat } from '../../support/calls/chat';
import { registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import {
  changeRegistration,
  registerAgent,
  registerLive,
  registerServing,
  untilVersions,
} from '../../support/catalogue/registrations';
import { balance, eventually, invoke, register, type TestUser } from '../../support/market';
import { a2a } from '../../support/protocols/a2a';
import { useMarket } from '../../support/use-market';

const market = useMarket();
const agents: { stop(): Promise<void> }[] = [];
let developer: TestDeveloper;
let buyer: TestUser;

beforeAll(async () => {
  developer = await registerDeveloper(market);
});
beforeEach(async () => {
  buyer = await register(market, 'buyer', 100);
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
});

async function start(speaks?: Speaks): Promise<A2aAgent> {
  const agent = await startA2aAgent(speaks);
  agents.push(agent);
  return agent;
}

const money = async () => [
  await balance(market.owner, buyer.userId, 'escrow'),
  await balance(market.owner, buyer.userId, 'wallet'),
];
/** A hand-written agent that answers each JSON-RPC method by the function of that name. */
async function scripted(methods: Record<string, (params: Json) => unknown>) {
  const agent = await startAgent({
    behaviour: ({ method, body }) => {
      if (method === 'GET') return { kind: 'answer', output: cardAt(agent.url) };
      const call = JSON.parse(body.toString()) as { id: number; method: string; params: Json };
      const result = methods[call.method]?.(call.params) ?? {};
      return { kind: 'answer', output: { jsonrpc: '2.0', id: call.id, result } };
    },
  });
  agents.push(agent);
  return agent;
}

type Json = Record<string, unknown>;

const cardAt = (url: string): Json => ({
  name: 'Scripted',
  description: 'An agent of the tests',
  version: '1',
  supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'Skill', description: 'What it can do', tags: ['a'] }],
});

/** The path, the version and the method of a message. */
const SENT: Record<string, unknown[]> = {
  'JSONRPC 1.0': ['/rpc', '1.0', 'SendMessage'],
  'JSONRPC 0.3': ['/rpc', undefined, 'message/send'],
  'HTTP+JSON 1.0': ['/rest/message:send', '1.0', undefined],
  'HTTP+JSON 0.3': ['/rest/v1/message:send', undefined, undefined],
};

describe.each(WIRES)('an A2A agent that speaks $version by $binding', (speaks) => {
  let agent: A2aAgent;
  let agentId: string;

  beforeAll(async () => {
    agent = await start(speaks);
    agentId = await registerServing(market, developer, bodyFor(agent.url));
  });

  it('is bought by a buyer of REST, and paid', async () => {
    agent.act = ({ say, text }) => say({ text: `Hello, ${text}` });
    const reply = await invoke(market, buyer, agentId, { input: { text: 'Ada' } });
    expect(reply.body).toMatchObject({ output: { text: 'Hello, Ada' }, usage: { credits_charged: 10 } });
    expect(await money()).toEqual([0, 9_000]);
    const { path, headers, body } = agent.requests.at(-1) ?? {};
    const wire = [path, headers?.['a2a-version'], (body as { method?: string }).method];
    expect(wire).toEqual(SENT[`${speaks.binding} ${speaks.version}`]);
    expect(headers).toMatchObject({ 'x-invocation-id': reply.body.invocation_id });
  });

  it('gets data and files as parts, and answers with both', async () => {
    const files = [{ name: 'dot.png', media_type: 'image/png', content_base64: 'iVBORw0KGgo=' }];
    const data = { pages: [1, 2] };
    agent.act = ({ say, message }) => {
      expect(message.parts.map(({ content }) => content?.$case)).toEqual(['text', 'data', 'raw']);
      say(
        { text: 'both' },
        { data: { seen: 2 } },
        { raw: 'aGk=', mediaType: 'text/plain', filename: 'hi.txt' },
      );
    };
    const reply = await invoke(market, buyer, agentId, { input: { text: 'Read', data, files } });
    // HTTP+JSON of 0.3 has no names of files in the SDK.
    const name = speaks.binding === 'HTTP+JSON' && speaks.version === '0.3' ? {} : { name: 'hi.txt' };
    expect(reply.body['output']).toEqual({
      text: 'both',
      data: [{ seen: 2 }],
      files: [{ ...name, media_type: 'text/plain', content_base64: 'aGk=' }],
    });
  });

  it('gets the parts of a message that its buyer sends by A2A, and its answer has parts, in both versions', async () => {
    const answered = [{ data: { seen: 2 } }, { raw: 'aGk=', mediaType: 'text/plain' }];
    agent.act = ({ say, message }) =>
      say({ text: message.parts.map(({ content }) => content?.$case).join() }, ...answered);
    const image = { mediaType: 'image/png', filename: 'dot.png' };
    const parts = [{ text: 'Read' }, { data: { pages: [1] } }, { raw: 'iVBORw0KGgo=', ...image }];
    const sent = { message: { messageId: randomUUID(), role: 'ROLE_USER', parts } };
    const reply = await a2a<{ task: Json }>(market, buyer, 'POST', `${agentId}/message:send`, sent, { 'a2a-version': '1.0' }); // prettier-ignore
    expect(reply.body.task).toMatchObject({
      artifacts: [{ parts: [{ text: 'text,data,raw' }, ...answered] }],
    });
    const legacy = [
      { kind: 'text', text: 'Read' },
      { kind: 'file', file: { bytes: 'iVBORw0KGgo=', mimeType: 'image/png' } },
    ];
    const params = { message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: legacy } };
    const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params };
    const old = await a2a<{ result: Json }>(market, buyer, 'POST', `${agentId}/rpc`, body);
    const file = { bytes: 'aGk=', mimeType: 'text/plain' };
    const [text, data] = [
      { kind: 'text', text: 'text,raw' },
      { kind: 'data', data: { seen: 2 } },
    ];
    expect(old.body.result).toMatchObject({ artifacts: [{ parts: [text, data, { kind: 'file', file }] }] });
    const card = await request<Json>(market, buyer, 'GET', `/v1/a2a/${agentId}/.well-known/agent-card.json`);
    expect(card.body['defaultInputModes']).toEqual(['application/json', 'text/plain', '*/*']);
    expect(card.body['defaultOutputModes']).toEqual(['application/json', '*/*']);
    expect(await money()).toEqual([0, 8_000]);
  });

  it('answers with a file at its own host, whose content the buyer gets', async () => {
    agent.serve('/report.pdf', (_req, res) => res.type('application/pdf').send('%PDF of it'));
    agent.act = ({ say }) =>
      say(
        { text: 'see' },
        { url: `${agent.url}/report.pdf?v=1`, mediaType: 'application/pdf', filename: 'report.pdf' },
        { url: 'https://files.example/other.pdf', mediaType: 'application/pdf' },
      );
    const reply = await invoke(market, buyer, agentId, { input: { text: 'Report' } });
    const isNamed = speaks.binding === 'JSONRPC' || speaks.version === '1.0';
    expect(reply.body['output']).toEqual({
      text: 'see',
      files: [
        {
          ...(isNamed && { name: 'report.pdf' }),
          media_type: 'application/pdf',
          content_base64: Buffer.from('%PDF of it').toString('base64'),
        },
        { media_type: 'application/pdf', url: 'https://files.example/other.pdf' },
      ],
    });
    expect(await money()).toEqual([0, 9_000]);
  });

  it('makes a task of the call, which ends within its time', async () => {
    agent.act = ({ state, artifact, done }) => {
      state(TaskState.TASK_STATE_WORKING, 'Reads.');
      artifact([{ text: 'One ' }]);
      artifact([{ text: 'two' }], { append: true });
      artifact([{ text: 'three' }], { id: 'second' });
      state(TaskState.TASK_STATE_COMPLETED);
      done();
    };
    const reply = await invoke(market, buyer, agentId, { input: { text: 'count' } });
    expect(reply.body['output']).toEqual({ text: 'One two\n\nthree' });
  });

  it.each([
    ['FAILED', 'The task failed: no such language'],
    ['REJECTED', 'The agent rejected the task: no such language'],
    [
      'AUTH_REQUIRED',
      'The agent asks for an authorization that the marketplace cannot give: no such language',
    ],
    ['INPUT_REQUIRED', 'The agent asks for more input, and does not declare jobs: no such language'],
  ] as const)('is not paid for a task that is %s, and the buyer reads why', async (name, words) => {
    agent.act = ({ state, done }) => {
      state(TaskState[`TASK_STATE_${name}`], 'no such language');
      done();
    };
    const reply = await invoke(market, buyer, agentId, { input: { text: 'x' } });
    expect([reply.status, reply.body['error']]).toMatchObject([
      502,
      { code: 'agent_error', agent_message: words },
    ]);
    expect(await money()).toEqual([0, 10_000]);
  });
});

describe('a registration by an agent card', () => {
  const noSkills = ({ skills: _, ...card }: Json) => card;
  const elsewhere = (card: Json) => ({
    ...card,
    supportedInterfaces: [
      { url: 'https://other.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
  });
  const grpc = (card: Json) => ({
    ...card,
    supportedInterfaces: [{ url: 'https://x.example', protocolBinding: 'GRPC', protocolVersion: '1.0' }],
  });
  const signed = (card: Json) => ({
    ...card,
    signatures: [{ protected: headerOf(String(card['documentationUrl'])), signature: 'AAAA' }],
    documentationUrl: '',
  });
  const headerOf = (url: string) =>
    Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'k', jku: `${url}/keys.json` })).toString('base64url');

  it.each<[string, (card: Json) => unknown, string]>([
    ['points to another host', elsewhere, 'agent_card_other_host'],
    ['has 5 MB', (card) => ({ ...card, documentationUrl: 'x'.repeat(5_000_000) }), 'agent_card_too_large'],
    ['lacks its skills', noSkills, 'agent_card_invalid'],
    ['speaks gRPC alone', grpc, 'agent_card_unsupported'],
    ['is no object', () => [], 'agent_card_invalid'],
  ])('is refused when the card %s', async (_what, change, type) => {
    const agent = await start();
    agent.card(change);
    const { status, body } = await registerAgent(market, developer, bodyFor(agent.url));
    expect([status, body]).toMatchObject([
      422,
      { detail: [{ loc: ['body', 'access_config', 'endpoint_url'], type }] },
    ]);
  });

  it('is refused when the key that the card names has not signed it', async () => {
    const agent = await start();
    agent.card((card) => signed({ ...card, documentationUrl: agent.url }));
    const { body } = await registerAgent(market, developer, bodyFor(agent.url));
    expect(body).toMatchObject({ detail: [{ type: 'agent_card_signature' }] });
  });

  describe('whose card is signed', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const strange = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    const keyed = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid });

    /** An agent whose card the official SDK has signed, with a key that is at `jku`. */
    async function startSigned(
      jku: (url: string) => string | undefined,
      keys: object[] = [],
      change = (card: Json) => card,
    ): Promise<A2aAgent> {
      const agent = await start();
      const where = jku(agent.url);
      const header = { alg: 'ES256', typ: 'JOSE', kid: 'k1', ...(where !== undefined && { jku: where }) };
      const sign = generateAgentCardSignature(privateKey, header);
      agent.serve('/keys.json', (_req, res) => res.json({ keys }));
      agent.card(async (card) => change(AgentCard.toJSON(await sign(AgentCard.fromJSON(card))) as Json));
      return agent;
    }
    const own = (url: string) => `${url}/keys.json`;

    it.each<[string, string, () => Promise<A2aAgent>]>([
      [
        'by a key of its host',
        'valid',
        () => startSigned(own, [keyed(strange, 'k0'), keyed(publicKey, 'k1')]),
      ],
      ['by a key of another host', 'unknown_key', () => startSigned(() => 'https://keys.example/jwks.json')],
      ['by a key without an address', 'unknown_key', () => startSigned(() => undefined)],
      ['by nobody', 'none', () => start()],
    ])('%s: the owner reads %s', async (_what, state, begin) => {
      const agent = await begin();
      const { body } = await registerAgent(market, developer, bodyFor(agent.url, { submit: false }));
      const path = `/v1/agents/${body.agent_id}/registration`;
      const registered = await request<Json>(market, developer, 'GET', path);
      expect(registered.body['card_signature']).toBe(state);
      const shown = await request<Json>(market, developer, 'GET', `/v1/developer/agents/${body.agent_id}`);
      expect(shown.body['registration']).toEqual(registered.body);
    });

    it.each<[string, object[], (card: Json) => Json]>([
      ['was changed since', [keyed(publicKey, 'k1')], (card) => ({ ...card, name: 'Another' })],
      ['was signed by another key than that of the id', [keyed(strange, 'k1')], (card) => card],
      ['names a key that its host does not have', [keyed(publicKey, 'k2')], (card) => card],
    ])('is refused when the card %s', async (_what, keys, change) => {
      const agent = await startSigned(own, keys, change);
      const { status, body } = await registerAgent(market, developer, bodyFor(agent.url));
      expect([status, body]).toMatchObject([422, { detail: [{ type: 'agent_card_signature' }] }]);
    });
  });

  it('is verified by messages, and listed by what its card says, without its address', async () => {
    const agent = await start();
    const host = new URL(agent.url).host;
    agent.card((card) => ({ ...card, description: `Translates at ${host} what it is told` }));
    agent.act = ({ say, text }) => say({ text: `You said: ${text}` });
    const agentId = await registerLive(market, developer, bodyFor(agent.url));
    const listing = await request<Json>(market, buyer, 'GET', `/v1/listings/${agentId}`);
    expect(listing.body).toMatchObject({
      protocol: 'a2a',
      description:
        'Translates at (address) what it is told\n\nSkills:\n- Translate: Translates a text into another language',
      capabilities: { streaming: true },
      examples: [{ text: 'Translate "good morning" into German' }],
    });
    const card = await request<Json>(market, buyer, 'GET', `/v1/a2a/${agentId}/.well-known/agent-card.json`);
    expect(JSON.stringify([listing.body, card.body])).not.toContain(host);
    const found = await request<{ items: Json[] }>(market, buyer, 'GET', '/v1/listings?protocol=a2a');
    expect(found.body.items.map(({ agent_id }) => agent_id)).toContain(agentId);
  });

  it('is rejected when the card has changed since, until a change of the registration reads it again', async () => {
    const agent = await start();
    const { body } = await registerAgent(market, developer, bodyFor(agent.url, { submit: false }));
    agent.card((card) => ({ ...card, description: 'Translates poems, and nothing else at all' }));
    const path = `/v1/developer/agents/${body.agent_id}/versions/1.0.0/submit`;
    expect((await request(market, developer, 'POST', path, {})).status).toBe(202);
    const [version] = await untilVersions(market, developer, body.agent_id, { '1.0.0': 'rejected' });
    expect(version?.reject_reason).toMatch(/^Probe 1 failed with card_changed/);
    const changed = await changeRegistration(market, developer, body.agent_id, {});
    expect(changed.body.status).toBe('submitted');
    await untilVersions(market, developer, body.agent_id, { '1.0.0': 'rejected', '1.1.0': 'live' });
  });

  it('is called where it was verified when the card of a live agent changes, which the next run reports', async () => {
    const agent = await start();
    const agentId = await registerServing(market, developer, bodyFor(agent.url));
    agent.card((card) => ({
      ...card,
      supportedInterfaces: [{ url: `${agent.url}/rpc/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    }));
    const reply = await invoke(market, buyer, agentId, { input: { text: 'Ada' } });
    expect([reply.body['output'], agent.requests.at(-1)?.path]).toEqual([{ text: 'You said: Ada' }, '/rpc']);
    const own = `/v1/developer/agents/${agentId}`;
    expect((await request(market, developer, 'POST', `${own}/reverify`, {})).status).toBe(202);
    interface Own {
      listed: boolean;
      latest_run: { state: string; failures: { what: string }[] } | null;
    }
    const read = async () => (await request<Own>(market, developer, 'GET', own)).body;
    await eventually(async () => (await read()).latest_run?.state === 'failed', 30_000);
    const what = expect.stringContaining('failed with card_changed') as string;
    const remedy = expect.stringContaining('PATCH /v1/agents/{agent_id}/registration') as string;
    expect(await read()).toMatchObject({ listed: false, latest_run: { failures: [{ what, remedy }] } });
    const changed = await changeRegistration(market, developer, agentId, {});
    expect(changed.body.status).toBe('submitted');
  });

  it('leaves schemas and streaming to the card', async () => {
    const agent = await start();
    const changes = { input_schema: { type: 'object' }, capabilities: { streaming: true } };
    const { body } = await registerAgent(market, developer, bodyFor(agent.url, changes));
    expect(body).toMatchObject({
      detail: [
        { loc: ['body', 'input_schema'], type: 'not_allowed' },
        { loc: ['body', 'capabilities', 'streaming'], type: 'not_allowed' },
      ],
    });
  });
});

describe('an A2A agent with files at its own host', () => {
  let agent: A2aAgent;
  let agentId: string;

  beforeAll(async () => {
    agent = await start();
    const upstream_auth = { header: 'X-Agent-Token', key: 'tok_2fW8kq5Zr7TnB4yX' };
    agentId = await registerServing(market, developer, bodyFor(agent.url, { upstream_auth }));
    agent.serve('/mine', ({ headers }, res) =>
      res.status(headers['x-agent-token'] === 'tok_2fW8kq5Zr7TnB4yX' ? 200 : 403).send('mine'),
    );
    agent.serve('/large', (_req, res) => res.send(Buffer.alloc(9_000_000)));
    agent.serve('/moved', (_req, res) => res.redirect('https://files.example/x'));
  });

  const answered = async (...paths: string[]) => {
    agent.act = ({ say }) => say(...paths.map((path) => ({ url: path, filename: 'x.bin' })));
    const { body } = await invoke(market, buyer, agentId, { input: { text: 'x' } });
    expect(JSON.stringify(body)).not.toContain(new URL(agent.url).host);
    return body as { output?: unknown; error?: { code: string; agent_message?: string } };
  };

  it('reads them with its credential, and has their type from the response', async () => {
    const { output } = await answered(`${agent.url}/mine`);
    expect(output).toMatchObject({ files: [{ media_type: 'text/html', content_base64: btoa('mine') }] });
  });

  it('delivers them at the end of a stream', async () => {
    agent.act = ({ state, artifact, done }) => {
      state(TaskState.TASK_STATE_WORKING);
      artifact([{ text: 'see ' }, { url: `${agent.url}/mine`, mediaType: 'text/plain' }]);
      state(TaskState.TASK_STATE_COMPLETED);
      done();
    };
    const { text, last } = await chat(market, buyer, agentId, { messages: [{ role: 'user', content: 'x' }] });
    expect([text, last?.type]).toEqual(['see ', 'done']);
    expect(await money()).toEqual([0, 9_000]);
  });

  it.each<[string, string, (url: string) => string[]]>([
    ['a file is not there', 'status 404', (url) => [`${url}/none`]],
    ['a file needs another credential', 'status 403', (url) => [`${url}/mine`, `${url}/theirs`]],
    ['they are too large', 'too large', (url) => [`${url}/large`]],
    ['an address has another port', 'must not show', (url) => [url.replace(/:\d+$/, ':8443/x')]],
    ['an address is not of https', 'must not show', (url) => [`${url.replace('https', 'http')}/mine`]],
    ['they are many', 'at most 16', (url) => Array.from({ length: 17 }, () => `${url}/mine`)],
  ])('is not paid when %s, and the buyer reads why', async (_what, words, paths) => {
    agent.serve('/theirs', (_req, res) => res.status(403).end());
    const { error } = await answered(...paths(agent.url));
    expect(error).toMatchObject({
      code: 'agent_error',
      agent_message: expect.stringContaining(words) as string,
    });
    expect(await money()).toEqual([0, 10_000]);
  });

  it('is not paid when a file leads to another host', async () => {
    expect((await answered(`${agent.url}/moved`)).error?.code).toMatch(/^agent_/);
    expect(await money()).toEqual([0, 10_000]);
  });
});

it('an agent that speaks of another task than that of the call is not paid', async () => {
  const task = (id: string, state: string) => ({ id, contextId: 'c', status: { state } });
  const agent = await scripted({
    SendMessage: () => ({ task: task('own', 'TASK_STATE_WORKING') }),
    GetTask: () => task('foreign', 'TASK_STATE_COMPLETED'),
  });
  const agentId = await registerServing(market, developer, bodyFor(agent.url));
  const reply = await invoke(market, buyer, agentId, { input: { text: 'x' } });
  expect([reply.status, reply.body['error']]).toMatchObject([502, { code: 'agent_error' }]);
  expect(await money()).toEqual([0, 10_000]);
});

describe('an A2A agent that streams', () => {
  let agent: A2aAgent;
  let agentId: string;
  const hello = { messages: [{ role: 'user', content: 'hello' }], session_id: 'mine' };

  beforeAll(async () => {
    agent = await start();
    agentId = await registerServing(market, developer, bodyFor(agent.url));
  });

  it.each(WIRES)('delivers the text of its artifacts in pieces, by $version and $binding', async (speaks) => {
    const other = await start(speaks);
    other.act = ({ state, artifact, done }) => {
      state(TaskState.TASK_STATE_WORKING);
      artifact([{ text: 'One ' }]);
      artifact([{ text: 'two' }], { append: true });
      artifact([{ text: 'three' }], { id: 'second' });
      state(TaskState.TASK_STATE_COMPLETED);
      done();
    };
    const id = await registerServing(market, developer, bodyFor(other.url));
    const { text, events, last } = await chat(market, buyer, id, hello);
    expect([text, last?.type, last?.usage?.credits_charged]).toEqual(['One two\n\nthree', 'done', 10]);
    expect(events.filter(({ type }) => type === 'output_chunk').length).toBeGreaterThan(1);
    expect(await money()).toEqual([0, 9_000]);
  });

  it('answers with a message, within the conversation of its buyer', async () => {
    const contexts: string[] = [];
    agent.act = ({ say, text, message }) => {
      contexts.push(message.contextId);
      say({ text: `You said: ${text}` });
    };
    for (const _ of [1, 2]) expect((await chat(market, buyer, agentId, hello)).text).toBe('You said: hello');
    expect(new Set(contexts).size).toBe(1);
    expect(contexts[0]).toMatch(/./);
  });

  it('is cut off and not paid if its stream never ends', async () => {
    const endless = await start();
    endless.act = ({ state }) => state(TaskState.TASK_STATE_WORKING);
    const id = await registerServing(market, developer, bodyFor(endless.url, { timeout_ms: 1_000 }));
    const { last } = await chat(market, buyer, id, hello);
    expect(last).toMatchObject({ type: 'error', error: { code: 'agent_timeout' } });
    expect(await money()).toEqual([0, 10_000]);
    await eventually(() => endless.canceled.length === 1);
  });
});
