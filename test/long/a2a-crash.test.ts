/**
 * kill -9 of every process (API, worker, Temporal, Postgres) while 20 tasks and 13 jobs run: all end correctly. Tasks
 * of agents that may be called again succeed; the others are called once, and their buyer is refunded. Jobs go on: each
 * is answered for and charged once, whether its agent is asked, calls back, or is an MCP server. A client that
 * follows a task by another API process continues to follow it, and push notifications arrive. A question of a job is
 * asked, answered and delivered, in whatever state it was. Then each process dies once while a job of forty minutes
 * runs, whose client has gone, beside jobs in every state.
 */
import { randomUUID } from 'node:crypto';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import { addressIn, postCallback } from '../support/jobs/callbacks';
import { startQuestions } from '../support/jobs/questions-across-kills';
import { startJobs } from '../support/jobs/states-across-kills';
import { expectStackLedger } from '../support/crash/books';
import type { Behaviour, Delivery } from '../support/agents/behaviours';
import { a2a } from '../support/protocols/a2a';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { answer, startTaskServer, type TaskServer } from '../support/agents/mcp-tasks';
import { putSelfHosted } from '../support/calls/use';
import { startHookServer, type HookServer } from '../support/webhooks/hook-server';
import {
  balance,
  eventually,
  invoke,
  type LiveAgent,
  putLive,
  register,
  type TestUser,
} from '../support/market';
import { request } from '../support/catalogue/publishing';
import {
  startProcessStack,
  type ProcessStack,
  type ServiceProcess,
  untilServing,
} from '../support/stack/process-stack';
import { testPool } from '../support/stack/pool';

const EACH = 10;
const JOBS = 3;
const ASKING = 4;
const HEAL_MS = 90_000;

jest.setTimeout(300_000);

let stack: ProcessStack;
let api: ServiceProcess;
/** The test does not kill this process. */
let otherApi: ServiceProcess;
let worker: ServiceProcess;
let repeatable: TestAgent;
let once: TestAgent;
let asked: TestAgent;
let callsBack: TestAgent;
let tools: TaskServer;
let isDone = false;
let hook: HookServer;
let buyer: TestUser;

beforeAll(async () => {
  stack = await startProcessStack();
  [api, worker, repeatable, once, asked, callsBack, hook, tools] = await Promise.all([
    stack.addProcess('api'),
    stack.addProcess('worker'),
    startAgent({ behaviour: { kind: 'hangs' }, keepBodies: false }),
    startAgent({ behaviour: { kind: 'hangs' }, keepBodies: false, host: '127.77.0.2' }),
    startAgent({ behaviour: jobBehaviour, host: '127.77.0.3' }),
    startAgent({ behaviour: { kind: 'answer', status: 202, output: {} }, host: '127.77.0.4' }),
    startHookServer(),
    startTaskServer('legacy'),
  ]);
});
afterAll(async () => {
  await Promise.all([repeatable, once, asked, callsBack, hook, tools].map((each) => each.stop()));
  await stack.stop();
});

/** An agent that accepts each call as a job, and has its answer once it is done. */
function jobBehaviour({ method, invocationId }: Delivery): Behaviour {
  if (method === 'GET' && isDone) return { kind: 'answer', output: { text: 'asked' } };
  return {
    kind: 'answer',
    status: 202,
    output: {},
    headers: { location: `/jobs/${invocationId}`, 'retry-after': '1' },
  };
}

/** Begins jobs by plain REST. Their callers leave. */
async function beginJobs(
  market: { url: string },
  agentId: string,
  input: object = { text: 'survive' },
): Promise<string[]> {
  const begun = Array.from({ length: JOBS }, () =>
    invoke(market, buyer, agentId, { input }, { prefer: 'respond-async' }),
  );
  return (await Promise.all(begun)).map(({ body }) => String(body.invocation_id));
}

/** What the agent calls back, at the addresses that it got before the kills. */
async function callBack({ signingSecret }: LiveAgent): Promise<number[]> {
  const answer = { type: 'answer', output: { text: 'called back' } };
  const calls = callsBack.deliveries.map(
    async (call) => (await postCallback(addressIn(call, api), signingSecret, answer)).status,
  );
  return Promise.all(calls);
}

interface Started {
  taskId: string;
  agentId: string;
}

async function send(agentId: string): Promise<Started> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: 'survive' } }] };
  const taskPushNotificationConfig = { url: `${hook.url}/${message.messageId}` };
  const body = { message, configuration: { returnImmediately: true, taskPushNotificationConfig } };
  const headers = { 'a2a-version': '1.0' };
  const reply = await a2a<{ task?: { id: string } }>(
    api,
    buyer,
    'POST',
    `${agentId}/message:send`,
    body,
    headers,
  );
  if (!reply.body.task) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return { taskId: reply.body.task.id, agentId };
}

interface Followed {
  /** The events of the stream so far. */
  states: readonly string[];
  over: Promise<void>;
}

/** Follows a task by a stream of the API process that stays. */
function follow({ taskId, agentId }: Started): Followed {
  const states: string[] = [];
  async function read(): Promise<void> {
    const response = await fetch(`${otherApi.url}/v1/a2a/${agentId}/tasks/${taskId}:subscribe`, {
      headers: { cookie: buyer.cookie, 'a2a-version': '1.0' },
    });
    for await (const chunk of response.body ?? [])
      for (const [, state = ''] of Buffer.from(chunk)
        .toString()
        .matchAll(/TASK_STATE_(\w+)/g))
        states.push(state);
  }
  return { states, over: read() };
}

/** Push notifications of a task's end. */
const pushed = (taskId: string): string[] =>
  hook.told.map(({ text }) => text).filter((text) => text.includes(taskId) && text.includes('"task"'));

const poll = ({ taskId, agentId }: Started) => a2a(api, buyer, 'GET', `${agentId}/tasks/${taskId}`);

it('ends every task correctly when all processes are killed at once', async () => {
  await untilServing(api);
  const market = { url: api.url, owner: stack.owner, container: stack.container as never };
  const developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  const options = { credits: 5, timeoutMs: 60_000 };
  const { agentId: again } = await putLive(market, developer.userId, repeatable.url, {
    ...options,
    idempotent: true,
  });
  const { agentId: only } = await putLive(market, developer.userId, once.url, options);
  const jobs = { ...options, jobs: { max_seconds: 3_600 } };
  const [polled, calling] = await Promise.all(
    [asked, callsBack].map(({ url }) => putLive(market, developer.userId, url, jobs)),
  );
  if (!polled || !calling) throw new Error('two agents take jobs');
  const served = await putSelfHosted(market, developer, tools.url, {
    protocol: 'mcp',
    credits: 5,
    jobs: { max_seconds: 3_600 },
  });
  const jobIds = (
    await Promise.all([
      ...[polled, calling].map(({ agentId }) => beginJobs(market, agentId)),
      beginJobs(market, served.agentId, { tool: 'work' }),
    ])
  ).flat();
  const tasks = await Promise.all(Array.from({ length: EACH }, () => [send(again), send(only)]).flat());
  await Promise.all([repeatable.waitForDeliveries(EACH, 60_000), once.waitForDeliveries(EACH, 60_000)]);
  const accepted = () => stack.owner.query('SELECT FROM jobs');
  await eventually(async () => (await accepted()).rows.length === 3 * JOBS, 60_000);
  const questions = await startQuestions(market, developer, buyer, options.credits);
  expect(await balance(stack.owner, buyer.userId, 'escrow')).toBe((2 * EACH + 3 * JOBS + ASKING) * 500);
  otherApi = await stack.addProcess('api');
  const [first, second] = tasks as [Started, Started];
  const streams = [follow(first), follow(second)];
  await eventually(async () => streams.every(({ states }) => states.length > 0), 60_000);

  const asks = questions.askMeanwhile();
  await Promise.all([api.kill(), worker.kill(), stack.killTemporal()]);
  await stack.killPostgres();
  await asks;
  repeatable.behave({ kind: 'echo' });
  once.behave({ kind: 'echo' });
  await stack.startPostgres();
  await stack.startTemporal();
  await Promise.all([api.start(), worker.start()]);
  await untilServing(api);
  isDone = true;
  tools.end(answer('asked'));
  expect(await callBack(calling)).toEqual(Array.from({ length: JOBS }, () => 202));
  await questions.goOn(api);

  await eventually(async () => {
    const replies = await Promise.all(tasks.map(poll));
    return replies.every(({ body }) => !['accepted', 'running'].includes(body.status));
  }, HEAL_MS);
  const ends = await Promise.all(tasks.map(async (task) => ({ ...task, ...(await poll(task)).body })));
  for (const end of ends) {
    if (end.agentId === again)
      expect(end).toMatchObject({ status: 'succeeded', output: { text: 'survive' } });
    else
      expect(end).toMatchObject({ status: 'failed', error: { code: 'engine_unavailable', retryable: true } });
  }
  for (const id of [...jobIds, ...questions.ids]) {
    const { body } = await request<{ status: string; output: object; usage: object }>(
      { url: api.url },
      buyer,
      'GET',
      `/v1/invocations/${id}?wait=60`,
    );
    const text = expect.stringMatching(/"text":"(asked|called back)"/) as string;
    const { output, ...end } = body;
    expect(JSON.stringify(output)).toEqual(text);
    expect(end).toMatchObject({ status: 'succeeded', usage: { credits_charged: 5 } });
  }
  const delivered = questions.deliveries();
  expect(delivered.map(({ messages }) => messages)).toEqual(Array.from({ length: ASKING }, () => 1));
  expect(delivered.at(-1)).toEqual({ sent: 1, messages: 1 });
  await questions.agent.stop();
  expect(tools.calls).toHaveLength(JOBS);
  const sent = [asked, callsBack].map(
    ({ deliveries }) => deliveries.filter(({ method }) => method === 'POST').length,
  );
  expect(sent).toEqual([JOBS, JOBS]);
  await Promise.all(streams.map(({ over }) => over));
  expect(streams.map(({ states }) => states)).toEqual([
    ['WORKING', 'COMPLETED'],
    ['WORKING', 'FAILED'],
  ]);
  await eventually(async () => tasks.every(({ taskId }) => pushed(taskId).length > 0), HEAL_MS);
  const sentOnce = tasks.filter(({ agentId }) => agentId === only).map(({ taskId }) => once.countOf(taskId));
  expect(sentOnce).toEqual(Array.from({ length: EACH }, () => 1));
  const pool = testPool(stack.environment()['DATABASE_URL']);
  const report = await checkLedger(pool);
  await pool.end();
  expect(report.proofs.filter(({ total }) => total > 0)).toEqual([]);
  expect(await balance(stack.owner, buyer.userId, 'wallet')).toBe(100_000 - (EACH + 3 * JOBS + ASKING) * 500);
  expect(await balance(stack.owner, buyer.userId, 'escrow')).toBe(0);
});

it('delivers a job of forty minutes once, whose client has gone, when each process dies once on its way', async () => {
  const deaths = [
    { kill: () => worker.kill(), start: () => worker.start() },
    { kill: () => api.kill(), start: () => api.start() },
    { kill: () => stack.killTemporal(), start: () => stack.startTemporal() },
    { kill: () => stack.killPostgres(), start: () => stack.startPostgres() },
  ];
  await untilServing(api);
  const jobs = await startJobs(stack, api);
  const id = await jobs.beginAndLeave();
  for (const death of deaths) {
    const states = await jobs.inEachState();
    const answers = states.answerNow();
    await death.kill();
    await answers;
    await death.start();
    await untilServing(api);
    await jobs.pass(id, 10);
    await states.goOn();
  }
  expect(await jobs.answer(id)).toBe(202);
  const ended = await jobs.read(id);
  expect(ended).toMatchObject({
    status: 'succeeded',
    output: { text: 'done' },
    usage: { credits_charged: 5 },
  });
  expect(ended.usage.duration_ms).toBeGreaterThanOrEqual(40 * 60_000);
  const calls = jobs.agent.deliveries.filter(({ body }) => !body.includes('"question_id"'));
  expect(new Set(calls.map(({ invocationId }) => invocationId)).size).toBe(calls.length);
  expect(await balance(stack.owner, jobs.buyer.userId, 'wallet')).toBe(100_000 - jobs.spent());
  expect(await balance(stack.owner, jobs.buyer.userId, 'escrow')).toBe(0);
  await expectStackLedger(stack);
  await jobs.agent.stop();
});
