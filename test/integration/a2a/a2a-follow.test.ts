/** Following tasks as the wire has it: streams byte by byte, from any process, and lists with their filters. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { a2a } from '../../support/protocols/a2a';
import { followAccount } from '../../support/calls/event-stream';
import { eventually, register, startMarket, type TestMarket } from '../../support/market';
import { useScene } from '../../support/use-market';

type Json = Record<string, unknown>;
interface Task {
  id: string;
  contextId: string;
  status: { state: string; timestamp: string };
  artifacts?: Json[];
  history?: Json[];
}

const scene = useScene({ agent: { timeoutMs: 20_000 } });
let second: TestMarket;
beforeAll(async () => {
  second = await startMarket({ share: scene.market, env: { EVENT_STREAMS_PER_ACCOUNT: '3' } });
});
afterAll(async () => {
  await second.stop();
});
beforeEach(() => {
  scene.agent.forget();
  scene.agent.behave({ kind: 'echo' });
});

const V1 = { 'a2a-version': '1.0' };
const message = (text: string, more: Json = {}) => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [{ data: { text } }],
  ...more,
});

async function send(text: string, more: Json = {}, configuration: Json = {}): Promise<Task> {
  const path = `${scene.agentId}/message:send`;
  const body = { message: message(text, more), configuration };
  const reply = await a2a<{ task: Task }>(scene.market, scene.buyer, 'POST', path, body, V1);
  return reply.body.task;
}

async function open(
  market: Pick<TestMarket, 'url'>,
  method: string,
  path: string,
  body?: Json,
  signal?: AbortSignal,
) {
  return fetch(`${market.url}/v1/a2a/${scene.agentId}${path}`, {
    method,
    headers: { cookie: scene.buyer.cookie, ...V1, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

/** The events of a stream; any line that is neither `data:` nor a comment fails. */
function eventsOf(text: string): Json[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith(':')) return [];
    if (!line.startsWith('data: ')) throw new Error(`a line that is no data: ${line}`);
    return [JSON.parse(line.slice('data: '.length)) as Json];
  });
}

it('wraps each event of a JSON-RPC stream in a response with the id of the request', async () => {
  const request = {
    jsonrpc: '2.0',
    id: 'a-7',
    method: 'SendStreamingMessage',
    params: { message: message('rpc') },
  };
  const response = await open(scene.market, 'POST', '/rpc', request);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const events = eventsOf(await response.text());
  expect(events.every(({ jsonrpc, id }) => jsonrpc === '2.0' && id === 'a-7')).toBe(true);
  const results = events.map(({ result }) => Object.keys(result as Json)[0]);
  expect(results[0]).toBe('task');
  expect(results.slice(-2)).toEqual(['artifactUpdate', 'statusUpdate']);
});

it.each(['GET', 'POST'])('subscribes by %s in another process than the one that accepted', async (method) => {
  let release = () => {};
  const until = new Promise<void>((resolve) => (release = resolve));
  scene.agent.behave({ kind: 'waits', until });
  const task = await send('elsewhere', {}, { returnImmediately: true });
  const response = await open(second, method, `/tasks/${task.id}:subscribe`);
  expect(response.status).toBe(200);
  release();
  const events = eventsOf(await response.text());
  expect(events[0]).toMatchObject({ task: { id: task.id } });
  expect(events.at(-2)).toMatchObject({
    artifactUpdate: { artifact: { parts: [{ data: { text: 'elsewhere' } }] } },
  });
  expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
  const late = await open(second, method, `/tasks/${task.id}:subscribe`);
  expect([late.status, ((await late.json()) as { error: { status: string } }).error.status]).toEqual([
    400,
    'FAILED_PRECONDITION',
  ]);
});

it('cancels a task from another process than the one that streams it', async () => {
  scene.agent.behave({ kind: 'hangs' });
  const streaming = open(scene.market, 'POST', '/message:stream', { message: message('cancel') });
  await scene.agent.waitForDeliveries(1, 15_000);
  const taskId = scene.agent.deliveries[0]?.invocationId ?? '';
  const canceled = await open(second, 'POST', `/tasks/${taskId}:cancel`);
  expect(await canceled.json()).toMatchObject({ id: taskId, status: { state: 'TASK_STATE_CANCELED' } });
  const events = eventsOf(await (await streaming).text());
  expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } });
});

it('continues a task whose caller has left', async () => {
  let release = () => {};
  scene.agent.behave({ kind: 'waits', until: new Promise<void>((resolve) => (release = resolve)) });
  const leaving = new AbortController();
  const left = open(scene.market, 'POST', '/message:send', { message: message('leave') }, leaving.signal);
  await scene.agent.waitForDeliveries(1, 15_000);
  leaving.abort();
  await expect(left).rejects.toThrow();
  release();
  const taskId = scene.agent.deliveries[0]?.invocationId ?? '';
  await eventually(async () => {
    const { body } = await a2a(second, scene.buyer, 'GET', `${scene.agentId}/tasks/${taskId}`);
    return body.status === 'succeeded';
  });
});

describe('lists', () => {
  interface List {
    tasks: Task[];
    nextPageToken: string;
    pageSize: number;
    totalSize: number;
  }
  const list = async (query: string) => {
    const path = `${scene.agentId}/tasks?${query}`;
    return a2a<List>(scene.market, scene.buyer, 'GET', path, undefined, V1);
  };

  it('filters by context, state and time, and shows the requested fields', async () => {
    const contextId = randomUUID();
    const done = await send('done', { contextId });
    scene.agent.behave({ kind: 'status', status: 500 });
    const failed = await send('failed', { contextId });
    expect(done.contextId).toBe(contextId);
    const all = (await list(`contextId=${contextId}`)).body;
    expect(all.tasks.map(({ id }) => id)).toEqual([failed.id, done.id]);
    expect(all).toMatchObject({ nextPageToken: '', pageSize: 50, totalSize: 2 });
    expect(all.tasks.every((task) => !('artifacts' in task))).toBe(true);
    const shown = (await list(`contextId=${contextId}&includeArtifacts=true&historyLength=0`)).body;
    expect(shown.tasks.map(({ artifacts, history }) => [artifacts?.length, history])).toEqual([
      [0, undefined],
      [1, undefined],
    ]);
    const completed = (await list(`contextId=${contextId}&status=TASK_STATE_COMPLETED`)).body;
    expect(completed.tasks.map(({ id }) => id)).toEqual([done.id]);
    expect((await list(`contextId=${contextId}&status=TASK_STATE_AUTH_REQUIRED`)).body.tasks).toEqual([]);
    const after = encodeURIComponent(failed.status.timestamp);
    const later = (await list(`contextId=${contextId}&statusTimestampAfter=${after}`)).body;
    expect(later.tasks.map(({ id }) => id)).toEqual([failed.id]);
  });

  it.each([
    'pageSize=0',
    'pageSize=101',
    'pageSize=x',
    'pageToken=nonsense',
    'status=NONE',
    'statusTimestampAfter=x',
    'statusTimestampAfter=-200000-01-01T00:00:00Z',
    'contextId=%00',
    'historyLength=-1',
  ])('refuses %s', async (query) => {
    const { status, body } = await list(query);
    expect([status, body.error?.status]).toEqual([400, 'INVALID_ARGUMENT']);
  });
});

/** The first line of the answer to a request that declares a body and sends none. */
async function answerBeforeBody(path: string): Promise<string> {
  const { hostname, port } = new URL(second.url);
  const headers = `cookie: ${scene.buyer.cookie}\r\na2a-version: 1.0\r\ncontent-type: application/json\r\n`;
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`POST ${path} HTTP/1.1\r\nhost: market\r\n${headers}content-length: 100\r\n\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return chunk.toString('latin1').split('\r\n', 1)[0] ?? '';
}

it('limits the streams by which an account follows tasks, with 429 in both bindings, before the body', async () => {
  scene.agent.behave({ kind: 'hangs' });
  const { id } = await send('long', {}, { returnImmediately: true });
  const stop = new AbortController();
  const subscribe = () => open(second, 'POST', `/tasks/${id}:subscribe`, undefined, stop.signal);
  const streams = await Promise.all([subscribe(), subscribe(), subscribe()]);
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
  const refused = await subscribe();
  expect(refused.status).toBe(429);
  expect(JSON.stringify(await refused.json())).toContain('CONCURRENCY_LIMITED');
  const params = { message: message('rpc') };
  const rpc = await open(second, 'POST', '/rpc', {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendStreamingMessage',
    params,
  });
  expect(rpc.status).toBe(429);
  expect(await answerBeforeBody(`/v1/a2a/${scene.agentId}/message:stream`)).toMatch(/^HTTP\/1.1 429/);
  stop.abort();
  await eventually(async () => {
    const next = new AbortController();
    const { status } = await open(second, 'POST', `/tasks/${id}:subscribe`, undefined, next.signal);
    next.abort();
    return status === 200;
  });
});

it('limits the event streams of an account by the same setting, and forgets those that ended', async () => {
  const [who, other] = [await register(second, 'buyer'), await register(second, 'buyer')];
  const follow = ({ cookie } = who) => followAccount(second, { cookie });
  const streams = await Promise.all([1, 2, 3].map(() => follow()));
  await expect(follow()).rejects.toThrow(/429.*concurrency_limited.*3 event streams/);
  await (await follow(other)).leave();
  await streams[0]?.leave();
  await eventually(
    async () =>
      (await follow()).leave().then(
        () => true,
        () => false,
      ),
    15_000,
  );
  for (const stream of streams.slice(1)) await stream.leave();
});

it('counts no stream of a client that disconnected while its session was checked', async () => {
  const who = await register(second, 'buyer');
  const { hostname, port } = new URL(second.url);
  const request = `GET /v1/events/stream HTTP/1.1\r\nhost: market\r\ncookie: ${who.cookie}\r\n\r\n`;
  for (let opened = 0; opened < 6; opened += 1) {
    const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    await once(socket, 'connect');
    await new Promise((resolve) => socket.write(request, resolve));
    socket.resetAndDestroy();
  }
  let refused: unknown;
  await eventually(async () => {
    const stream = await followAccount(second, { cookie: who.cookie }).catch((error: unknown) => {
      refused = error;
    });
    await stream?.leave();
    return stream !== undefined;
  }, 10_000).catch(() => expect(refused).toBeUndefined());
});
