/** Jobs over MCP (ADR 0310): tasks of both eras, progress on a stream, and an answer in words for other clients. */
import { randomUUID } from 'node:crypto';
import { jobTaken, startJobAgent, type JobAgent } from '../../support/jobs/reporting-agent';
import { legacy, MODERN, modern, modernBody, type Json, type RpcAnswer } from '../../support/protocols/mcp';
import { balance, putLive, register, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { openTaskSession } from '../../support/protocols/mcp-tasks';
import { useAgent, useScene } from '../../support/use-market';

const TASKS = 'io.modelcontextprotocol/tasks';
const DECLARED = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } } };
const scene = useScene();
const echo = useAgent();
let buyer: TestUser;
let agent: JobAgent;

beforeAll(async () => {
  agent = await startJobAgent(scene.market, scene.developer);
});
beforeEach(async () => {
  agent.agent.forget();
  buyer = await register(scene.market, 'buyer', 100);
});

const balances = () =>
  Promise.all([
    balance(scene.market.owner, buyer.userId, 'wallet'),
    balance(scene.market.owner, buyer.userId, 'escrow'),
  ]);
const call = () => ({ name: 'invoke', arguments: { text: randomUUID() } });
const withTasks = (method: string, params: Record<string, unknown>, who: TestUser = buyer) =>
  modern(scene.market, who, agent.agentId, method, { ...params, _meta: DECLARED }, named(params));
const older = (method: string, params: Record<string, unknown>, who: TestUser = buyer) =>
  legacy(scene.market, who, agent.agentId, method, params);
const named = ({ taskId }: Record<string, unknown>) =>
  typeof taskId === 'string' ? { 'mcp-name': taskId } : {};
const resultOf = ({ body }: RpcAnswer): Record<string, Json> => body.result ?? {};
const codeOf = ({ status, body }: RpcAnswer) => [status, body.error?.code];

/** A task of a modern client, whose agent has accepted the call. */
async function newTask(): Promise<string> {
  const created = resultOf(await withTasks('tools/call', call()));
  expect(created).toMatchObject({ resultType: 'task', status: 'working' });
  return created['taskId'] as string;
}

/** Opens a stream. Returns its messages one by one. */
async function open(body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${scene.market.url}/mcp/a/${agent.agentId}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      cookie: buyer.cookie,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  return messagesOf(response);
}

async function* messagesOf(response: Response): AsyncGenerator<Record<string, Json>, void, undefined> {
  let rest = '';
  for await (const chunk of response.body ?? []) {
    rest += Buffer.from(chunk).toString();
    const events = rest.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length)) as Record<string, Json>;
    }
  }
}

async function nextOf(messages: AsyncGenerator<Record<string, Json>>): Promise<Record<string, Json>> {
  const next = await messages.next();
  if (next.done) throw new Error('the stream has ended');
  return next.value;
}

describe('a client that declares the extension', () => {
  it('gets a task as soon as the agent has accepted the job, and polls it to its result', async () => {
    const taskId = await newTask();
    expect(await agent.callBack(taskId, 'progress', { progress: 0.4, message: 'Reads page 4.' })).toBe(202);
    const working = resultOf(await withTasks('tasks/get', { taskId }));
    expect(working).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'working',
      statusMessage: '40 % done: Reads page 4.',
      ttlMs: null,
      pollIntervalMs: expect.any(Number) as unknown,
    });
    expect(Date.parse(working['lastUpdatedAt'] as string)).toBeGreaterThan(
      Date.parse(working['createdAt'] as string),
    );
    expect(Object.keys(working)).not.toContain('result');
    await agent.callBack(taskId, 'answer', { output: { text: 'read' } });
    await request(scene.market, buyer, 'GET', `/v1/invocations/${taskId}?wait=30`);
    const ended = resultOf(await withTasks('tasks/get', { taskId }));
    expect(ended).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: {
        content: [{ type: 'text', text: '{"text":"read"}' }],
        structuredContent: { text: 'read' },
        _meta: { 'io.market/invocation_id': taskId, 'io.market/credits_charged': 10 },
      },
    });
    expect(ended['ttlMs']).toBeGreaterThanOrEqual(86_400_000);
    expect(await balances()).toEqual([9_000, 0]);
  });

  it('gets the result itself from an agent that answers at once', async () => {
    const { agentId } = await putLive(scene.market, scene.developer.userId, echo.url);
    const answer = await modern(scene.market, buyer, agentId, 'tools/call', { ...call(), _meta: DECLARED });
    expect(resultOf(answer)).toMatchObject({ resultType: 'complete', structuredContent: {} });
    expect(resultOf(answer)).not.toHaveProperty('taskId');
  });

  it('gets a failure of the agent as the result of a completed task, and its credits back', async () => {
    const taskId = await newTask();
    await agent.callBack(taskId, 'failure', { message: 'The source has no text.' });
    await request(scene.market, buyer, 'GET', `/v1/invocations/${taskId}?wait=30`);
    const ended = resultOf(await withTasks('tasks/get', { taskId }));
    expect(ended).toMatchObject({
      status: 'completed',
      result: { isError: true, _meta: { 'io.market/error_code': 'agent_error' } },
    });
    expect(ended).not.toHaveProperty('error');
    expect(await balances()).toEqual([10_000, 0]);
  });

  it('cancels a task once, and gets the same acknowledgement again', async () => {
    const taskId = await newTask();
    expect(await balances()).toEqual([9_000, 1_000]);
    for (let times = 0; times < 2; times += 1) {
      const { _meta, ...acknowledged } = resultOf(await withTasks('tasks/cancel', { taskId }));
      expect(acknowledged).toEqual({ resultType: 'complete' });
      expect(_meta).toBeDefined();
    }
    expect(resultOf(await withTasks('tasks/get', { taskId }))).toMatchObject({ status: 'cancelled' });
    expect(await balances()).toEqual([10_000, 0]);
    expect(await agent.callBack(taskId, 'answer', { output: { text: 'late' } })).toBe(409);
  });

  it('follows its tasks on the stream of subscriptions/listen', async () => {
    const taskId = await newTask();
    const notifications = { taskIds: [taskId, `inv_${'0'.repeat(32)}`, 'nothing'], toolsListChanged: true };
    const messages = await open(modernBody('subscriptions/listen', { notifications, _meta: DECLARED }), {
      'mcp-protocol-version': MODERN,
      'mcp-method': 'subscriptions/listen',
    });
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 1 };
    expect(await nextOf(messages)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta, notifications: { taskIds: [taskId] } },
    });
    const about = (more: object) => ({ method: 'notifications/tasks', params: { taskId, _meta, ...more } });
    expect(await nextOf(messages)).toMatchObject(about({ status: 'working' }));
    await agent.callBack(taskId, 'progress', { progress: 0.5 });
    expect(await nextOf(messages)).toMatchObject(about({ status: 'working', statusMessage: '50 % done.' }));
    await agent.callBack(taskId, 'answer', { output: { text: 'read' } });
    const ended = { status: 'completed', result: { structuredContent: { text: 'read' } } };
    expect(await nextOf(messages)).toMatchObject(about(ended));
    expect(await nextOf(messages)).toMatchObject({ id: 1, result: { resultType: 'complete', _meta } });
    expect((await messages.next()).done).toBe(true);
  });

  it.each([
    ['an unknown task', { taskId: `inv_${'0'.repeat(32)}` }],
    ['an id of another form', { taskId: '../../etc' }],
    ['an id with NUL', { taskId: 'inv_\u0000' }],
    ['no id', {}],
    ['an object', { taskId: { $ne: null } }],
  ])('is refused %s with -32602', async (_what, params) => {
    const headers =
      'taskId' in params
        ? { 'mcp-name': `=?base64?${Buffer.from(`${params.taskId as string}`).toString('base64')}?=` }
        : {};
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const all = { ...params, inputResponses: {}, _meta: DECLARED };
      const answer = await modern(scene.market, buyer, agent.agentId, method, all, headers);
      expect([method, ...codeOf(answer)]).toEqual([method, 200, -32602]);
    }
  });

  it('does not see the tasks of another account, and those of another agent', async () => {
    const taskId = await newTask();
    const stranger = await register(scene.market, 'buyer', 100);
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect(codeOf(await withTasks(method, { taskId }, stranger))).toEqual([200, -32602]);
    const { agentId } = await putLive(scene.market, scene.developer.userId, echo.url);
    const params = { taskId, _meta: DECLARED };
    const elsewhere = await modern(scene.market, buyer, agentId, 'tasks/get', params, { 'mcp-name': taskId });
    expect(codeOf(elsewhere)).toEqual([200, -32602]);
    expect(codeOf(await older('tasks/result', { taskId }, stranger))).toEqual([200, -32602]);
    await withTasks('tasks/cancel', { taskId });
  });

  it('repeats the id of the task in Mcp-Name', async () => {
    const params = { taskId: `inv_${'0'.repeat(32)}`, _meta: DECLARED };
    for (const headers of [{}, { 'mcp-name': 'inv_other' }]) {
      const answer = await modern(scene.market, buyer, agent.agentId, 'tasks/get', params, headers);
      expect(codeOf(answer)).toEqual([400, -32020]);
    }
  });
});

describe('a client that does not declare the extension', () => {
  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('is refused %s with -32021', async (method) => {
    const taskId = `inv_${'0'.repeat(32)}`;
    const headers = { 'mcp-name': taskId };
    const answer = await modern(scene.market, buyer, agent.agentId, method, { taskId }, headers);
    expect(codeOf(answer)).toEqual([400, -32021]);
    expect(answer.body.error?.data).toEqual({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
  });

  it('is refused notifications about tasks, and gets an empty subscription otherwise', async () => {
    const ask = (notifications: object) => modernBody('subscriptions/listen', { notifications });
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' };
    const params = { notifications: { taskIds: [] } };
    const refused = await modern(scene.market, buyer, agent.agentId, 'subscriptions/listen', params);
    expect(codeOf(refused)).toEqual([400, -32021]);
    const messages = await open(ask({ toolsListChanged: true }), headers);
    expect(await nextOf(messages)).toMatchObject({ params: { notifications: {} } });
    expect(await nextOf(messages)).toMatchObject({ result: { resultType: 'complete' } });
  });

  it.each(['legacy', 'modern'] as const)('is answered in words when its patience ends (%s)', async (era) => {
    const params = { ...call(), _meta: { 'io.market/idempotency_key': randomUUID() } };
    const prefer = { prefer: 'respond-async, wait=1' };
    const ask = () =>
      (era === 'legacy' ? legacy : modern)(scene.market, buyer, agent.agentId, 'tools/call', params, prefer);
    const result = resultOf(await ask());
    const id = String(result['_meta']['io.market/invocation_id']);
    expect(result).toMatchObject({
      isError: false,
      structuredContent: { invocation_id: id, status: 'running' },
      _meta: { 'io.market/status': 'running' },
    });
    const [{ text }] = result['content'] as [{ text: string }];
    expect(text).toContain('Do not call the tool again');
    expect(text).toContain(`GET ${scene.market.config.PUBLIC_ORIGIN}/v1/invocations/${id}?wait=30`);
    expect(text).toContain(`get_result with {"invocation_id": "${id}"}`);
    // The same key joins the job. It is not paid twice.
    expect(resultOf(await ask())['_meta']['io.market/invocation_id']).toBe(id);
    const fetching = { name: 'get_result', arguments: { invocation_id: id } };
    const fetched = (era === 'legacy' ? legacy : modern)(
      scene.market,
      buyer,
      agent.agentId,
      'tools/call',
      fetching,
    );
    await agent.callBack(id, 'answer', { output: { text: 'read' } });
    expect(resultOf(await fetched)).toMatchObject({
      structuredContent: { text: 'read' },
      _meta: { 'io.market/credits_charged': 10 },
    });
    expect(resultOf(await ask())['_meta']['io.market/idempotent_replayed']).toBe(true);
    expect(await balances()).toEqual([9_000, 0]);
  });

  it.each([{}, { invocation_id: 7 }, { invocation_id: `inv_${'0'.repeat(32)}` }])(
    'gets a failed result for an unknown call: %j',
    async (args) => {
      const answer = await older('tools/call', { name: 'get_result', arguments: args });
      expect(resultOf(answer)).toMatchObject({
        isError: true,
        _meta: { 'io.market/error_code': 'not_found' },
      });
    },
  );

  it.each(['legacy', 'modern'] as const)('sees progress on the stream of its call (%s)', async (era) => {
    const params = { ...call(), _meta: { progressToken: 'p-7' } };
    const body =
      era === 'legacy'
        ? { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
        : modernBody('tools/call', params);
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'invoke' };
    const messages = await open(body, era === 'legacy' ? {} : headers);
    const id = await jobTaken(scene.market, agent);
    const progress = (more: object) => ({
      method: 'notifications/progress',
      params: { progressToken: 'p-7', total: 1, ...more },
    });
    expect(await nextOf(messages)).toMatchObject(progress({ progress: 0 }));
    await agent.callBack(id, 'progress', { progress: 0.4, message: 'Reads page 4.' });
    expect(await nextOf(messages)).toMatchObject(progress({ progress: 0.4, message: 'Reads page 4.' }));
    await agent.callBack(id, 'progress', { progress: 0.4, message: 'Reads page 5.' });
    const next = await nextOf(messages);
    expect(next).toMatchObject(progress({ message: 'Reads page 5.' }));
    expect(next['params'].progress).toBeGreaterThan(0.4);
    await agent.callBack(id, 'answer', { output: { text: 'read' } });
    expect(await nextOf(messages)).toMatchObject({ id: 1, result: { structuredContent: { text: 'read' } } });
    expect((await messages.next()).done).toBe(true);
    expect(await balances()).toEqual([9_000, 0]);
  });
});

describe('a client of 2025-11-25', () => {
  const ask = async () => {
    const created = resultOf(await older('tools/call', { ...call(), task: { ttl: 60_000 } }));
    expect(created).toMatchObject({ task: { status: 'working', ttl: null, pollInterval: 1_000 } });
    return created['task'].taskId as string;
  };

  it('learns that it may ask for tasks, and one of an earlier revision does not', async () => {
    const capabilities = async (protocolVersion: string) =>
      resultOf(await older('initialize', { protocolVersion, capabilities: {} }))['capabilities'] as unknown;
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    expect(await capabilities('2025-11-25')).toEqual({ tools: {}, tasks });
    expect(await capabilities('2025-06-18')).toEqual({ tools: {} });
    const { tools } = resultOf(await older('tools/list', {}));
    expect(tools).toMatchObject([
      { name: 'invoke', execution: { taskSupport: 'optional' } },
      {
        name: 'get_result',
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
    ]);
  });

  it('gets a task at once, and its result when it waits for it', async () => {
    const taskId = await ask();
    const waiting = open({
      jsonrpc: '2.0',
      id: 2,
      method: 'tasks/result',
      params: { taskId, _meta: { progressToken: 3 } },
    });
    await jobTaken(scene.market, agent);
    await agent.callBack(taskId, 'progress', { progress: 0.5 });
    expect(resultOf(await older('tasks/get', { taskId }))).toMatchObject({
      taskId,
      status: 'working',
      statusMessage: '50 % done.',
    });
    await agent.callBack(taskId, 'answer', { output: { text: 'read' } });
    const messages: Record<string, Json>[] = [];
    for await (const message of await waiting) messages.push(message);
    expect(messages.at(-1)).toMatchObject({
      id: 2,
      result: {
        structuredContent: { text: 'read' },
        _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
      },
    });
    expect(messages).toContainEqual({
      jsonrpc: '2.0',
      method: 'notifications/tasks/status',
      params: expect.objectContaining({ taskId, status: 'completed' }) as unknown,
    });
    const listed = resultOf(await older('tasks/list', {}));
    expect(listed['tasks']).toMatchObject([{ taskId, status: 'completed' }]);
    expect(listed).not.toHaveProperty('nextCursor');
    expect(await balances()).toEqual([9_000, 0]);
  });

  it('cancels a task, and is refused to cancel it again', async () => {
    const taskId = await ask();
    expect(resultOf(await older('tasks/cancel', { taskId }))).toMatchObject({ taskId, status: 'cancelled' });
    expect(codeOf(await older('tasks/cancel', { taskId }))).toEqual([200, -32602]);
    const result = resultOf(await older('tasks/result', { taskId }));
    expect(result).toMatchObject({ isError: true, _meta: { 'io.market/error_code': 'canceled' } });
    expect(await balances()).toEqual([10_000, 0]);
  });

  it('is refused a task that is no object, and a cursor of no list', async () => {
    expect(codeOf(await older('tools/call', { ...call(), task: 7 }))).toEqual([200, -32602]);
    for (const cursor of ['x', 7, ''])
      expect(codeOf(await older('tasks/list', { cursor }))).toEqual([200, -32602]);
    expect(agent.agent.deliveries).toHaveLength(0);
  });

  it('is refused a task that it cannot pay, without a task', async () => {
    const poor = await register(scene.market, 'buyer', 1);
    const answer = await older('tools/call', { ...call(), task: {} }, poor);
    expect(codeOf(answer)).toEqual([200, -32602]);
    expect(answer.body.error?.data).toMatchObject({ error: { code: 'insufficient_credits' } });
  });
});

describe.each(['legacy', 'modern'] as const)('the official client with tasks (%s)', (era) => {
  it('follows a job to its end', async () => {
    const { session, close } = await openTaskSession(scene.market, buyer, agent.agentId, era);
    const execution = await session.callTool(
      'invoke',
      { text: randomUUID() },
      { task: { preference: 'prefer' } },
    );
    expect(execution.kind).toBe('task');
    const id = await jobTaken(scene.market, agent);
    expect(execution.handle?.taskId).toBe(id);
    await agent.callBack(id, 'progress', { progress: 0.4, message: 'Reads page 4.' });
    const seen: (string | undefined)[] = [];
    const { outcome } = await execution.settle({
      async onEvent(event) {
        if (event.type !== 'task') return;
        seen.push(event.task.statusMessage);
        if (event.task.statusMessage !== undefined)
          await agent.callBack(id, 'answer', { output: { text: 'read' } });
      },
    });
    expect(seen).toContain('40 % done: Reads page 4.');
    expect(outcome).toMatchObject({ status: 'completed', result: { structuredContent: { text: 'read' } } });
    await close();
    expect(await balances()).toEqual([9_000, 0]);
  });

  it('cancels a job, which is refunded', async () => {
    const { session, close } = await openTaskSession(scene.market, buyer, agent.agentId, era);
    const execution = await session.callTool(
      'invoke',
      { text: randomUUID() },
      { task: { preference: 'prefer' } },
    );
    await jobTaken(scene.market, agent);
    await execution.cancel();
    expect((await execution.result()).status).toBe('cancelled');
    await close();
    expect(await balances()).toEqual([10_000, 0]);
  });
});
