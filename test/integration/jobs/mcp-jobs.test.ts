/** Jobs of MCP servers (ADR 0314): the tasks that servers of both eras make of tool calls, with their money. */
import type { Behaviour, Delivery } from '../../support/agents/behaviours';
import { messageOf, modernServer, result, text } from '../../support/agents/mcp-script';
import { answer, startTaskServer, type TaskServer } from '../../support/agents/mcp-tasks';
import { startAgent } from '../../support/agents/test-agent';
import { putSelfHosted, use } from '../../support/calls/use';
import { request } from '../../support/catalogue/publishing';
import { jobOf } from '../../support/jobs/jobs';
import { balance, eventually, invoke, register, type TestUser } from '../../support/market';
import { legacy, modern } from '../../support/protocols/mcp';
import { useScene } from '../../support/use-market';

interface Call extends Record<string, unknown> {
  invocation_id: string;
  status: string;
  output?: unknown;
  error: { code: string; agent_message?: string } | null;
}

const INPUT = { tool: 'work', arguments: { of: 'art' } };
const DONE = { content: [{ type: 'text', text: 'done' }] };
const scene = useScene();
const servers: { stop(): Promise<void> }[] = [];
let buyer: TestUser;

beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 100);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

const put = async (url: string, jobs: { max_seconds: number; heartbeat_seconds?: number } | null) =>
  putSelfHosted(scene.market, scene.developer, url, { protocol: 'mcp', ...(jobs && { jobs }) });
const read = (id: string, wait = 30) =>
  request<Call>(scene.market, buyer, 'GET', `/v1/invocations/${id}?wait=${wait}`);
const money = async () => [
  await balance(scene.market.owner, buyer.userId, 'escrow'),
  await balance(scene.market.owner, buyer.userId, 'wallet'),
];

/** A job of an MCP server, once it is one. */
async function accepted(agentId: string): Promise<string> {
  const { body } = await invoke(scene.market, buyer, agentId, { input: INPUT }, { prefer: 'respond-async' });
  const id = String(body.invocation_id);
  await eventually(async () => (await jobOf(scene.market.owner, id)) !== undefined);
  return id;
}

/** A hand-written modern server, whose one task is what `get` says. */
async function scripted(get: (delivery: Delivery) => Behaviour | object) {
  const agent = await startAgent({
    behaviour: modernServer({
      'tools/call': (message) => result(message, { resultType: 'task', taskId: 't1', status: 'working' }),
      'tasks/get': (message, delivery) => {
        const state = get(delivery);
        return 'kind' in state ? state : result(message, { taskId: 't1', ...state });
      },
      'tasks/cancel': (message) => result(message, { resultType: 'complete' }),
    }),
  });
  servers.push(agent);
  return agent;
}

const methodsOf = (deliveries: readonly Delivery[]) =>
  deliveries.filter(({ method }) => method === 'POST').map((delivery) => messageOf(delivery).method);

describe.each(['modern', 'legacy'] as const)('an MCP agent of the %s era', (era) => {
  let server: TaskServer;
  let agentId: string;

  beforeEach(async () => {
    server = await startTaskServer(era);
    servers.push(server);
    ({ agentId } = await put(server.url, { max_seconds: 600 }));
  });

  it('makes a task of a call, which is a job until its result is there', async () => {
    server.first = { status: 'working', statusMessage: 'Reads page 4 of 10.' };
    const id = await accepted(agentId);
    expect(await money()).toEqual([1_000, 9_000]);
    await eventually(async () => isSaid(await read(id, 0)));
    server.end(answer('done'));
    const { body } = await read(id);
    expect(body).toMatchObject({ status: 'succeeded', output: DONE, usage: { credits_charged: 10 } });
    expect(JSON.stringify(body)).not.toMatch(/task-|related-task/);
    expect(await money()).toEqual([0, 9_000]);
    expect(server.calls).toMatchObject([{ name: 'work', arguments: INPUT.arguments }]);
    expect(server.methods()).not.toContain('tasks/cancel');
    expect(await jobOf(scene.market.owner, id)).toMatchObject({ location: null });
  });

  const isSaid = ({ body }: { body: Call }) =>
    (body['job'] as { message: string | null } | null)?.message === 'Reads page 4 of 10.';

  it('refunds a task that has failed or was cancelled, with what the server says', async () => {
    const ids = [await accepted(agentId), await accepted(agentId)];
    const [failed = '', cancelled = ''] = server.tasks.keys();
    server.tasks.set(failed, { status: 'failed', statusMessage: 'The source has no text.' });
    server.tasks.set(cancelled, { status: 'cancelled', statusMessage: 'The source has no text.' });
    for (const id of ids) {
      expect((await read(id)).body).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
      const said = async () => (await read(id, 0)).body.error?.agent_message;
      await eventually(async () => (await said()) === 'The source has no text.');
    }
    expect(await money()).toEqual([0, 10_000]);
    expect(server.methods()).not.toContain('tasks/cancel');
  });

  it('delivers the failure of a tool as it is, at no price', async () => {
    server.first = { ...answer('no such city') };
    server.first.result = { ...server.first.result, isError: true };
    const used = await invoke(scene.market, buyer, agentId, { input: INPUT });
    expect([used.status, used.body.output]).toEqual([
      200,
      { content: DONE_OF('no such city'), isError: true },
    ]);
    expect(await money()).toEqual([0, 10_000]);
  });

  it('lists its tools without how it makes tasks of them', async () => {
    const { body } = await legacy(scene.market, buyer, agentId, 'tools/list');
    expect(body.result?.['tools']).toEqual([{ name: 'work', inputSchema: { type: 'object' } }]);
  });

  it('gets tasks/cancel when its buyer cancels', async () => {
    const id = await accepted(agentId);
    const canceled = await request<Call>(scene.market, buyer, 'DELETE', `/v1/invocations/${id}`);
    expect(canceled.body).toMatchObject({ status: 'failed', error: { code: 'canceled' } });
    await eventually(async () => server.methods().includes('tasks/cancel'));
    await eventually(async () => (await jobOf(scene.market.owner, id))?.location === null);
    expect([...server.tasks.values()]).toEqual([{ status: 'cancelled' }]);
    expect(await money()).toEqual([0, 10_000]);
  });

  it('fails in words if it does not declare jobs', async () => {
    const without = await put(server.url, null);
    const reply = await use(scene.market, buyer, without, INPUT);
    expect([reply.status, reply.body.error]).toMatchObject([
      502,
      {
        code: 'agent_error',
        agent_message: 'The MCP server makes tasks of calls, and the agent does not declare jobs.',
      },
    ]);
    const path = `/v1/developer/agents/${without.agentId}/notices`;
    const notices = await request<{ items: { kind: string }[] }>(scene.market, scene.developer, 'GET', path);
    expect(JSON.stringify(notices.body)).toContain('task_without_jobs');
    expect(await money()).toEqual([0, 10_000]);
  });
});

const DONE_OF = (said: string) => [{ type: 'text', text: said }];

it('passes a form of a task on to the buyer, and the answer back', async () => {
  const server = await startTaskServer('modern');
  servers.push(server);
  const { agentId } = await put(server.url, { max_seconds: 600 });
  const requestedSchema = {
    type: 'object',
    properties: { format: { type: 'string', enum: ['pdf', 'html'] } },
    required: ['format'],
  };
  const params = { mode: 'form', message: 'Which format?', requestedSchema };
  const key = 'the format / of it';
  const inputRequests = { [key]: { method: 'elicitation/create', params } };
  server.first = { status: 'input_required', inputRequests };
  const id = await accepted(agentId);
  type Job = { question: { question_id: string; prompt: string; schema: object } | null };
  const question = async () => ((await read(id, 0)).body['job'] as Job).question;
  await eventually(async () => (await question()) !== null);
  expect(await question()).toMatchObject({ prompt: 'Which format?', schema: requestedSchema });
  const path = `/v1/invocations/${id}/input`;
  const body = (format: string, asked?: string) => ({ question_id: asked, input: { format } });
  const asked = (await question())?.question_id;
  const post = (value: object) => request(scene.market, buyer, 'POST', path, value);
  expect((await post(body('doc', asked))).status).toBe(422);
  expect((await post(body('pdf', asked))).status).toBe(200);
  await eventually(async () => server.updates.length > 0);
  const inputResponses = { [key]: { action: 'accept', content: { format: 'pdf' } } };
  expect(server.updates).toMatchObject([{ inputResponses }]);
  server.end(answer('done'));
  expect((await read(id)).body).toMatchObject({ status: 'succeeded', output: DONE });
  expect(await money()).toEqual([0, 9_000]);
});

it('fails a task whose form asks for a secret, in words, and asks its buyer nothing', async () => {
  const requestedSchema = {
    type: 'object',
    properties: { login: { type: 'string', title: 'Your password' } },
  };
  const params = { mode: 'form', message: 'Who are you?', requestedSchema };
  const inputRequests = { who: { method: 'elicitation/create', params } };
  const agent = await scripted(() => ({ status: 'input_required', inputRequests }));
  const { agentId } = await put(agent.url, { max_seconds: 600 });
  const id = await accepted(agentId);
  expect((await read(id)).body).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
  const said = async () => (await read(id, 0)).body.error?.agent_message ?? '';
  await eventually(async () => (await said()).includes('asks for a secret ("login")'));
  expect(await money()).toEqual([0, 10_000]);
});

describe('the server of a task', () => {
  it('may be away for a while, and restarts', async () => {
    let asked = 0;
    const agent = await scripted(() => {
      asked += 1;
      if (asked === 1) return { kind: 'status', status: 503 };
      if (asked === 2) return { kind: 'dies_before_answer' };
      return { status: 'completed', result: DONE };
    });
    const { agentId } = await put(agent.url, { max_seconds: 600 });
    const reply = await invoke(scene.market, buyer, agentId, { input: INPUT });
    expect([reply.status, reply.body.output]).toEqual([200, DONE]);
    expect(await money()).toEqual([0, 9_000]);
  });

  it('has failed when it is silent for longer than its heartbeat, and gets tasks/cancel', async () => {
    const agent = await scripted(() => ({ kind: 'status', status: 503 }));
    const { agentId } = await put(agent.url, { max_seconds: 600, heartbeat_seconds: 10 });
    const id = await accepted(agentId);
    await eventually(async () => methodsOf(agent.deliveries).includes('tasks/get'));
    await scene.market.owner.query(
      `UPDATE jobs SET heard_at = heard_at - interval '9 s' WHERE invocation_id = $1`,
      [id],
    );
    expect((await read(id)).body).toMatchObject({ status: 'failed', error: { code: 'agent_timeout' } });
    expect(await money()).toEqual([0, 10_000]);
    await eventually(async () => methodsOf(agent.deliveries).includes('tasks/cancel'));
  });

  it('fails by a task of an unknown status, of another id, or that asks a question', async () => {
    const states = [
      { status: 'sleeping' },
      { status: 'working', taskId: 't2' },
      { status: 'input_required', inputRequests: {} },
    ];
    const codes = states.map(async (state) => {
      const { agentId } = await put((await scripted(() => state)).url, { max_seconds: 600 });
      const reply = await invoke(scene.market, buyer, agentId, { input: INPUT });
      return [reply.status, (reply.body.error as { code: string }).code];
    });
    expect(await Promise.all(codes)).toEqual(states.map(() => [502, 'agent_error']));
    expect(await money()).toEqual([0, 10_000]);
  });

  it('may answer with much, and not with too much', async () => {
    const sizes = [3, 11];
    const agent = await scripted(() => ({
      status: 'completed',
      result: text('x'.repeat((sizes.shift() ?? 0) * 1_048_576)),
    }));
    const { agentId } = await put(agent.url, { max_seconds: 600 });
    const large = await invoke(scene.market, buyer, agentId, { input: INPUT });
    expect(large.status).toBe(200);
    expect(JSON.stringify(large.body.output).length).toBeGreaterThan(3_000_000);
    const huge = await invoke(scene.market, buyer, agentId, { input: INPUT });
    expect((huge.body.error as { code: string }).code).toBe('response_too_large');
    expect(await money()).toEqual([0, 9_000]);
  });
});

it('shows an error of the protocol as a failed task to a client with tasks, with the error and without a result', async () => {
  const server = await scripted(() => ({ status: 'failed', error: { code: -32603, message: 'boom' } }));
  const { agentId } = await put(server.url, { max_seconds: 600 });
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions } };
  const call = { name: 'work', arguments: {}, _meta };
  const created = await modern(scene.market, buyer, agentId, 'tools/call', call);
  const taskId = created.body.result?.['taskId'] as string;
  await read(taskId);
  const { body } = await modern(
    scene.market,
    buyer,
    agentId,
    'tasks/get',
    { taskId, _meta },
    { 'mcp-name': taskId },
  );
  expect(body.result).toMatchObject({
    status: 'failed',
    error: { code: -32603, data: { error: { code: 'agent_error' } } },
  });
  expect(body.result).not.toHaveProperty('result');
  expect(await money()).toEqual([0, 10_000]);
});
