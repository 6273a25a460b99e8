/** What an agent's MCP server offers and answers: its one tool, what a call costs, and how failures are reported. */
import { isPaymentRequired } from '@x402/core/schemas';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import type { Behaviour } from '../../support/agents/behaviours';
import { balance, invoke, putLive, register, type TestUser } from '../../support/market';
import { legacy, modern, type RpcAnswer } from '../../support/protocols/mcp';
import { putServerLive } from '../../support/protocols/mcp-upstream';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
let developer: TestUser;
const agent = useAgent();

beforeAll(async () => {
  developer = await register(market, 'developer');
});

const eras = [
  ['legacy', legacy],
  ['modern', modern],
] as const;
const call = (args: unknown, meta?: Record<string, unknown>) => ({
  name: 'invoke',
  arguments: args,
  ...(meta && { _meta: meta }),
});

interface Failure {
  isError: true;
  error: { code: string; message: string; retryable: boolean };
  detail?: { loc: (string | number)[] }[];
  texts: string[];
  meta: Record<string, unknown>;
}

/** The failure that a tool's result tells; checks the form that every failure has. */
function failureOf(answer: RpcAnswer): Failure {
  expect(answer.status).toBe(200);
  const { isError, content, structuredContent, _meta: meta } = answer.body.result ?? {};
  expect(isError).toBe(true);
  expect(structuredContent).toBeUndefined();
  const texts = (content as { type: string; text: string }[]).map(({ text }) => text);
  const told = JSON.parse(texts.at(-1) ?? '{}') as Failure & { trace_id: string };
  expect(meta).toMatchObject({
    'io.market/error_code': told.error.code,
    'io.market/error_message': told.error.message,
    'io.market/trace_id': answer.headers.get('x-trace-id'),
    'io.market/credits_charged': 0,
  });
  expect(told.trace_id).toBe(answer.headers.get('x-trace-id'));
  return { ...told, isError: true, texts, meta: meta as Record<string, unknown> };
}

describe('the tool of a manifest agent', () => {
  it.each(eras)('has the name invoke and the schemas of the manifest (%s)', async (_era, ask) => {
    const buyer = await register(market, 'buyer');
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const { result } = (await ask(market, buyer, agentId, 'tools/list')).body;
    const schema = { type: 'object', required: ['text'], additionalProperties: false };
    expect(result?.['tools']).toEqual([
      {
        name: 'invoke',
        title: 'Echo agent',
        description: expect.stringContaining('Echoes') as string,
        inputSchema: expect.objectContaining(schema) as unknown,
        outputSchema: expect.objectContaining(schema) as unknown,
        // A call is paid and not undone, so assistants ask first (ADR 0333).
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      },
    ]);
  });

  it('takes objects, also where the schema does not say so', async () => {
    const buyer = await register(market, 'buyer');
    const inputSchema = { required: ['text'] };
    const { agentId } = await putLive(market, developer.userId, agent.url, { inputSchema });
    const { result } = (await legacy(market, buyer, agentId, 'tools/list')).body;
    expect(result?.['tools'][0].inputSchema).toEqual({ required: ['text'], type: 'object' });
  });

  it('returns an output that is not an object to legacy clients as text only', async () => {
    const buyer = await register(market, 'buyer', 100);
    const lister = await startAgent({ behaviour: { kind: 'answer', output: [1, 2] } });
    const outputSchema = { type: 'array', items: { type: 'integer' } };
    const { agentId } = await putLive(market, developer.userId, lister.url, { outputSchema });
    const [old, recent] = await Promise.all(eras.map(([, ask]) => ask(market, buyer, agentId, 'tools/list')));
    expect(old?.body.result?.['tools'][0].outputSchema).toBeUndefined();
    expect(recent?.body.result?.['tools'][0].outputSchema).toEqual(outputSchema);
    const before = await legacy(market, buyer, agentId, 'tools/call', call({ text: 'x' }));
    expect(before.body.result).toMatchObject({ content: [{ type: 'text', text: '[1,2]' }] });
    expect(before.body.result).not.toHaveProperty('structuredContent');
    const after = await modern(market, buyer, agentId, 'tools/call', call({ text: 'x' }));
    expect(after.body.result?.['structuredContent']).toEqual([1, 2]);
    await lister.stop();
  });

  it.each(eras)('has one page, and no other tool (%s)', async (_era, ask) => {
    const buyer = await register(market, 'buyer');
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const answers = [
      await ask(market, buyer, agentId, 'tools/list', { cursor: 'x' }),
      await ask(market, buyer, agentId, 'tools/call', { name: 'echo', arguments: {} }),
      await ask(market, buyer, agentId, 'tools/call', { arguments: {} }),
      await ask(market, buyer, agentId, 'tools/call', { name: 'invoke', arguments: [] }),
    ];
    for (const { status, body } of answers) expect([status, body.error?.code]).toEqual([200, -32602]);
  });
});

describe('a call', () => {
  it.each(eras)('is paid, and its result has the id, the charge and the trace (%s)', async (_era, ask) => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const answer = await ask(market, buyer, agentId, 'tools/call', call({ text: 'zwölf "12"', n: 12 }));
    const output = { text: 'zwölf "12"', n: 12 };
    expect(answer.body.result).toMatchObject({
      content: [{ type: 'text', text: JSON.stringify(output) }],
      structuredContent: output,
      _meta: { 'io.market/credits_charged': 7, 'io.market/trace_id': answer.headers.get('x-trace-id') },
    });
    expect(answer.body.result?.['isError']).toBeUndefined();
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_300);
    const id = String(answer.body.result?.['_meta']['io.market/invocation_id']);
    const read = await fetch(`${market.url}/v1/invocations/${id}`, { headers: { cookie: buyer.cookie } });
    expect(await read.json()).toMatchObject({ surface: 'mcp', status: 'succeeded', agent_id: agentId });
  });

  it('takes an input as large as the agent does, and no larger', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1, timeoutMs: 30_000 });
    const large = await legacy(market, buyer, agentId, 'tools/call', call({ text: 'x'.repeat(9_000_000) }));
    expect(large.body.result?.['structuredContent'].text).toHaveLength(9_000_000);
    const small = await putLive(market, developer.userId, agent.url, { maxPayloadBytes: 100 });
    const refused = await legacy(market, buyer, small.agentId, 'tools/call', call({ text: 'x'.repeat(100) }));
    expect(failureOf(refused).error.code).toBe('payload_too_large');
    const beyond = await legacy(market, buyer, agentId, 'tools/call', call({ text: 'x'.repeat(13_000_000) }));
    expect([beyond.status, beyond.body.error?.code]).toEqual([413, 'payload_too_large']);
  });

  it('takes its ceiling and its key from _meta or from headers, not two different ones', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const ask = (meta: Record<string, unknown>, headers: Record<string, string> = {}) =>
      legacy(market, buyer, agentId, 'tools/call', call({ text: 'x' }, meta), headers);
    for (const [meta, headers] of [
      [{ 'io.market/max_cost_credits': 6 }, {}],
      [{}, { 'x-max-cost-credits': '6' }],
    ] as const) {
      expect(failureOf(await ask(meta, headers)).error.code).toBe('max_cost_exceeded');
    }
    for (const [meta, headers] of [
      [{ 'io.market/max_cost_credits': 6 }, { 'x-max-cost-credits': '7' }],
      [{ 'io.market/max_cost_credits': -1 }, {}],
      [{ 'io.market/max_cost_credits': '7' }, {}],
      [{}, { 'x-max-cost-credits': '1e3' }],
      [{}, { 'x-mandate': '!' }],
      [{ 'io.market/idempotency_key': '' }, {}],
      [{ 'io.market/idempotency_key': 'a' }, { 'idempotency-key': 'b' }],
    ] as [Record<string, unknown>, Record<string, string>][]) {
      expect((await ask(meta, headers)).body.error?.code).toBe(-32602);
    }
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
    const exact = await ask({ 'io.market/max_cost_credits': 7 }, { 'x-max-cost-credits': '7' });
    expect(exact.body.result?.['_meta']['io.market/credits_charged']).toBe(7);
  });

  it('is charged once for one key, over MCP and REST together', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const params = call({ text: 'once' }, { 'io.market/idempotency_key': 'order-1' });
    const first = await modern(market, buyer, agentId, 'tools/call', params);
    const again = await legacy(market, buyer, agentId, 'tools/call', call({ text: 'once' }), {
      'idempotency-key': 'order-1',
    });
    const rest = await invoke(market, buyer, agentId, {
      input: { text: 'once' },
      idempotency_key: 'order-1',
    });
    const id = first.body.result?.['_meta']['io.market/invocation_id'];
    expect(again.body.result?.['_meta']).toMatchObject({
      'io.market/invocation_id': id,
      'io.market/idempotent_replayed': true,
    });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(rest.body.invocation_id).toBe(id);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(9_300);
    const other = await modern(market, buyer, agentId, 'tools/call', {
      ...call({ text: 'twice' }, { 'io.market/idempotency_key': 'order-1' }),
    });
    expect(failureOf(other).error.code).toBe('idempotency_key_reused');
  });
});

describe('a call that fails', () => {
  const failures: [string, Behaviour, string][] = [
    ['answers with an error', { kind: 'status', status: 500 }, 'agent_error'],
    ['answers outside its schema', { kind: 'wrong_shape' }, 'output_schema_mismatch'],
    ['dies', { kind: 'dies_before_answer' }, 'agent_unreachable'],
    ['does not answer', { kind: 'hangs' }, 'agent_timeout'],
  ];
  it.each(failures)('is a free result of the tool when the agent %s', async (_name, behaviour, code) => {
    const buyer = await register(market, 'buyer', 100);
    const failing = await startAgent({ behaviour });
    const { agentId } = await putLive(market, developer.userId, failing.url, { timeoutMs: 1_000 });
    for (const [, ask] of eras) {
      const failure = failureOf(await ask(market, buyer, agentId, 'tools/call', call({ text: 'x' })));
      expect(failure.error.code).toBe(code);
      expect(failure.meta['io.market/invocation_id']).toMatch(/^inv_/);
      expect(JSON.stringify(failure)).not.toContain('AGENT-SECRET-DETAIL');
    }
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
    await failing.stop();
  });

  it('reports where the arguments are wrong', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url);
    const failure = failureOf(await modern(market, buyer, agentId, 'tools/call', call({ text: 5 })));
    expect(failure.error.code).toBe('input_schema_mismatch');
    expect(failure.detail?.[0]?.loc).toEqual(['params', 'arguments', 'text']);
  });

  it.each(eras)('reports the credits that the wallet lacks (%s)', async (_era, ask) => {
    const buyer = await register(market, 'buyer', 5);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const failure = failureOf(await ask(market, buyer, agentId, 'tools/call', call({ text: 'x' })));
    expect(failure.error.code).toBe('insufficient_credits');
    expect(failure.texts).toHaveLength(2);
    const payment = JSON.parse(failure.texts[0] ?? '') as { accepts: { amount: string; asset: string }[] };
    expect(payment).toMatchObject({
      x402Version: 2,
      resource: { url: expect.stringContaining(`/mcp/a/${agentId}`) as string },
    });
    expect(payment.accepts.map(({ amount, asset }) => [amount, asset])).toEqual([['7', 'credit']]);
    expect(failure.meta['x402/payment-required']).toEqual(payment);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(500);
  });
});

describe('a plain agent without a manifest', () => {
  async function plain(behaviour: Behaviour): Promise<{ agentId: string; server: TestAgent }> {
    const server = await startAgent({ behaviour });
    return { server, agentId: await putServerLive(market, developer.userId, server.url, 'http') };
  }

  it('has a tool that accepts any object, and answers objects to all clients, and other values to modern clients', async () => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId, server } = await plain({ kind: 'echo' });
    const { result } = (await legacy(market, buyer, agentId, 'tools/list')).body;
    expect(result?.['tools']).toEqual([
      expect.objectContaining({ name: 'invoke', title: 'Self-hosted', inputSchema: { type: 'object' } }),
    ]);
    expect(result?.['tools'][0]).not.toHaveProperty('outputSchema');
    const object = await legacy(market, buyer, agentId, 'tools/call', call({ any: ['thing'] }));
    expect(object.body.result?.['structuredContent']).toEqual({ any: ['thing'] });
    server.behave({ kind: 'answer', output: 5 });
    const before = await legacy(market, buyer, agentId, 'tools/call', call({}));
    expect(before.body.result).toMatchObject({ content: [{ type: 'text', text: '5' }] });
    expect(before.body.result).not.toHaveProperty('structuredContent');
    const after = await modern(market, buyer, agentId, 'tools/call', call({}));
    expect(after.body.result?.['structuredContent']).toBe(5);
    await server.stop();
  });

  it.each<[string, unknown]>([
    ['image/png', { type: 'image', mimeType: 'image/png', data: 'AP/+' }],
    ['audio/mpeg; rate=1', { type: 'audio', mimeType: 'audio/mpeg', data: 'AP/+' }],
    ['application/zip', { type: 'resource', resource: { mimeType: 'application/zip', blob: 'AP/+' } }],
  ])('answers bytes of %s as content of that type', async (contentType, content) => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId, server } = await plain({
      kind: 'stream',
      contentType,
      parts: () => [Buffer.from([0, 255, 254])],
    });
    for (const [, ask] of eras) {
      const { result } = (await ask(market, buyer, agentId, 'tools/call', call({}))).body;
      expect(result).toMatchObject({ content: [content], _meta: { 'io.market/content_type': contentType } });
      expect(result).not.toHaveProperty('structuredContent');
    }
    await server.stop();
  });

  it.each(eras)(
    'reports the credits that the wallet lacks where x402 clients look first (%s)',
    async (_era, ask) => {
      const buyer = await register(market, 'buyer', 1);
      const { agentId, server } = await plain({ kind: 'echo' });
      const { result } = (await ask(market, buyer, agentId, 'tools/call', call({}))).body;
      expect(result).toMatchObject({
        isError: true,
        structuredContent: {
          x402Version: 2,
          error:
            'insufficient_credits: This call needs 3 credits; the wallet has 1 credit available. Top up at least 2 credits (POST /v1/billing/topup), then repeat the call.',
        },
      });
      expect(isPaymentRequired(result?.['structuredContent'])).toBe(true);
      await server.stop();
    },
  );

  it.each(eras)('answers text that is not JSON unchanged (%s)', async (_era, ask) => {
    const buyer = await register(market, 'buyer', 100);
    const { agentId, server } = await plain({ kind: 'not_json' });
    const answer = await ask(market, buyer, agentId, 'tools/call', call({}));
    expect(answer.body.result).toMatchObject({
      content: [{ type: 'text', text: '<html>AGENT-SECRET-DETAIL</html>' }],
      _meta: { 'io.market/content_type': 'text/html', 'io.market/credits_charged': 3 },
    });
    expect(answer.body.result).not.toHaveProperty('structuredContent');
    await server.stop();
  });
});
