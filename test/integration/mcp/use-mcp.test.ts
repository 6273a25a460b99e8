import { Webhook } from 'standardwebhooks';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../src/kit/json/canonical-json';
import type { Behaviour, Delivery } from '../../support/agents/behaviours';
import {
  event,
  legacyServer,
  messageOf,
  modernServer,
  refusal,
  result,
  stream,
  text,
} from '../../support/agents/mcp-script';
import { startMcpServer, type McpManner } from '../../support/agents/mcp-server';
import { balance, invoke, register, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { putSelfHosted, use, type SelfHosted } from '../../support/calls/use';
import { useScene } from '../../support/use-market';

const scene = useScene();
let hosted: SelfHosted;
let buyer: TestUser;

beforeAll(async () => {
  hosted = await putSelfHosted(scene.market, scene.developer, `${scene.agent.url}/mcp`, { protocol: 'mcp' });
});
beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 100);
  scene.agent.forget();
});

const spent = async () => 100 - (await balance(scene.market.owner, buyer.userId, 'wallet')) / 100;
const escrow = () => balance(scene.market.owner, buyer.userId, 'escrow');
const toolCall = { tool: 'add', arguments: { a: 2, b: 3 } };

function calls(): Delivery[] {
  return scene.agent.deliveries.filter((delivery) => messageOf(delivery).method === 'tools/call');
}

describe('an MCP agent of the official library', () => {
  it.each<McpManner>(['modern-json', 'modern-sse', 'legacy-session-json', 'legacy-session-sse', 'both-sse'])(
    'is called by use and by invoke at the same price: %s',
    async (manner) => {
      const server = await startMcpServer(manner);
      const agent = await putSelfHosted(scene.market, scene.developer, server.url, { protocol: 'mcp' });
      const used = await use(scene.market, buyer, agent, toolCall);
      expect(used).toMatchObject({
        status: 200,
        body: {
          output: { content: [{ type: 'text', text: '5' }], structuredContent: { sum: 5 } },
          usage: { credits_charged: 10 },
        },
      });
      const invoked = await invoke(scene.market, buyer, agent.agentId, { input: toolCall });
      expect(invoked.body.output).toEqual(used.body.output);
      expect(invoked.body.usage?.credits_charged).toBe(10);
      for (let times = 0; times < 2; times += 1) {
        const bad = await use(scene.market, buyer, agent, { tool: 'nothing' });
        expect([bad.status, bad.body.error?.code]).toEqual([422, 'input_schema_mismatch']);
        expect(bad.body.error).toMatchObject({ retryable: false });
        expect(bad.body.error?.message).toMatch(
          /^The agent has no tool "nothing"\. Its tools are: .*\badd\b/,
        );
        expect(bad.body.detail?.[0]?.loc).toEqual(['body', 'tool']);
      }
      expect(await spent()).toBe(20);
      await server.stop();
    },
  );
});

describe('a tool call', () => {
  beforeEach(() =>
    scene.agent.behave(modernServer({ 'tools/call': (message) => result(message, text('ok')) })),
  );

  it('is signed as the call in each message, and only the tool call has its idempotency key', async () => {
    scene.agent.behave(legacyServer({ 'tools/call': (message) => result(message, text('ok')) }, () => 's'));
    const reply = await use(scene.market, buyer, hosted, toolCall);
    expect(reply.status).toBe(200);
    const [call] = calls();
    expect(call?.headers).toMatchObject({
      'idempotency-key': reply.body.invocation_id,
      'webhook-id': reply.body.invocation_id,
    });
    for (const delivery of scene.agent.deliveries.filter(({ method }) => method === 'POST')) {
      const headers = delivery.headers as Record<string, string>;
      expect(new Webhook(hosted.signingSecret).verify(delivery.body.toString(), headers)).toBeTruthy();
      expect(headers['x-invocation-id']).toBe(reply.body.invocation_id);
      if (delivery !== call) expect(headers['idempotency-key']).toBeUndefined();
    }
  });

  it('has a receipt over the canonical input and the result', async () => {
    const reply = await use(scene.market, buyer, hosted, toolCall);
    const path = `/v1/invocations/${reply.body.invocation_id}`;
    const { body } = await request<{ surface: string; evidence: { receipt: Record<string, unknown> } }>(
      scene.market,
      buyer,
      'GET',
      path,
    );
    const hash = (value: unknown) => createHash('sha256').update(canonicalJson(value)).digest('hex');
    expect(body).toMatchObject({
      surface: 'use',
      evidence: { receipt: { input_sha256: hash(toolCall), output_sha256: hash(text('ok')) } },
    });
  });

  it('is one call with one key, on whatever surface', async () => {
    const key = { 'idempotency-key': 'tool-1' };
    const first = await use(scene.market, buyer, hosted, toolCall, key);
    const again = await invoke(scene.market, buyer, hosted.agentId, { input: toolCall }, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(calls()).toHaveLength(1);
    expect(await spent()).toBe(10);
  });

  it.each<[string, unknown, string[]]>([
    ['without a tool', { arguments: {} }, ['body', 'tool']],
    ['with a tool that is no name', { tool: 7 }, ['body', 'tool']],
    ['with arguments that are none', { tool: 'add', arguments: [1] }, ['body', 'arguments']],
    ['with more than that', { tool: 'add', arguments: {}, extra: 1 }, ['body', 'extra']],
  ])('is refused %s', async (_name, body, loc) => {
    const reply = await use(scene.market, buyer, hosted, body);
    expect([reply.status, reply.body.error?.code]).toEqual([422, 'input_schema_mismatch']);
    expect(reply.body.detail?.[0]?.loc).toEqual(loc);
    expect(scene.agent.deliveries).toHaveLength(0);
  });
});

describe('a failure of a tool', () => {
  it('is delivered unchanged, and costs nothing, if the tool reports it', async () => {
    const own = { ...text('AGENT says: no such city', true), _meta: { 'example.com/a': 1 } };
    scene.agent.behave(modernServer({ 'tools/call': (message) => result(message, own) }));
    const key = { 'idempotency-key': 'error-1' };
    const reply = await use(scene.market, buyer, hosted, toolCall, key);
    expect(reply).toMatchObject({ status: 200, body: { output: own, usage: { credits_charged: 0 } } });
    const replay = await use(scene.market, buyer, hosted, toolCall, key);
    expect(replay.body).toEqual(reply.body);
    expect(await spent()).toBe(0);
    expect(await escrow()).toBe(0);
    const { body } = await request(scene.market, buyer, 'GET', `/v1/invocations/${reply.body.invocation_id}`);
    expect(body).toMatchObject({ status: 'succeeded', usage: { credits_charged: 0 } });
  });

  const reply = (message: { id?: number | undefined }, value: unknown) => ({
    jsonrpc: '2.0',
    id: message.id,
    result: value,
  });
  const megabytes = function* () {
    yield 'data: "';
    for (let sent = 0; sent < 100; sent += 1) yield 'x'.repeat(1024 * 1024);
  };
  const failures: [string, (message: ReturnType<typeof messageOf>) => Behaviour, string][] = [
    ['a JSON-RPC error', (message) => refusal(message, -32603), 'agent_error'],
    ['a wrong id', () => ({ kind: 'answer', output: reply({ id: 999 }, text('AGENT-SECRET-DETAIL')) }), 'agent_error'],
    ['only forged events', (message) => stream([event(reply(message, text('AGENT-SECRET-DETAIL')), 'done'), event(reply({ id: 0 }, text('x')))]), 'agent_error'],
    ['a stream that ends early', () => stream([event({ jsonrpc: '2.0', method: 'notifications/progress' })]), 'agent_error'],
    ['a connection that breaks early', () => stream([': hello\n\n'], 'dies'), 'agent_error'],
    ['a line of 100 MB', () => ({ kind: 'stream', contentType: 'text/event-stream', parts: megabytes }), 'response_too_large'],
    ['a redirect', () => ({ kind: 'redirect', location: 'https://127.0.0.1/' }), 'agent_error'],
    ['a page', () => ({ kind: 'not_json' }), 'agent_error'],
    ['half of its answer', () => ({ kind: 'dies_mid_answer' }), 'agent_error'],
  ]; // prettier-ignore

  it.each(failures)('fails one call and nothing else: %s', async (_name, behaviour, code) => {
    scene.agent.behave(modernServer({ 'tools/call': behaviour }));
    const startedAt = performance.now();
    const bad = await use(scene.market, buyer, hosted, toolCall);
    expect(performance.now() - startedAt).toBeLessThan(20_000); // the agent would have 30 s
    expect([bad.status, bad.body.error?.code]).toEqual([502, code]);
    expect(JSON.stringify(bad.body)).not.toContain('AGENT-SECRET-DETAIL');
    expect(await spent()).toBe(0);
    scene.agent.behave(modernServer({ 'tools/call': (message) => result(message, text('ok')) }));
    expect((await use(scene.market, buyer, hosted, toolCall)).status).toBe(200);
    expect(await spent()).toBe(10);
  });
});
