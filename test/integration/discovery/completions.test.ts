/** Agents that chat, called by OpenAI's own client library (contract, "The market for machines"; ADR 0301). */
import OpenAI from 'openai';
import { type Behaviour, eventStream } from '../../support/agents/behaviours';
import type { TestManifestOptions } from '../../support/agents/manifest';
import { CHAT_SCHEMAS, TURN } from '../../support/calls/chat';
import { FAILURES } from '../../support/calls/chat-behaviours';
import { makeKey } from '../../support/accounts/keys';
import { balance, putLive, register, type TestUser } from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
const agent = useAgent();
let developer: TestUser;
let buyer: TestUser;
let openai: OpenAI;

beforeAll(async () => {
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  openai = clientOf(await keyOf());
});

const clientOf = (key: string | undefined, options: object = {}) =>
  new OpenAI({
    baseURL: `${market.url}/v1`,
    apiKey: 'unused',
    ...(key !== undefined && { defaultHeaders: { 'X-API-Key': key } }),
    ...options,
  });

async function live(behaviour: Behaviour, options: TestManifestOptions = {}) {
  agent.behave(behaviour);
  return putLive(market, developer.userId, agent.url, { credits: 10, ...CHAT_SCHEMAS, ...options });
}

const keyOf = async () => (await makeKey(market, buyer, { scopes: ['agents:invoke'] })).key;
const wallet = () => balance(market.owner, buyer.userId, 'wallet');
const messages = TURN.messages as OpenAI.ChatCompletionMessageParam[];
/** What the market adds to the last part of a completion. */
const marketOf = (part: object | undefined) =>
  (part as { market?: Record<string, unknown> } | undefined)?.market;

async function refused(work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  return work.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
  );
}

describe('a completion', () => {
  it('is one document, paid once', async () => {
    const { agentId } = await live(eventStream(['Hello ', '"world"\n', '😀']));
    const before = await wallet();
    const reply = await openai.chat.completions.create({ model: agentId, messages, temperature: 0.2 });
    expect(reply).toMatchObject({
      object: 'chat.completion',
      model: agentId,
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello "world"\n😀' }, finish_reason: 'stop' },
      ],
    });
    expect(reply.usage?.total_tokens).toBe(
      (reply.usage?.prompt_tokens ?? 0) + (reply.usage?.completion_tokens ?? 0),
    );
    const { invocation_id: invocationId, credits_charged: credits } = marketOf(reply) ?? {};
    expect([credits, before - (await wallet())]).toEqual([10, 1_000]);
    const { rows } = await market.owner.query(
      'SELECT surface, status FROM invocations WHERE invocation_id = $1',
      [invocationId],
    );
    expect(rows).toEqual([{ surface: 'chat', status: 'succeeded' }]);
    expect(JSON.parse(agent.deliveries.at(-1)?.body.toString() ?? '{}')).toEqual({
      messages,
      session_id: expect.stringMatching(/^ses_/) as unknown,
    });
  });

  it('is a stream whose pieces come while the agent speaks, with the usage last', async () => {
    const { agentId } = await live(eventStream(['one ', 'two ', 'three'], 150));
    const before = await wallet();
    const stream = await openai.chat.completions.create({
      model: agentId,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    const times: number[] = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      times.push(performance.now());
    }
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('one two three');
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.filter(({ choices }) => choices[0]?.finish_reason === 'stop')).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { total_tokens: expect.any(Number) as unknown },
    });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(100);
    expect(marketOf(chunks.at(-2))).toMatchObject({ credits_charged: 10 });
    expect(before - (await wallet())).toBe(1_000);
  });

  it('names its agent by owner and slug, keeps a ceiling, and is paid once under its key', async () => {
    const { agentId } = await live(eventStream(['hi']));
    const { rows } = await market.owner.query<{ slug: string; developer_id: string }>(
      'SELECT slug, developer_id FROM agents JOIN users ON user_id = developer_user_id WHERE agent_id = $1',
      [agentId],
    );
    const model = `${rows[0]?.developer_id}/${rows[0]?.slug}`;
    const before = await wallet();
    const headers = { 'Idempotency-Key': agentId, 'X-Max-Cost-Credits': '10' };
    const twice = [
      await openai.chat.completions.create({ model, messages }, { headers }),
      await openai.chat.completions.create({ model, messages }, { headers }),
    ];
    expect(twice.map(({ choices }) => choices[0]?.message.content)).toEqual(['hi', 'hi']);
    expect(before - (await wallet())).toBe(1_000);
    const low = { headers: { 'X-Max-Cost-Credits': '9' } };
    const error = await refused(openai.chat.completions.create({ model, messages }, low));
    expect([error.status, error.code, error.type]).toEqual([402, 'max_cost_exceeded', 'insufficient_quota']);
  });

  it('of 3 MiB arrives whole', async () => {
    const text = 'é😀"'.repeat((3 * 1024 * 1024) / 8);
    const { agentId } = await live({ kind: 'answer', output: { text } }, { timeoutMs: 60_000 });
    const reply = await openai.chat.completions.create({ model: agentId, messages });
    expect(reply.choices[0]?.message.content === text).toBe(true);
  });
});

it('notes whether a manifest chats, also of one with a character that Postgres cannot store', async () => {
  const manifest = (schema: object) => JSON.stringify({ display_name: 'A', input_schema: schema });
  const chatting = manifest({ properties: { messages: {} } });
  const named = (name: string) => chatting.replace('"A"', `"${name}"`);
  const texts = [
    chatting,
    manifest({ properties: { text: {} } }),
    named('\\u0000\\\\\\u0000b'),
    named('\\\\u0000'),
    '{}',
  ];
  const { rows } = await market.owner.query<{ chats: boolean; name: string | null }>(
    `SELECT manifest_chats(text) AS chats, manifest_json(text) ->> 'display_name' AS name
       FROM unnest($1::text[]) WITH ORDINALITY t (text, n) ORDER BY n`,
    [texts],
  );
  expect(rows.map(({ chats }) => chats)).toEqual([true, false, true, true, false]);
  expect(rows.map(({ name }) => name)).toEqual(['A', 'A', '\\b', '\\u0000', null]);
});

describe('a completion that fails costs nothing', () => {
  it.each(FAILURES.filter(([, , code]) => code !== 'response_too_large' && code !== 'agent_timeout'))(
    'when %s',
    async (_name, behaviour, code) => {
      const { agentId } = await live(behaviour);
      const before = await wallet();
      const once = clientOf(undefined, { maxRetries: 0 }).withOptions({
        defaultHeaders: { 'X-API-Key': await keyOf() },
      });
      const whole = await refused(once.chat.completions.create({ model: agentId, messages }));
      expect([whole.code, whole.type]).toEqual([code, 'server_error']);
      const streamed = async () => {
        const stream = await once.chat.completions.create({ model: agentId, messages, stream: true });
        for await (const chunk of stream) expect(chunk.object).toBe('chat.completion.chunk');
      };
      const error = await refused(streamed());
      expect([error.code, error.type]).toEqual([code, 'server_error']);
      expect(await wallet()).toBe(before);
    },
  );

  it.each<[string, Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, string]>([
    ['two choices', { n: 2 }, 'n'],
    ['a tool', { tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools'],
    ['JSON', { response_format: { type: 'json_object' } }, 'response_format'],
    ['log probabilities', { logprobs: true }, 'logprobs'],
    ['no message', { messages: [] }, 'messages'],
  ])('when it asks for %s', async (_name, asked, param) => {
    const { agentId } = await live(eventStream(['hi']));
    const error = await refused(openai.chat.completions.create({ model: agentId, messages, ...asked }));
    expect([error.status, error.code, error.type, error.param]).toEqual([
      422,
      'validation_failed',
      'invalid_request_error',
      param,
    ]);
    expect(error.message).toContain(`${param} `);
  });

  it('when its agent does not exist or does not chat, and says so', async () => {
    const mute = await live(eventStream(['hi']), {
      inputSchema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    });
    const errors = [];
    for (const model of ['gpt-4o', 'agt_nobody_v1', 'demo/nothing', 'a/b/c', mute.agentId])
      errors.push(await refused(openai.chat.completions.create({ model, messages })));
    expect(errors.map(({ status, code }) => [status, code])).toEqual([
      ...Array.from({ length: 4 }, () => [404, 'not_found']),
      [422, 'input_schema_mismatch'],
    ]);
    expect(errors[0]?.message).toContain('GET /v1/models');
    expect(errors[4]?.message).toContain('does not chat');
  });

  it('when the key is sent as a Bearer value, and says where it belongs', async () => {
    const key = await keyOf();
    const bearer = new OpenAI({ baseURL: `${market.url}/v1`, apiKey: key });
    const error = await refused(bearer.chat.completions.create({ model: 'agt_nobody_v1', messages }));
    expect([error.status, error.code, error.type]).toEqual([
      401,
      'not_authenticated',
      'authentication_error',
    ]);
    expect(error.message).toContain('default_headers={"X-API-Key"');
    const wrong = await refused(clientOf('amk_live_wrong').models.list());
    expect([wrong.status, wrong.message]).toEqual([
      401,
      expect.stringContaining('This API key is not valid'),
    ]);
  });
});

describe('models', () => {
  it('are the listed agents that chat', async () => {
    const speaks = await live(eventStream(['hi']));
    const mute = await live(eventStream(['hi']), {
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    });
    const ids = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    expect(ids).toContain(speaks.agentId);
    expect(ids).not.toContain(mute.agentId);
    expect(await openai.models.retrieve(speaks.agentId)).toMatchObject({
      id: speaks.agentId,
      object: 'model',
      created: expect.any(Number) as unknown,
      owned_by: expect.stringMatching(/^dev_/) as unknown,
      market: { pricing: { model: 'per_call' } },
    });
    const missing = await refused(openai.models.retrieve('agt_nobody_v1'));
    expect([missing.status, missing.code]).toEqual([404, 'not_found']);
    const filtered = await fetch(`${market.url}/v1/listings?chat=true&limit=100`, {
      headers: { cookie: buyer.cookie },
    });
    const { items } = (await filtered.json()) as { items: { agent_id: string }[] };
    expect(items.map(({ agent_id: id }) => id)).toEqual(ids);
  });
});
