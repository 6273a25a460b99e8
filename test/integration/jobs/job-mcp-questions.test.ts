/** Questions of jobs over MCP (ADR 0312): elicitation in each of its forms, and words for clients without it. */
import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { jobTaken, startJobAgent, type JobAgent } from '../../support/jobs/reporting-agent';
import { legacy, MODERN, modern, modernBody, type Json, type RpcAnswer } from '../../support/protocols/mcp';
import { connectMarket, MODES, use } from '../../support/protocols/market-mcp';
import { openTaskSession } from '../../support/protocols/mcp-tasks';
import { balance, eventually, register, type TestUser } from '../../support/market';
import { useScene } from '../../support/use-market';

const TASKS = 'io.modelcontextprotocol/tasks';
const capable = (more: object) => ({
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, ...more },
});
const WITH_TASKS = capable({ extensions: { [TASKS]: {} } });
const QUESTION = {
  question_id: 'year',
  prompt: 'Which year?',
  schema: { type: 'object', properties: { year: { type: 'integer' } }, required: ['year'] },
};
const scene = useScene();
let buyer: TestUser;
let agent: JobAgent;

beforeAll(async () => {
  agent = await startJobAgent(scene.market, scene.developer);
});
beforeEach(async () => {
  agent.agent.forget();
  buyer = await register(scene.market, 'buyer', 100);
});
afterEach(async () => {
  expect(await balance(scene.market.owner, buyer.userId, 'escrow')).toBe(0);
});

const call = () => ({ name: 'invoke', arguments: { text: randomUUID() } });
const resultOf = ({ body }: RpcAnswer): Record<string, Json> => body.result ?? {};
const send = (method: string, params: Record<string, unknown>) =>
  modern(
    scene.market,
    buyer,
    agent.agentId,
    method,
    params,
    typeof params['taskId'] === 'string' ? { 'mcp-name': params['taskId'] } : {},
  );
const ask = (id: string) => agent.callBack(id, 'question', QUESTION);
const finish = async (id: string) => {
  await eventually(() => answers().length === 1);
  await agent.callBack(id, 'answer', { output: { text: 'done' } });
};
const answers = () =>
  agent.agent.deliveries.flatMap(({ body }) => {
    const { type, input } = JSON.parse(body.toString()) as { type?: string; input?: unknown };
    return type === 'answer' ? [input] : [];
  });

it('makes a task input_required, and goes on when tasks/update answers', async () => {
  const created = resultOf(await send('tools/call', { ...call(), _meta: WITH_TASKS }));
  const taskId = created['taskId'] as string;
  expect(await ask(taskId)).toBe(202);
  const get = async (meta: object = WITH_TASKS) => resultOf(await send('tasks/get', { taskId, _meta: meta }));
  const params = { mode: 'form', message: 'Which year?', requestedSchema: QUESTION.schema };
  expect(await get()).toMatchObject({
    status: 'input_required',
    statusMessage: 'It asks: Which year?',
    inputRequests: { year: { method: 'elicitation/create', params } },
  });
  // A client without elicitation must not be sent the request.
  const without = await get({
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
  });
  expect(without).toMatchObject({ status: 'working', statusMessage: 'It asks: Which year?' });
  expect(without).not.toHaveProperty('inputRequests');
  const update = (inputResponses: unknown) =>
    send('tasks/update', { taskId, inputResponses, _meta: WITH_TASKS });
  const accept = (content: unknown) => ({ year: { action: 'accept', content } });
  expect((await update(accept({ year: 'x' }))).body.error?.code).toBe(-32602);
  for (const ignored of [{ other: { action: 'accept' } }, { year: { action: 'decline' } }, {}])
    expect(resultOf(await update(ignored))).toMatchObject({ resultType: 'complete' });
  for (const hostile of [7, null, [], { year: 7 }, { year: null }])
    expect((await update(hostile)).status).toBeLessThan(500);
  expect((await get())['status']).toBe('input_required');
  expect(resultOf(await update(accept({ year: 1999 })))).toMatchObject({ resultType: 'complete' });
  expect(await get()).toMatchObject({ status: 'working' });
  // An answer that comes again, or late, is ignored.
  expect(resultOf(await update(accept({ year: 2000 })))).toMatchObject({ resultType: 'complete' });
  await finish(taskId);
  expect(answers()).toEqual([{ year: 1999 }]);
  await eventually(async () => (await get())['status'] === 'completed');
});

it('asks a modern client without tasks by its result, and joins the call when that is sent again', async () => {
  const params = { ...call(), _meta: capable({}) };
  const asked = send('tools/call', params);
  const id = await jobTaken(scene.market, agent);
  await ask(id);
  const { _meta, ...required } = resultOf(await asked);
  expect(required).toEqual({
    resultType: 'input_required',
    inputRequests: {
      year: {
        method: 'elicitation/create',
        params: { mode: 'form', message: 'Which year?', requestedSchema: QUESTION.schema },
      },
    },
    requestState: id,
  });
  for (const requestState of ['x', 7, `inv_${'0'.repeat(32)}`]) {
    const refused = await send('tools/call', { ...params, requestState });
    expect([refused.status, refused.body.error?.code]).toEqual([200, -32602]);
  }
  const inputResponses = { year: { action: 'accept', content: { year: 1999 } } };
  const resumed = send('tools/call', { ...params, requestState: required['requestState'], inputResponses });
  await finish(id);
  expect(resultOf(await resumed)).toMatchObject({ structuredContent: { text: 'done' } });
  expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(9_000);
});

it('answers a client without elicitation in words, with the question and the address for the answer', async () => {
  const asked = legacy(scene.market, buyer, agent.agentId, 'tools/call', call());
  const id = await jobTaken(scene.market, agent);
  await ask(id);
  const [{ text }] = resultOf(await asked)['content'] as [{ text: string }];
  expect(text).toContain('It asks: Which year?');
  expect(text).toContain(`POST ${scene.market.config.PUBLIC_ORIGIN}/v1/invocations/${id}/input`);
  const input = { question_id: 'year', input: { year: 1999 } };
  const response = await fetch(`${scene.market.url}/v1/invocations/${id}/input`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: buyer.cookie },
    body: JSON.stringify(input),
  });
  expect(response.status).toBeLessThan(300);
  await finish(id);
  const fetching = { name: 'get_result', arguments: { invocation_id: id } };
  const fetched = await legacy(scene.market, buyer, agent.agentId, 'tools/call', fetching);
  expect(resultOf(fetched)).toMatchObject({ structuredContent: { text: 'done' } });
});

it.each(['legacy', { pin: MODERN }] as const)(
  'is a form for the official client that declares elicitation: %j',
  async (mode) => {
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
    );
    const forms: unknown[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      forms.push(params.message);
      return { action: 'accept', content: { year: 1999 } };
    });
    const url = new URL(`${scene.market.url}/mcp/a/${agent.agentId}`);
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { cookie: buyer.cookie } } }),
    );
    const calling = client.callTool(call(), { onprogress: () => undefined });
    const id = await jobTaken(scene.market, agent);
    await ask(id);
    await finish(id);
    expect((await calling).structuredContent).toEqual({ text: 'done' });
    expect([forms, answers()]).toEqual([['Which year?'], [{ year: 1999 }]]);
    await client.close();
    expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(9_000);
  },
);

it('is a form for the official client with tasks', async () => {
  const { session, close } = await openTaskSession(scene.market, buyer, agent.agentId, 'modern', () =>
    Promise.resolve({ action: 'accept', content: { year: 1999 } } as never),
  );
  const execution = await session.callTool(
    'invoke',
    { text: randomUUID() },
    { task: { preference: 'prefer' } },
  );
  const id = await jobTaken(scene.market, agent);
  await ask(id);
  const settled = execution.settle();
  await finish(id);
  expect((await settled).outcome).toMatchObject({ status: 'completed' });
  expect(answers()).toEqual([{ year: 1999 }]);
  await close();
});

it.each(MODES)('is answered by the tools of the market: %s', async (_name, mode) => {
  const client = await connectMarket(scene.market, mode, { cookie: buyer.cookie });
  const args = { agent_id: agent.agentId, input: { text: randomUUID() }, max_cost_credits: 10 };
  const asked = use(client, 'call_agent', args);
  const id = await jobTaken(scene.market, agent);
  await ask(id);
  expect(await asked).toMatchObject({
    invocation_id: id,
    status: 'input_required',
    question: { question_id: 'year', prompt: 'Which year?', schema: QUESTION.schema },
  });
  const answer = { invocation_id: id, question_id: 'year', answer: { year: 'x' } };
  expect(await use(client, 'answer_question', answer)).toMatchObject({ failed: 'validation_failed' });
  const answered = await use(client, 'answer_question', { ...answer, answer: { year: 1999 } });
  expect(answered).toMatchObject({ status: 'running' });
  const ended = use(client, 'get_call', { invocation_id: id });
  await finish(id);
  expect(await ended).toMatchObject({ status: 'succeeded', output: { text: 'done' }, credits_charged: 10 });
  await client.close();
});

it('is a form of the market for the official client that declares elicitation', async () => {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: MODERN } } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { year: 1999 } }));
  const requestInit = { headers: { cookie: buyer.cookie } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${scene.market.url}/mcp`), { requestInit }),
  );
  const args = { agent_id: agent.agentId, input: { text: randomUUID() }, max_cost_credits: 10 };
  const calling = client.callTool({ name: 'call_agent', arguments: args });
  const id = await jobTaken(scene.market, agent);
  await ask(id);
  await finish(id);
  expect((await calling).structuredContent).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
  expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(9_000);
  await client.close();
});

it('is a task of the market for a client that takes tasks, and cancel_call refunds it', async () => {
  const at = async (method: string, params: Record<string, unknown>, name: string) => {
    const response = await fetch(`${scene.market.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: buyer.cookie,
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        'mcp-name': name,
      },
      body: JSON.stringify(modernBody(method, { ...params, _meta: WITH_TASKS })),
    });
    return ((await response.json()) as RpcAnswer['body']).result ?? {};
  };
  const args = { agent_id: agent.agentId, input: { text: randomUUID() }, max_cost_credits: 10 };
  const created = await at('tools/call', { name: 'call_agent', arguments: args }, 'call_agent');
  expect(created).toMatchObject({ resultType: 'task', status: 'working' });
  const taskId = created['taskId'] as string;
  await ask(taskId);
  const get = () => at('tasks/get', { taskId }, taskId);
  expect(await get()).toMatchObject({ status: 'input_required', inputRequests: { year: {} } });
  const cancel = { name: 'cancel_call', arguments: { invocation_id: taskId } };
  expect(await at('tools/call', cancel, 'cancel_call')).toMatchObject({
    structuredContent: { status: 'failed', error: { code: 'canceled' } },
  });
  expect(await get()).toMatchObject({ status: 'cancelled' });
  expect(await balance(scene.market.owner, buyer.userId, 'wallet')).toBe(10_000);
});
