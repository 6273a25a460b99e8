/** Traces of calls and cases, as a receiver of OTLP over HTTP gets them. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spanIdOf, spanSink } from '../../../src/kit/tracing';
import { createLogger } from '../../../src/logger';
import { exportTraces } from '../../../src/workers/tracing/trace-export';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { makeKey } from '../../support/accounts/keys';
import { openCase, respond } from '../../support/disputes/disputes';
import { keptMarket } from '../../support/kept-market';
import { eventually, invoke, putLive, register, type TestMarket, type TestUser } from '../../support/market';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number; message?: string };
  attributes: { key: string; value: Record<string, unknown> }[];
}

let market: TestMarket;
let agent: TestAgent;
let buyer: TestUser;
let developer: TestUser;
let agentId: string;
let receiver: Server;
let endpoint: string;
const spans: Span[] = [];
const services = new Set<string>();

beforeAll(async () => {
  receiver = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.once('end', () => {
      expect(req.url).toBe('/v1/traces');
      const body = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: {
          resource: { attributes: { key: string; value: { stringValue: string } }[] };
          scopeSpans: { spans: Span[] }[];
        }[];
      };
      for (const { resource, scopeSpans } of body.resourceSpans) {
        for (const { key, value } of resource.attributes) if (key === 'service.name') services.add(value.stringValue);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  [market, agent] = await Promise.all([keptMarket(), startAgent()]);
  buyer = await register(market, 'buyer', 100);
  developer = await register(market, 'developer');
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 2 })).agentId;
}); // prettier-ignore
afterAll(async () => {
  await agent.stop();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await market.stop();
});

const settings = (more: object = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER_ARG: 1,
  ...more,
});
const logger = createLogger('test', 'silent');
const named = (traceId: string, name: string) =>
  spans.find((span) => span.traceId === traceId && span.name === name);

async function callWith(traceparent: string, text: string) {
  const response = await fetch(`${market.url}/v1/agents/${agentId}/invoke`, {
    method: 'POST',
    headers: { cookie: buyer.cookie, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ input: { text } }),
  });
  return { status: response.status, traceId: response.headers.get('x-trace-id') };
}

it('follows a call from its caller over the request, the engine and the steps to the agent', async () => {
  const traces = await exportTraces(settings(), 'api', logger);
  const traceId = 'a'.repeat(31) + '1';
  const parent = 'b'.repeat(16);
  try {
    expect(await callWith(`00-${traceId}-${parent}-01`, 'traced secret')).toEqual({ status: 200, traceId });
    await eventually(() =>
      Promise.resolve(['start workflow', 'settle', 'call'].every((name) => named(traceId, name))),
    );
    await eventually(() =>
      Promise.resolve(named(traceId, 'POST /v1/agents/{agent_id}/invoke') !== undefined),
    );
  } finally {
    await traces.close();
  }
  const request = named(traceId, 'POST /v1/agents/{agent_id}/invoke');
  expect(request).toMatchObject({ parentSpanId: parent, kind: 2 });
  const call = named(traceId, 'call');
  expect(call?.parentSpanId).toBe(request?.spanId);
  for (const name of ['start workflow', 'forward', 'validate', 'settle'])
    expect([name, named(traceId, name)?.parentSpanId]).toEqual([name, call?.spanId]);
  const told = (span?: Span) =>
    Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
  const invoked = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.id': agentId };
  expect(told(call)).toMatchObject({ ...invoked, 'gen_ai.agent.version': '1.0.0' });
  expect(Number(told(call)['gen_ai.usage.input_tokens'])).toBeGreaterThan(0);
  expect(told(named(traceId, 'forward'))).toMatchObject(invoked);
  const [, , sent] = String(agent.deliveries.at(-1)?.headers['traceparent']).split('-');
  expect(sent).toBe(named(traceId, 'forward')?.spanId);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  expect(services).toEqual(new Set(['api']));
  // Spans have ids and codes, and nothing that people write.
  expect(JSON.stringify(spans)).not.toMatch(/traced secret|127\.0\.0\.1|@/);
});

it('says which method of MCP a request calls, and no other text of it', async () => {
  const traces = await exportTraces(settings(), 'api', logger);
  const traceId = 'a'.repeat(31) + '3';
  const { key } = await makeKey(market, buyer, { scopes: ['agents:invoke', 'agents:read'] });
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    traceparent: `00-${traceId}-${'d'.repeat(16)}-01`,
  };
  const say = (method: string, params: object) =>
    fetch(`${market.url}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }).then((response) => response.text());
  try {
    await say('tools/call', { name: 'get_balance', arguments: {} });
    await say('tools/call', { name: 'a secret text', arguments: {} });
    await say('hidden/method', {});
    await eventually(() =>
      Promise.resolve(
        spans.filter((span) => span.traceId === traceId && span.name === 'POST /mcp').length === 3,
      ),
    );
  } finally {
    await traces.close();
  }
  const ofTrace = spans.filter((span) => span.traceId === traceId && span.name === 'POST /mcp');
  const texts = ofTrace.map(({ attributes }) => JSON.stringify(attributes));
  expect(
    texts.filter((text) => text.includes('"tools/call"') && text.includes('"execute_tool"')),
  ).toHaveLength(2);
  expect(texts.filter((text) => text.includes('"get_balance"'))).toHaveLength(1);
  expect(texts.join()).not.toMatch(/a secret text|hidden/);
});

it('records the error code of a call that fails', async () => {
  const traces = await exportTraces(settings(), 'api', logger);
  const traceId = 'a'.repeat(31) + '2';
  agent.behave({ kind: 'status', status: 500 });
  try {
    expect((await callWith(`00-${traceId}-${'c'.repeat(16)}-01`, 'x')).status).toBe(502);
    await eventually(() => Promise.resolve(named(traceId, 'call') !== undefined));
  } finally {
    agent.behave({ kind: 'echo' });
    await traces.close();
  }
  expect(named(traceId, 'call')?.status).toEqual({ code: 2, message: 'agent_error' });
  expect(named(traceId, 'refund')?.parentSpanId).toBe(named(traceId, 'call')?.spanId);
});

it('records the activities of a workflow in a trace of its own', async () => {
  const traces = await exportTraces(settings(), 'worker', logger);
  try {
    const { disputeId } = await openCase(market, buyer, agentId);
    expect((await respond(market, developer, disputeId, 'accept')).status).toBe(200);
    const ofCase = () =>
      spans.filter(({ attributes }) =>
        attributes.some(({ value }) => String(value['stringValue']).endsWith(`dispute/${disputeId}`)),
      );
    await eventually(() => Promise.resolve(ofCase().length > 0));
    expect(new Set(ofCase().map(({ traceId }) => traceId)).size).toBe(1);
    expect(ofCase().every(({ name }) => name.startsWith('activity '))).toBe(true);
  } finally {
    await traces.close();
  }
});

it('exports no trace outside of the share, and nothing without an endpoint', async () => {
  const before = spans.length;
  const none = await exportTraces(settings({ OTEL_TRACES_SAMPLER_ARG: 0 }), 'api', logger);
  expect((await invoke(market, buyer, agentId, { input: { text: 'x' } })).status).toBe(200);
  await none.close();
  expect(spans.length).toBe(before);
  const off = await exportTraces(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }), 'api', logger);
  expect(spanSink()).toBeUndefined();
  await off.close();
  expect(spanIdOf('inv_1')).toMatch(/^[0-9a-f]{16}$/);
});

it('loses spans, and no call, when the receiver is away', async () => {
  const away = await exportTraces(settings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }), 'api', logger);
  expect((await invoke(market, buyer, agentId, { input: { text: 'x' } })).status).toBe(200);
  await away.close();
}); // prettier-ignore
