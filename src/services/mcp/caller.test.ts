import { reactTo, type ToolCaller } from './caller';
import { MODERN_VERSION, type RpcRequest, type RpcResponse } from './protocol';

const call = (params: Record<string, unknown> = {}): RpcRequest => ({
  jsonrpc: '2.0',
  id: 3,
  method: 'tools/call',
  params,
});

function heard(caller?: Partial<ToolCaller>, request = call()) {
  const responses: RpcResponse[] = [];
  const told: [string, unknown][] = [];
  const notify = (method: string, params: unknown) => void told.push([method, params]);
  const whole = { wantsProgress: false, logLevel: null, elicits: false, round: null, notify, ...caller };
  const hear = reactTo(request, caller && whole, (response) => void responses.push(response));
  return { hear, responses, told };
}

const form = (properties: Record<string, unknown>) => ({
  id: 'e',
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties } },
});

it('answers a ping, and names each other request that does not pass', () => {
  const { hear, responses } = heard();
  for (const method of ['ping', 'sampling/createMessage', 'roots/list', 'odd/method'])
    hear({ id: method, method });
  expect(responses.map(({ id, result, error }) => [id, result ?? error?.message])).toEqual([
    ['ping', {}],
    ['sampling/createMessage', expect.stringContaining('passes no sampling on')],
    ['roots/list', expect.stringContaining('passes no roots on')],
    ['odd/method', expect.stringContaining('odd/method')],
  ]);
});

it('answers requests in the stream of any method, and shows no form where a server may not ask', () => {
  const ask = async () => ({ action: 'accept' });
  const { hear, responses } = heard({ ask }, { ...call(), method: 'tools/list' });
  hear({ id: 1, method: 'roots/list' });
  hear({ id: 2, method: 'elicitation/create', params: {} });
  expect(responses.map(({ id, error }) => [id, error?.code])).toEqual([
    [1, -32601],
    [2, -32601],
  ]);
});

it('answers at most 64 requests, and none of a server of 2026-07-28', () => {
  const { hear, responses } = heard();
  for (let n = 0; n < 100; n += 1) hear({ id: n, method: 'ping' });
  expect(responses).toHaveLength(64);
  const modern = heard({}, call({ _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN_VERSION } }));
  modern.hear({ id: 1, method: 'ping' });
  expect(modern.responses).toEqual([]);
});

it('shows a form and returns its answer, and refuses one that asks for a secret', async () => {
  const ask = async () => ({ action: 'accept', content: { name: 'Ada' } });
  const { hear, responses } = heard({ ask });
  hear(form({ name: { type: 'string' } }));
  hear(form({ api_key: { type: 'string' } }));
  hear(form({ x: { type: 'string', format: 'password' } }));
  await new Promise(setImmediate);
  expect(responses.map(({ result, error }) => result ?? error?.message)).toEqual(
    expect.arrayContaining([
      { action: 'accept', content: { name: 'Ada' } },
      expect.stringContaining('a secret ("api_key")'),
      expect.stringContaining('a secret ("x")'),
    ]),
  );
});

it('passes progress with its own token only, and log messages from the level on', () => {
  const { hear, told } = heard({ wantsProgress: true, logLevel: 'warning' });
  hear({ method: 'notifications/progress', params: { progressToken: 3, progress: 1 } });
  hear({ method: 'notifications/progress', params: { progressToken: 4, progress: 2 } });
  hear({ method: 'notifications/progress', params: { progressToken: 3, progress: 'x' } });
  for (const level of ['info', 'warning', 'emergency', 'odd'])
    hear({ method: 'notifications/message', params: { level, data: level } });
  expect(told).toEqual([
    ['notifications/progress', { progress: 1 }],
    ['notifications/message', { level: 'warning', data: 'warning' }],
    ['notifications/message', { level: 'emergency', data: 'emergency' }],
  ]);
});
