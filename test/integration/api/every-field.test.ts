/**
 * One refusal names every wrong field, on every surface: of the agent's own schema, of the fields around it, and of
 * headers.
 */
import { randomUUID } from 'node:crypto';
import { a2a, ownMandate } from '../../support/protocols/a2a';
import { chat } from '../../support/calls/chat';
import { balance, invoke, putLive, register, type TestUser } from '../../support/market';
import { legacy, modern, type RpcAnswer } from '../../support/protocols/mcp';
import { registerDeveloper, type TestDeveloper } from '../../support/catalogue/publishing';
import { startScene, type Scene } from '../../support/scene';
import { putSelfHosted, use } from '../../support/calls/use';

type Place = (string | number)[];
interface Refusal {
  error?: { code: string };
  detail?: { loc: Place }[];
}

const INPUT_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    n: { type: 'integer' },
    flag: { type: 'boolean' },
    name: { type: 'string', maxLength: 3 },
    session_id: { type: 'string' },
    messages: {
      type: 'array',
      items: {
        properties: { role: { enum: ['user', 'assistant'] }, content: { type: 'string', maxLength: 5 } },
      },
    },
  },
};
/** Three fields that the agent's schema refuses. */
const WRONG = { n: 'one', flag: 'yes', name: 'too long' };
const FIELDS = ['flag', 'n', 'name'];
const TURN = {
  messages: [
    { role: 'nobody', content: 'too long' },
    { role: 'user', content: 'too long' },
  ],
};
const OF_TURN = ['body.messages.0.content', 'body.messages.0.role', 'body.messages.1.content'];

let scene: Scene;
let developer: TestDeveloper;
let agentId: string;
let hosted: { owner: string; slug: string };
let buyer: TestUser;

beforeAll(async () => {
  scene = await startScene();
  developer = await registerDeveloper(scene.market);
  ({ agentId } = await putLive(scene.market, developer.userId, scene.agent.url, {
    inputSchema: INPUT_SCHEMA,
    outputSchema: { type: 'object' },
    streaming: true,
  }));
  const slug = agentId.slice('agt_'.length, -'_v1'.length).replaceAll('_', '-');
  hosted = { slug, owner: developer.developerId };
  buyer = await register(scene.market, 'buyer', 100);
});
afterAll(async () => {
  expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(10_000);
  await scene.stop();
});

const places = (refusal: Refusal | undefined) => refusal?.detail?.map(({ loc }) => loc.join('.')).sort();
const seen = (status: number, refusal: Refusal) => [status, refusal.error?.code, places(refusal)];
const below = (place: string, names = FIELDS) => names.map((name) => `${place}.${name}`);

describe('POST /invoke', () => {
  const call = async (body: unknown, headers: Record<string, string> = {}) => {
    const reply = await invoke(scene.market, buyer, agentId, body, headers);
    return seen(reply.status, reply.body);
  };

  it('names three wrong fields of the input', async () => {
    expect(await call({ input: WRONG })).toEqual([422, 'input_schema_mismatch', below('body.input')]);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['a ceiling', { max_cost_credits: 'x' }, ['max_cost_credits']],
    ['a key', { idempotency_key: '' }, ['idempotency_key']],
    ['an unknown field', { more: 1 }, ['more']],
    ['a mandate', { mandate: { type: 'x', jws: 5 } }, ['mandate.jws', 'mandate.type']],
    [
      'all of them',
      { max_cost_credits: -1, idempotency_key: 7, more: 1, mandate: 'x' },
      ['idempotency_key', 'mandate', 'max_cost_credits', 'more'],
    ],
  ])('names them beside %s', async (_what, around, fields) => {
    const all = [...below('body', fields), ...below('body.input')].sort();
    expect(await call({ input: WRONG, ...around })).toEqual([422, 'validation_failed', all]);
    const valid = below('body', fields).sort();
    expect(await call({ input: { n: 1 }, ...around })).toEqual([422, 'validation_failed', valid]);
  });

  it('names them beside headers and fields', async () => {
    const header = { 'idempotency-key': 'a b' };
    const all = [...below('body.input'), 'header.Idempotency-Key'];
    expect(await call({ input: WRONG }, header)).toEqual([422, 'validation_failed', all]);
    expect(await call({ input: WRONG, max_cost_credits: 'x' }, header)).toEqual([
      422,
      'validation_failed',
      [...all.slice(0, 3), 'body.max_cost_credits', 'header.Idempotency-Key'],
    ]);
    expect(await call({ input: { n: 1 } }, header)).toEqual([400, 'invalid_header', undefined]);
    const differing = { 'idempotency-key': 'one' };
    expect(await call({ input: WRONG, idempotency_key: 'two' }, differing)).toEqual([
      422,
      'validation_failed',
      all,
    ]);
  });

  it('names them when the body is read in a thread', async () => {
    const input = { ...WRONG, name: 'x'.repeat(300_000) };
    const all = [...below('body.input'), 'body.max_cost_credits'];
    expect(await call({ input, max_cost_credits: 'x' })).toEqual([422, 'validation_failed', all]);
  });

  it('says nothing about the schema of an agent that the caller cannot call', async () => {
    const reply = await invoke(scene.market, buyer, 'agt_unknown_v1', {
      input: WRONG,
      max_cost_credits: 'x',
    });
    expect(seen(reply.status, reply.body as Refusal)).toEqual([
      422,
      'validation_failed',
      ['body.max_cost_credits'],
    ]);
  });
});

describe('POST /use', () => {
  const call = async (headers: Record<string, string> = {}, body: unknown = WRONG) => {
    const reply = await use(scene.market, buyer, hosted, body, headers);
    return seen(reply.status, reply.body);
  };

  it('names three wrong fields, alone and beside wrong headers', async () => {
    expect(await call()).toEqual([422, 'input_schema_mismatch', below('body')]);
    expect(await call({ 'x-max-cost-credits': 'x' })).toEqual([
      422,
      'validation_failed',
      [...below('body'), 'header.X-Max-Cost-Credits'],
    ]);
    const three = { 'x-max-cost-credits': 'x', 'idempotency-key': 'a b', 'x-mandate': '!' };
    const headers = ['header.Idempotency-Key', 'header.X-Mandate', 'header.X-Max-Cost-Credits'];
    expect(await call(three)).toEqual([422, 'validation_failed', [...below('body'), ...headers]]);
    expect(await call(three, { n: 1 })).toEqual([422, 'validation_failed', headers]);
    expect(await call({ 'x-max-cost-credits': 'x' }, { n: 1 })).toEqual([400, 'invalid_header', undefined]);
  });

  it('names wrong headers of an agent without a schema together', async () => {
    const plain = await putSelfHosted(scene.market, developer, scene.agent.url);
    const reply = await use(scene.market, buyer, plain, 'text', {
      'x-max-cost-credits': '-1',
      'x-mandate': '!',
      'content-type': 'text/plain',
    });
    expect(seen(reply.status, reply.body as Refusal)).toEqual([
      422,
      'validation_failed',
      ['header.X-Mandate', 'header.X-Max-Cost-Credits'],
    ]);
  });
});

describe('a chat', () => {
  it.each([false, true])('names three wrong fields of its messages (stream=%s)', async (stream) => {
    const headers = { accept: stream ? 'text/event-stream' : 'application/json' };
    const alone = await chat(scene.market, buyer, agentId, TURN, { headers });
    expect(seen(alone.status, alone.refusal as Refusal)).toEqual([422, 'input_schema_mismatch', OF_TURN]);
    const body = { ...TURN, max_cost_credits: 'x', session_id: '' };
    const all = [...OF_TURN.slice(0, 3), 'body.session_id', 'body.max_cost_credits'].sort();
    const both = await chat(scene.market, buyer, agentId, body, { headers });
    expect(seen(both.status, both.refusal as Refusal)).toEqual([422, 'validation_failed', all]);
    const named = await chat(
      scene.market,
      buyer,
      agentId,
      { ...body, agent_id: agentId },
      { headers, path: '/chat/' },
    );
    expect(seen(named.status, named.refusal as Refusal)).toEqual([422, 'validation_failed', all]);
    const withKey = { ...headers, 'idempotency-key': 'a b' };
    const keyed = await chat(scene.market, buyer, agentId, TURN, { headers: withKey });
    expect(seen(keyed.status, keyed.refusal as Refusal)).toEqual([
      422,
      'validation_failed',
      [...OF_TURN, 'header.Idempotency-Key'],
    ]);
  });

  it.each(['a\u0000b', '\ud800', 'agt_'.repeat(1_000)])('refuses a malformed agent id', async (id) => {
    const body = { ...TURN, agent_id: id, max_cost_credits: 'x' };
    const reply = await chat(scene.market, buyer, id, body, { path: '/chat/' });
    expect(seen(reply.status, reply.refusal as Refusal)).toEqual([
      422,
      'validation_failed',
      ['body.agent_id', 'body.max_cost_credits'],
    ]);
  });

  it('names only fields that its caller wrote', async () => {
    const silent = await putLive(scene.market, developer.userId, scene.agent.url);
    const reply = await chat(scene.market, buyer, silent.agentId, { ...TURN, max_cost_credits: 'x' });
    expect(seen(reply.status, reply.refusal as Refusal)).toEqual([
      422,
      'validation_failed',
      ['body.max_cost_credits'],
    ]);
  });
});

describe.each([
  ['with a handshake', legacy],
  ['without', modern],
] as const)('MCP %s', (_era, ask) => {
  const META = ['io.market/max_cost_credits', 'io.market/idempotency_key'] as const;
  const call = (params: Record<string, unknown>, headers = {}) =>
    ask(scene.market, buyer, agentId, 'tools/call', { name: 'invoke', ...params }, headers);
  const ofResult = ({ body }: RpcAnswer) =>
    JSON.parse((body.result?.['content'] as { text: string }[])[0]?.text ?? '{}') as Refusal;

  it('names three wrong arguments of a tool in its result', async () => {
    const failure = ofResult(await call({ arguments: WRONG }));
    expect([failure.error?.code, places(failure)]).toEqual([
      'input_schema_mismatch',
      below('params.arguments'),
    ]);
  });

  it('names them beside wrong keys of _meta and headers in the error', async () => {
    const params = { arguments: WRONG, _meta: { [META[0]]: 'x', [META[1]]: 5 } };
    const { body } = await call(params);
    expect(body.error?.code).toBe(-32_602);
    expect(places(body.error?.data as Refusal)).toEqual(
      [...META.map((key) => `params._meta.${key}`), ...below('params.arguments')].sort(),
    );
    for (const name of [...META, ...FIELDS]) expect(body.error?.message).toContain(name);
    const header = await call({ arguments: WRONG }, { 'x-max-cost-credits': 'x', 'idempotency-key': 'a b' });
    expect(places(header.body.error?.data as Refusal)).toEqual([
      'header.Idempotency-Key',
      'header.X-Max-Cost-Credits',
      ...below('params.arguments'),
    ]);
  });

  it('names every wrong member of a call of a tool of another server', async () => {
    const gateway = await putSelfHosted(scene.market, developer, scene.agent.url, { protocol: 'mcp' });
    const name = 'x'.repeat(300);
    const params = { name, arguments: {}, _meta: { [META[0]]: 'x', [META[1]]: 5 } };
    const { body } = await legacy(scene.market, buyer, gateway.agentId, 'tools/call', params);
    expect(places(body.error?.data as Refusal)).toEqual(
      [...META.map((key) => `params._meta.${key}`), 'params.name'].sort(),
    );
  });
});

describe('A2A', () => {
  const send = async (method: 'send' | 'stream', isRpc: boolean, more: Record<string, unknown> = {}) => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: WRONG }], ...more };
    const name = method === 'send' ? 'SendMessage' : 'SendStreamingMessage';
    const response = await fetch(
      `${scene.market.url}/v1/a2a/${agentId}${isRpc ? '/rpc' : `/message:${method}`}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', cookie: buyer.cookie },
        body: JSON.stringify(
          isRpc ? { jsonrpc: '2.0', id: 1, method: name, params: { message } } : { message },
        ),
      },
    );
    return response.text();
  };
  const forms = [
    ['send', false],
    ['send', true],
    ['stream', false],
    ['stream', true],
  ] as const;

  it.each(forms)(
    'names three wrong fields in the rejected task (message:%s, JSON-RPC: %s)',
    async (...form) => {
      const text = await send(...form);
      expect(text).toContain('TASK_STATE_REJECTED');
      for (const name of FIELDS) expect(text).toContain(`["body","input","${name}"]`);
    },
  );

  it.each(forms)('names them beside wrong metadata (message:%s, JSON-RPC: %s)', async (...form) => {
    const text = await send(...form, {
      contextId: 'x'.repeat(300),
      metadata: { 'io.market/max_cost_credits': 'x', 'io.market/idempotency_key': 5 },
    });
    const names = ['max_cost_credits', 'idempotency_key', 'contextId', ...below('input')];
    for (const name of names) expect(text).toContain(name);
  });

  it('names them on the plain path beside the other fields', async () => {
    const mandate = await ownMandate(scene.market, buyer);
    const post = async (body: unknown, headers: Record<string, string> = {}) => {
      const reply = await a2a<Refusal>(scene.market, buyer, 'POST', `${agentId}/tasks`, body, headers);
      return seen(reply.status, reply.body);
    };
    expect(await post({ input: WRONG, mandate })).toEqual([
      422,
      'input_schema_mismatch',
      below('body.input'),
    ]);
    expect(await post({ input: WRONG, idempotency_key: '' })).toEqual([
      422,
      'validation_failed',
      ['body.idempotency_key', ...below('body.input'), 'body.mandate'],
    ]);
    expect(await post({ input: WRONG, mandate }, { 'idempotency-key': 'a b' })).toEqual([
      422,
      'validation_failed',
      [...below('body.input'), 'header.Idempotency-Key'],
    ]);
  });
});

it('a reset of a password names a wrong token and a common password together', async () => {
  const response = await fetch(`${scene.market.url}/v1/auth/password-reset/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: 'x'.repeat(43), new_password: 'password' }),
  });
  expect(seen(response.status, (await response.json()) as Refusal)).toEqual([
    422,
    'validation_failed',
    ['body.new_password', 'body.token'],
  ]);
});
