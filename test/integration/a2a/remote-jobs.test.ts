/** The jobs and conversations of A2A agents that developers sell (ADR 0342, 0362), with servers of the official SDK. */
import { randomUUID } from 'node:crypto';
import { TaskState } from '@a2a-js/sdk';
import {
  type A2aAgent,
  registrationOfCard as bodyFor,
  type Speaks,
  startA2aAgent,
  type Turn,
  WIRES,
} from '../../support/agents/a2a-agent';
import { registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import { registerServing } from '../../support/catalogue/registrations';
import { jobOf } from '../../support/jobs/jobs';
import { balance, eventually, invoke, register, type TestUser } from '../../support/market';
import { a2a } from '../../support/protocols/a2a';
import { useMarket } from '../../support/use-market';

type Json = Record<string, unknown>;

const market = useMarket();
const agents: A2aAgent[] = [];
let developer: TestDeveloper;
let buyer: TestUser;

beforeAll(async () => {
  developer = await registerDeveloper(market);
});
beforeEach(async () => {
  buyer = await register(market, 'buyer', 100);
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
});

async function start(speaks?: Speaks, options?: { pushTo: string }): Promise<A2aAgent> {
  const agent = await startA2aAgent(speaks, options);
  agents.push(agent);
  return agent;
}

const money = async () => [
  await balance(market.owner, buyer.userId, 'escrow'),
  await balance(market.owner, buyer.userId, 'wallet'),
];

describe('an A2A agent with jobs', () => {
  const jobs = { capabilities: { jobs: { max_seconds: 600 } } };
  let agent: A2aAgent;
  let agentId: string;
  let turns: Turn[];
  interface Call extends Json {
    status: string;
    job?: { question: { question_id: string; prompt: string; schema: Json } | null };
  }
  const read = (id: string, wait = 30) =>
    request<Call>(market, buyer, 'GET', `/v1/invocations/${id}?wait=${wait}`);

  beforeEach(async () => {
    agent = await start();
    turns = [];
    agent.act = (turn) => {
      turns.push(turn);
      turn.state(TaskState.TASK_STATE_WORKING, 'Reads page 4 of 10.');
    };
    agentId = await registerServing(market, developer, bodyFor(agent.url, jobs));
  });

  const COMPLETED = JSON.stringify({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
  interface Notification {
    path: string;
    token: string | undefined;
    body: string;
  }
  const notify = async ({ path, token, body }: Notification): Promise<number> => {
    const headers = {
      'content-type': 'application/a2a+json',
      ...(token !== undefined && { 'x-a2a-notification-token': token }),
    };
    return (await fetch(market.url + path, { method: 'POST', headers, body })).status;
  };
  /** A job whose agent pushes, and has pushed nothing that arrived. */
  async function pushedJob() {
    const pushing = await start(undefined, { pushTo: 'http://127.0.0.1:9' });
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    pushing.act = agent.act;
    agentId = await registerServing(market, developer, bodyFor(pushing.url, jobs));
    return { pushing, id: await accepted(), turn: () => turns[0] as Turn };
  }

  async function accepted(): Promise<string> {
    const input = { input: { text: 'long' } };
    const { body } = await invoke(market, buyer, agentId, input, { prefer: 'respond-async' });
    const id = String(body.invocation_id);
    await eventually(async () => (await jobOf(market.owner, id)) !== undefined);
    return id;
  }

  it('is asked about the task until its answer is there', async () => {
    const id = await accepted();
    expect(await money()).toEqual([1_000, 9_000]);
    turns[0]?.artifact([{ text: 'done' }]);
    turns[0]?.state(TaskState.TASK_STATE_COMPLETED);
    turns[0]?.done();
    const { body } = await read(id);
    expect(body).toMatchObject({
      status: 'succeeded',
      output: { text: 'done' },
      usage: { credits_charged: 10 },
    });
    expect(await money()).toEqual([0, 9_000]);
    expect(agent.canceled).toEqual([]);
  });

  /** What a message of the agent was configured with, and where its notifications come. */
  const pushOf = (one: A2aAgent) => {
    const { body } =
      one.requests.find(({ body: sent = {} }) => JSON.stringify(sent).includes('/v1/callbacks/')) ?? {};
    const { configuration } = ((body as { params?: Json }).params ?? body) as { configuration: Json };
    const [push] = Object.values(configuration).filter((value) => typeof value === 'object');
    return push as { url: string; token: string };
  };
  const asksOf = (one: A2aAgent) =>
    one.requests.filter(
      ({ path, body }) =>
        /\/tasks\/[^:]+$/.test(path) ||
        /^(?:GetTask|tasks\/get)$/.test((body as { method?: string } | undefined)?.method ?? ''),
    ).length;

  it('is asked at once when it pushes, in each version and binding', async () => {
    jest.spyOn(console, 'info').mockImplementation(() => undefined);
    const late = WIRES.map(async (speaks) => {
      const pushing = await start(speaks, { pushTo: market.url });
      let turn: Turn | undefined;
      pushing.act = (begun) => {
        turn = begun;
        begun.state(TaskState.TASK_STATE_WORKING);
      };
      const id = await registerServing(market, developer, bodyFor(pushing.url, jobs));
      const asked = await invoke(market, buyer, id, { input: { text: 'long' } }, { prefer: 'respond-async' });
      // Behind the third time, the agent is asked after 3.4 seconds.
      await eventually(() => asksOf(pushing) === 3, 30_000);
      const doneAt = Date.now();
      turn?.artifact([{ text: 'done' }]);
      turn?.state(TaskState.TASK_STATE_COMPLETED);
      turn?.done();
      const { body } = await read(String(asked.body.invocation_id));
      expect(body).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
      return Date.now() - doneAt;
    });
    for (const ms of await Promise.all(late)) expect(ms).toBeLessThan(2_500);
    expect(await money()).toEqual([0, 6_000]);
  }, 60_000);

  it('gets no address for notifications unless its card says that it pushes', async () => {
    await accepted();
    expect(JSON.stringify(agent.requests)).not.toContain('/v1/callbacks/');
  });

  it.each<[string, number, (sent: Notification) => Notification]>([
    [
      'to another address',
      404,
      (sent) => ({ ...sent, path: sent.path.replace(/.{9}\/task$/, 'AAAAAAAAA/task') }),
    ],
    ['to the address of other agents', 404, (sent) => ({ ...sent, path: sent.path.replace(/\/task$/, '') })],
    ['without the token', 401, ({ path, body }) => ({ path, body, token: undefined })],
    ['with another token', 401, (sent) => ({ ...sent, token: 'A'.repeat(43) })],
    ['of 11 MB', 413, (sent) => ({ ...sent, body: JSON.stringify({ text: 'x'.repeat(11_000_000) }) })],
  ])('is refused a notification %s, which changes nothing', async (_what, status, change) => {
    const { pushing, id } = await pushedJob();
    const before = await jobOf(market.owner, id);
    const { url, token } = pushOf(pushing);
    const sent = change({ path: new URL(url).pathname, token, body: COMPLETED });
    expect(await notify(sent)).toBe(status);
    expect(await jobOf(market.owner, id)).toEqual(before);
    await request(market, buyer, 'DELETE', `/v1/invocations/${id}`);
    expect(await notify({ path: new URL(url).pathname, token, body: COMPLETED })).toBe(409);
    expect(await money()).toEqual([0, 10_000]);
  });

  it('is not believed what it pushes, limited in pushes, and its tokens are not shown to its buyer', async () => {
    const { pushing, id, turn } = await pushedJob();
    const { url, token } = pushOf(pushing);
    const sent = { path: new URL(url).pathname, token, body: COMPLETED };
    expect(await notify(sent)).toBe(202);
    await eventually(() => asksOf(pushing) > 0);
    expect((await read(id, 0)).body.status).toBe('running');
    const statuses = await Promise.all(Array.from({ length: 65 }, () => notify(sent)));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    turn().artifact([{ text: `${token} of ${url}` }]);
    turn().state(TaskState.TASK_STATE_COMPLETED);
    turn().done();
    const { body } = await read(id);
    expect(body.status).toBe('succeeded');
    expect(JSON.stringify(body)).not.toContain(token);
    expect(JSON.stringify(body)).not.toContain(url.split('/').at(-2));
  });

  it('has its task cancelled when the buyer cancels', async () => {
    const id = await accepted();
    await request(market, buyer, 'DELETE', `/v1/invocations/${id}`);
    await eventually(() => agent.canceled.length === 1);
    expect(await money()).toEqual([0, 10_000]);
  });

  it('asks its buyer, who answers by a message of the task', async () => {
    const id = await accepted();
    turns[0]?.state(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which language?');
    turns[0]?.done();
    const question = async () => (await read(id, 0)).body.job?.question;
    await eventually(async () => !!(await question()), 15_000);
    const asked = await question();
    expect(asked).toMatchObject({ prompt: 'Which language?', schema: { required: ['text'] } });
    agent.act = ({ text, isFollowUp, state, artifact, done }) => {
      state(TaskState.TASK_STATE_WORKING);
      artifact([{ text: `${text}, ${isFollowUp}` }]);
      state(TaskState.TASK_STATE_COMPLETED);
      done();
    };
    const answer = { question_id: asked?.question_id, input: { text: 'German' } };
    const answered = await request(market, buyer, 'POST', `/v1/invocations/${id}/input`, answer);
    expect(answered.status).toBe(200);
    expect((await read(id)).body).toMatchObject({ status: 'succeeded', output: { text: 'German, true' } });
    expect(await money()).toEqual([0, 9_000]);
  });

  it('fails with its words, at no price, when the task fails', async () => {
    const id = await accepted();
    turns[0]?.state(TaskState.TASK_STATE_FAILED, 'The source has no text.');
    turns[0]?.done();
    const { body } = await read(id);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
    expect(await money()).toEqual([0, 10_000]);
  });
});

it('an agent gets one conversation for each context of a caller, which no other caller continues', async () => {
  const agent = await start();
  agent.act = ({ say }) => say({ text: 'yes' });
  const agentId = await registerServing(market, developer, bodyFor(agent.url));
  const send = async (who: TestUser, contextId?: string) => {
    const parts = [{ text: 'Go on' }];
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts, ...(contextId && { contextId }) };
    const path = `${agentId}/message:send`;
    const { body } = await a2a<{ task: Json }>(
      market,
      who,
      'POST',
      path,
      { message },
      { 'a2a-version': '1.0' },
    );
    const sent = agent.requests.at(-1)?.body as { params: { message: Json } };
    return { ours: String(body.task['contextId']), theirs: sent.params.message['contextId'] };
  };
  const first = await send(buyer);
  expect(first.theirs).toMatch(/^ses_[0-9a-f]{32}$/);
  expect(await send(buyer, first.ours)).toEqual(first);
  const other = await send(await register(market, 'buyer', 100), first.ours);
  expect([other.ours, other.theirs === first.theirs]).toEqual([first.ours, false]);
  expect((await send(buyer)).theirs).not.toBe(first.theirs);
});

it('an agent hears of its own host in an answer, but not where a file was read from there', async () => {
  const agent = await start();
  agent.serve('/report.pdf', (_req, res) => res.type('application/pdf').send('%PDF'));
  let more = '';
  agent.act = ({ say }) =>
    say({ text: `see ${more}` }, { url: `${agent.url}/report.pdf`, mediaType: 'application/pdf' });
  const agentId = await registerServing(market, developer, bodyFor(agent.url));
  const path = `/v1/developer/agents/${agentId}/notices`;
  const notices = async () => JSON.stringify((await request(market, developer, 'GET', path)).body);
  const ask = async () =>
    (await invoke(market, buyer, agentId, { input: { text: 'Report' } })).body['output'];
  expect(await ask()).toMatchObject({ files: [{ content_base64: 'JVBERg==' }] });
  expect(await notices()).not.toContain('endpoint_in_answer');
  more = `${agent.url}/other`;
  expect(await ask()).toMatchObject({ text: expect.stringContaining('[redacted]') as string });
  await eventually(async () => (await notices()).includes('endpoint_in_answer'));
});
