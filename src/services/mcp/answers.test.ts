import type { Behaviour } from '../../../test/support/agents/behaviours';
import {
  legacyServer,
  modernServer,
  refusal,
  result,
  stream,
  text,
} from '../../../test/support/agents/mcp-script';
import {
  failureOf,
  startMcpClientFixture,
  type McpClientFixture,
} from '../../../test/support/protocols/mcp-client';

let fixture: McpClientFixture;

beforeAll(async () => {
  fixture = await startMcpClientFixture();
});
beforeEach(() => fixture.reset());
afterAll(() => fixture.stop());

describe('invalid answers', () => {
  const answers: [string, (message: { id?: number; method: string }) => Behaviour, string][] = [
    ['to another id', () => ({ kind: 'answer', output: { jsonrpc: '2.0', id: 77, result: text('x') } }), 'agent_error'],
    ['not JSON-RPC', () => ({ kind: 'answer', output: { hello: 'world' } }), 'agent_error'],
    ['an HTML page', () => ({ kind: 'not_json' }), 'agent_error'],
    ['both result and error', (message) => ({ kind: 'answer', output: { jsonrpc: '2.0', id: message.id, result: {}, error: { code: 1, message: '' } } }), 'agent_error'],
    ['an error in terms of JSON-RPC', (message) => refusal(message, -32602), 'agent_error'],
    ['an unknown kind of result', (message) => result(message, { resultType: 'input_required', inputRequests: {} }), 'agent_error'],
    ['a result that is no tool result', (message) => result(message, { content: 'x' }), 'agent_error'],
    ['accepted without an answer', () => ({ kind: 'answer', status: 202, output: null }), 'agent_error'],
    ['a server error', () => ({ kind: 'status', status: 500 }), 'agent_error'],
    ['a redirect', () => ({ kind: 'redirect', location: 'https://127.0.0.1/' }), 'redirect'],
    ['an event that is not JSON', () => stream(['data: {"jsonrpc"\n\n']), 'agent_error'],
    ['bytes that are not UTF-8', () => ({ kind: 'stream', contentType: 'text/event-stream', parts: () => [Buffer.from([0x64, 0x61, 0xff, 0x0a, 0x0a])] }), 'agent_error'],
  ]; // prettier-ignore

  it.each(answers)('%s', async (_name, behaviour, kind) => {
    fixture.server.behave(modernServer({ 'tools/call': behaviour }));
    expect(await failureOf(fixture.call())).toBe(kind);
  });

  it('gives the result of a tool that failed as it is', async () => {
    const own = { ...text('no such city', true), _meta: { 'example.com/x': 1 }, more: [1] };
    fixture.server.behave(modernServer({ 'tools/call': (message) => result(message, own) }));
    const answer = await fixture.call();
    expect(answer.isError).toBe(true);
    expect(JSON.parse(answer.json.toString())).toEqual(own);
  });
});

describe('a list of tools', () => {
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

  it('is read page by page', async () => {
    fixture.server.behave(
      legacyServer(
        {
          'tools/list': (message) => {
            const page = Number(message.params?.['cursor'] ?? 0);
            return result(message, {
              tools: [tool(`t${page}`)],
              ...(page < 3 && { nextCursor: String(page + 1) }),
            });
          },
        },
        () => 's',
      ),
    );
    expect((await fixture.list()).map(({ name }) => name)).toEqual(['t0', 't1', 't2', 't3']);
    expect(fixture.methods().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it.each<[string, (message: { params?: Record<string, unknown> }) => unknown]>([
    [
      'that does not end',
      ({ params }) => ({
        tools: [tool('x')],
        nextCursor: `${(params?.['cursor'] as string | undefined) ?? ''}x`,
      }),
    ],
    ['whose cursors form a loop', () => ({ tools: [tool('x')], nextCursor: 'again' })],
    ['of items that are not tools', () => ({ tools: ['x'] })],
    ['of too many tools', () => ({ tools: Array.from({ length: 1_001 }, () => tool('x')) })],
    ['that is not a list', () => ({})],
  ])('%s is an error', async (_name, answer) => {
    fixture.server.behave(modernServer({ 'tools/list': (message) => result(message, answer(message)) }));
    expect(await failureOf(fixture.list())).toBe('agent_error');
    expect(fixture.server.deliveries.length).toBeLessThan(60);
  });
});
