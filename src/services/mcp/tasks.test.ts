/** Tasks of MCP servers of both eras: of the official library, and of servers that do what it never does. */
import { testCertificates } from '../../../test/support/agents/authority';
import type { Behaviour, Delivery } from '../../../test/support/agents/behaviours';
import {
  type Answers,
  legacyServer,
  messageOf,
  type McpMessage,
  modernServer,
  refusal,
  result,
  text,
} from '../../../test/support/agents/mcp-script';
import { answer, startTaskServer, type TaskServer } from '../../../test/support/agents/mcp-tasks';
import {
  failureOf,
  type McpClientFixture,
  startMcpClientFixture,
} from '../../../test/support/protocols/mcp-client';
import type { TakenTask } from './client';
import type { McpTarget } from './target';

const ERAS = ['modern', 'legacy'] as const;
const TASKS = { ttlMs: 600_000 };
let fixture: McpClientFixture;

beforeAll(async () => {
  await testCertificates();
  fixture = await startMcpClientFixture();
});
beforeEach(() => fixture.reset());
afterAll(() => fixture.stop());

async function taken(target: McpTarget, tool?: string): Promise<TakenTask> {
  const started = await fixture.start(target, tool);
  if (!('address' in started)) throw new Error('no task');
  return started;
}

describe.each(ERAS)('a %s server of the official library', (era) => {
  let server: TaskServer;
  let target: McpTarget;

  beforeEach(async () => {
    server = await startTaskServer(era);
    target = fixture.targetOf({ url: server.url, tasks: TASKS });
  });
  afterEach(() => server.stop());

  const start = () => taken(target, 'work');

  it('makes a task, which is followed to its result', async () => {
    server.first = { status: 'working', statusMessage: 'Reads page 4\nof 10.', pollMs: 5_000 };
    const { task, address } = await start();
    expect(task).toMatchObject({ status: 'working', message: 'Reads page 4 of 10.', pollMs: 5_000 });
    expect((await fixture.readTask(target, address)).task).toEqual(task);
    server.end(answer('done'));
    const { result: ended } = await fixture.readTask(target, address);
    expect(JSON.parse(String(ended?.json))).toEqual({ content: [{ type: 'text', text: 'done' }] });
    expect(server.calls).toHaveLength(1);
    const wish = era === 'legacy' ? { ttl: 600_000 } : undefined;
    expect(server.calls[0]?.['task']).toEqual(wish);
    const about = server.requests.filter(({ method }) => method === 'tasks/get');
    const names = about.map(({ headers }) => headers['mcp-name']);
    expect(names).toEqual(era === 'modern' ? [task.taskId, task.taskId] : [undefined, undefined]);
  });

  it('is asked in the session of the task, which ends with it', async () => {
    const { address } = await start();
    await fixture.readTask(target, address);
    expect(server.methods().filter((method) => method === 'DELETE')).toEqual([]);
    server.end(answer('done'));
    await fixture.readTask(target, address);
    const ids = server.requests
      .filter(({ method }) => /^t.*(call|get|result)$/.test(method))
      .map(({ headers }) => headers['mcp-session-id']);
    expect(new Set(ids)).toEqual(new Set([address.session?.id]));
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(
      era === 'legacy' ? 1 : 0,
    );
  });

  it('cancels a task', async () => {
    const { address } = await start();
    await fixture.cancelTask(target, address);
    expect([...server.tasks.values()]).toEqual([{ status: 'cancelled' }]);
    await expect(fixture.cancelTask(target, { ...address, taskId: 'unknown' })).resolves.toBeUndefined();
  });

  it('does not know a task', async () => {
    const { address } = await start();
    expect(await failureOf(fixture.readTask(target, { ...address, taskId: 'é\r\nx: 1' }))).toBe(
      'agent_error',
    );
  });
});

/** A hand-written server of an era. `calls` and `gets`: the results of the methods. */
function serve(era: (typeof ERAS)[number], answers: Answers, session?: () => string) {
  if (era === 'modern') return modernServer(answers);
  const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  const tools = [{ name: 'echo', inputSchema: {}, execution: { taskSupport: 'optional' } }];
  return legacyServer(
    { 'tools/list': (message) => result(message, { tools }), ...answers },
    session,
    capabilities,
  );
}

const made = (era: (typeof ERAS)[number], task: object) =>
  era === 'modern' ? { resultType: 'task', ...task } : { task };
const WORKING = { taskId: 't1', status: 'working' };

describe.each(ERAS)('a hostile %s server', (era) => {
  const call = (task: object): Answers => ({
    'tools/call': (message) => result(message, made(era, { ...WORKING, ...task })),
  });
  const target = () => fixture.targetOf({ tasks: TASKS });

  it.each([
    [{ taskId: '' }],
    [{ taskId: 7 }],
    [{ taskId: null }],
    [{ taskId: 'x'.repeat(1_025) }],
    [{ status: 'sleeping' }],
    [{ status: null }],
    [{ status: 'toString' }],
  ])('fails its call with %j', async (task) => {
    fixture.server.behave(serve(era, call(task)));
    expect(await failureOf(fixture.start(target()))).toBe('agent_error');
  });

  it.each([
    [{ pollIntervalMs: -1, pollInterval: -1 }],
    [{ pollIntervalMs: '5', pollInterval: '5' }],
    [{ statusMessage: 7 }],
    [{ statusMessage: ' \u0000\u202e\n ' }],
  ])('says nothing by %j', async (more) => {
    fixture.server.behave(serve(era, call(more)));
    expect((await taken(target())).task).toMatchObject({ pollMs: null, message: null });
  });

  it('gets at most a line of 300 characters said', async () => {
    fixture.server.behave(serve(era, call({ statusMessage: 'long '.repeat(1_000) })));
    expect((await taken(target())).task.message).toHaveLength(300);
  });

  const state = (of: object) => (message: McpMessage) => result(message, { ...WORKING, ...of });
  const gets: [string, (message: McpMessage) => Behaviour, string][] = [
    ['another task', state({ taskId: 't2' }), 'agent_error'],
    ['an unknown status', state({ status: 'done' }), 'agent_error'],
    ['no task', (message) => result(message, text('x')), 'agent_error'],
    ['a page', () => ({ kind: 'not_json' }), 'agent_error'],
    ['more than an answer may have', () => ({ kind: 'huge', bytes: 1_100_000 }), 'too_large'],
    ['an unknown id', (message) => refusal(message, -32602), 'agent_error'],
    ['an unknown method', (message) => refusal(message, -32601), 'agent_error'],
    ['an internal error', (message) => refusal(message, -32603), 'agent_unreachable'],
    ['too many requests', () => ({ kind: 'status', status: 429 }), 'agent_unreachable'],
    ['that it restarts', () => ({ kind: 'status', status: 503 }), 'agent_unreachable'],
    ['a completed task without a result', state({ status: 'completed' }), 'agent_error'],
    ['a completed task with another thing', state({ status: 'completed', result: { a: 1 } }), 'agent_error'],
  ]; // prettier-ignore

  it.each(gets)('is asked and answers %s', async (_what, get, code) => {
    fixture.server.behave(serve(era, { ...call({}), 'tasks/get': get }));
    const at = target();
    const { address } = await taken(at);
    expect(await failureOf(fixture.readTask(at, address))).toBe(code);
  });

  it('is unreachable while it accepts no connection', async () => {
    let isAway = false;
    const served = serve(era, call({}));
    fixture.server.behave((delivery: Delivery) =>
      isAway ? { kind: 'status', status: 502 } : served(delivery),
    );
    const at = target();
    const { address } = await taken(at);
    isAway = true;
    expect(await failureOf(fixture.readTask(at, address))).toBe('agent_unreachable');
    expect(await failureOf(fixture.cancelTask(at, address))).toBe('agent_unreachable');
  });

  it('fails an agent that takes no jobs, in words', async () => {
    fixture.server.behave(serve(era, call({})));
    await expect(fixture.start(fixture.targetOf())).rejects.toMatchObject({
      code: 'agent_error',
      agentMessage: 'The MCP server makes tasks of calls, and the agent does not declare jobs.',
    });
    const called = fixture.server.deliveries.map(messageOf).filter(({ method }) => method === 'tools/call');
    expect(JSON.stringify(called)).not.toMatch(/"task"|modelcontextprotocol\/tasks/);
  });
});

it('says so too of a modern server that makes nothing but tasks', async () => {
  const data = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
  fixture.server.behave(modernServer({ 'tools/call': (message) => refusal(message, -32021, 400, data) }));
  await expect(fixture.start(fixture.targetOf())).rejects.toMatchObject({
    agentMessage: 'The MCP server makes tasks of calls, and the agent does not declare jobs.',
  });
});

describe('a legacy server', () => {
  it.each([
    ['whose tool is no task', [{ name: 'echo', inputSchema: {} }]],
    ['that forbids tasks', [{ name: 'echo', inputSchema: {}, execution: { taskSupport: 'forbidden' } }]],
  ])('%s is called as ever', async (_what, tools) => {
    const answers: Answers = {
      'tools/list': (message) => result(message, { tools }),
      'tools/call': (message) => result(message, text(message.params?.['task'] ? 'task' : 'plain')),
    };
    fixture.server.behave(serve('legacy', answers));
    const at = fixture.targetOf({ tasks: TASKS });
    for (const _call of [1, 2]) expect(JSON.stringify(await fixture.start(at))).not.toContain('address');
    expect(fixture.methods().filter((method) => method === 'tools/list')).toHaveLength(1);
  });

  it('without tasks is not asked for its tools', async () => {
    fixture.server.behave(legacyServer({ 'tools/call': (message) => result(message, text('plain')) }));
    await fixture.start(fixture.targetOf({ tasks: TASKS }));
    expect(fixture.methods()).not.toContain('tools/list');
  });

  it.each([
    ['404', (message: McpMessage) => refusal(message, -32001, 404)],
    ['400', (message: McpMessage) => refusal(message, -32000, 400)],
  ])('that has lost the session of a task, and says so by %s, is asked in a new one', async (_what, lost) => {
    let session = 's1';
    const answers: Answers = {
      'tools/call': (message) => result(message, made('legacy', WORKING)),
      'tasks/get': (message) => result(message, { ...WORKING, statusMessage: session }),
    };
    const served = serve('legacy', answers, () => session);
    fixture.server.behave((delivery: Delivery) => {
      const isOld = session === 's2' && delivery.headers['mcp-session-id'] === 's1';
      return isOld ? lost(messageOf(delivery)) : served(delivery);
    });
    const at = fixture.targetOf({ tasks: TASKS });
    const { address } = await taken(at);
    session = 's2';
    expect((await fixture.readTask(at, address)).task.message).toBe('s2');
  });
});

describe('a task that asks', () => {
  const params = { message: 'Which format?', requestedSchema: { type: 'object', properties: {} } };
  const isAsked = (key: string) => key === 'format';
  let server: TaskServer;

  beforeEach(async () => {
    server = await startTaskServer('modern');
  });
  afterEach(() => server.stop());

  it('is answered by its form, once', async () => {
    const target = fixture.targetOf({ url: server.url, tasks: TASKS });
    const { address } = await taken(target, 'work');
    const form = { method: 'elicitation/create', params };
    const asking = {
      status: 'input_required',
      inputRequests: { roots: { method: 'roots/list' }, format: form },
    };
    server.tasks.set(address.taskId, asking);
    expect((await fixture.readTask(target, address)).task.asks).toEqual([
      { key: 'format', prompt: params.message, schema: params.requestedSchema },
    ]);
    const answered = { isAsked, content: { format: 'pdf' } };
    await fixture.answerForm(target, address, answered);
    await fixture.answerForm(target, address, answered);
    const inputResponses = { format: { action: 'accept', content: { format: 'pdf' } } };
    expect(server.updates).toMatchObject([{ taskId: address.taskId, inputResponses }]);
    const [update] = server.requests.filter(({ method }) => method === 'tasks/update');
    expect(update?.headers['mcp-name']).toBe(address.taskId);
  });

  it.each<[string, unknown, unknown]>([
    ['a list', [], []],
    ['nothing', undefined, []],
    ['a page to open', { a: { method: 'elicitation/create', params: { ...params, mode: 'url' } } }, []],
    ['a sample', { a: { method: 'sampling/createMessage', params: {} } }, []],
    ['a form without parameters', { a: { method: 'elicitation/create' } }, [{ key: 'a' }]],
    [
      'a form that is too long',
      { a: { method: 'elicitation/create', params: { message: 'x'.repeat(70_000), requestedSchema: {} } } },
      [{ key: 'a', schema: null }],
    ],
  ])('by %s is read', async (_what, inputRequests, asks) => {
    const answers: Answers = {
      'tools/call': (message) => result(message, made('modern', WORKING)),
      'tasks/get': (message) => result(message, { ...WORKING, status: 'input_required', inputRequests }),
    };
    fixture.server.behave(modernServer(answers));
    const at = fixture.targetOf({ tasks: TASKS });
    const { address } = await taken(at);
    expect((await fixture.readTask(at, address)).task.asks).toMatchObject(asks as object);
  });
});
