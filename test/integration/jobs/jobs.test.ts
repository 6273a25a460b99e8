/** Jobs (ADR 0304): calls that an agent accepts with 202 and answers later, from every surface, with their money. */
import type { Client } from 'pg';
import { refusedSignature } from '../../../src/kit/crypto/webhook-signature';
import { formatReport } from '../../../src/services/ledger/ledger-check';
import { runProof } from '../../../src/stores/ledger/ledger-checks';
import { readWaiting } from '../../../src/stores/ledger/ledger-openings';
import { openHoldsAreOpenCalls } from '../../../src/stores/ledger/ledger-proofs-calls';
import { readWalletBalance } from '../../../src/stores/ledger/ledger-reads';
import { addressIn, postCallback, sendCallback } from '../../support/jobs/callbacks';
import { addJobEnd, jobOf } from '../../support/jobs/jobs';
import type { Behaviour, Delivery } from '../../support/agents/behaviours';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { request } from '../../support/catalogue/publishing';
import { putSelfHosted } from '../../support/calls/use';
import { balance, eventually, invoke, putLive, register, type TestUser } from '../../support/market';
import { readPlatformState } from '../../../src/stores/operations/overview';
import { useScene } from '../../support/use-market';

interface Call extends Record<string, unknown> {
  invocation_id: string;
  status: string;
  output?: unknown;
  error: { code: string; agent_message?: string } | null;
  usage: { credits_charged: number; duration_ms: number };
}

const INPUT = { text: 'hello' };
const ACCEPTED: Behaviour = { kind: 'answer', status: 202, output: {} };
const at = (location: string, retryAfter = '1'): Behaviour => ({
  kind: 'answer',
  status: 202,
  output: {},
  headers: { location, 'retry-after': retryAfter },
});
const scene = useScene();
let buyer: TestUser;

beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 100);
});

const begin = (agentId: string, prefer = 'respond-async', body: object = {}) =>
  invoke(scene.market, buyer, agentId, { input: INPUT, ...body }, { prefer });
const read = (id: string, wait = 30) =>
  request<Call>(scene.market, buyer, 'GET', `/v1/invocations/${id}?wait=${wait}`);
const escrow = () => balance(scene.market.owner, buyer.userId, 'escrow');
const wallet = () => balance(scene.market.owner, buyer.userId, 'wallet');
const isAsked = ({ method }: Delivery) => method === 'GET';
const isStopped = ({ method }: Delivery) => method === 'DELETE';

/** Waits until the agent was notified that its job has ended, which happens once. Returns the request. */
async function stopped(agent: TestAgent, id: string): Promise<Delivery | undefined> {
  await eventually(async () => (await jobOf(scene.market.owner, id))?.location === null);
  const [request, ...more] = agent.deliveries.filter(isStopped);
  expect(more).toEqual([]);
  return request;
}

const agents = new Map<TestAgent, { signingSecret: string }>();

/** An agent of jobs: what it says to a call, and then each time it is asked. */
async function jobAgent(
  replies: readonly Behaviour[],
  jobs: { max_seconds: number; heartbeat_seconds?: number } = { max_seconds: 600 },
): Promise<{ agent: TestAgent; agentId: string }> {
  let asked = 0;
  const agent = await startAgent({
    behaviour: (delivery) => {
      if (isStopped(delivery)) return { kind: 'status', status: 500 };
      if (!isAsked(delivery)) return at('/jobs/1?of=secret-path');
      asked += 1;
      return replies[Math.min(asked, replies.length) - 1] ?? ACCEPTED;
    },
  });
  const live = await putLive(scene.market, scene.developer.userId, agent.url, { jobs });
  agents.set(agent, live);
  return { agent, agentId: live.agentId };
}

/** The job of a call, once the agent has accepted it. */
async function accepted(agentId: string, body: object = {}): Promise<string> {
  const { body: call } = await begin(agentId, 'respond-async', body);
  const id = String(call.invocation_id);
  await eventually(async () => (await jobOf(scene.market.owner, id)) !== undefined);
  return id;
}

/** Requests without `Prefer` for a job that goes on. They wait for 25 s, beside the other tests. */
let patient: Promise<{ reply: Awaited<ReturnType<typeof invoke>>; seconds: number }[]>;
beforeAll(async () => {
  const caller = await register(scene.market, 'buyer', 100);
  const { agentId } = await jobAgent([at('/jobs/1', '60')]);
  const sent = async () => {
    const startedAt = performance.now();
    const reply = await invoke(scene.market, caller, agentId, { input: INPUT, idempotency_key: 'same' });
    return { reply, seconds: (performance.now() - startedAt) / 1_000 };
  };
  patient = Promise.all([sent(), sent()]);
});

describe('an agent that is asked', () => {
  it('answers when it is done, and is paid once', async () => {
    const { agent, agentId } = await jobAgent([at('/jobs/1'), { kind: 'answer', output: { text: 'done' } }]);
    const id = await accepted(agentId);
    expect(await escrow()).toBe(1_000);
    const ended = await read(id);
    expect(ended.body).toMatchObject({
      status: 'succeeded',
      output: { text: 'done' },
      usage: { credits_charged: 10 },
    });
    expect(ended.body.usage.duration_ms).toBeGreaterThanOrEqual(1_900);
    expect([await escrow(), await wallet()]).toEqual([0, 9_000]);
    const [call, ...looks] = agent.deliveries;
    // Its first 202 has asked for a second, too.
    expect(Number(looks[0]?.at) - Number(call?.at)).toBeGreaterThanOrEqual(1_000);
    expect(looks.map(({ method, path }) => [method, path])).toEqual([
      ['GET', '/jobs/1?of=secret-path'],
      ['GET', '/jobs/1?of=secret-path'],
    ]);
    // Each request proves that it comes from the service, and none can be mistaken for the call.
    expect(new Set(agent.deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    expect(looks.every(({ invocationId }) => invocationId === call?.invocationId)).toBe(true);
    expect((await jobOf(scene.market.owner, id))?.location).toBeNull();
  });

  it('is the same for a caller that waits', async () => {
    const { agentId } = await jobAgent([{ kind: 'answer', output: { text: 'done' } }]);
    const reply = await invoke(scene.market, buyer, agentId, { input: INPUT });
    expect([reply.status, reply.body.output]).toEqual([200, { text: 'done' }]);
  });

  it('may answer a call at once', async () => {
    const agent = await startAgent();
    const { agentId } = await putLive(scene.market, scene.developer.userId, agent.url, {
      jobs: { max_seconds: 600 },
    });
    const reply = await invoke(scene.market, buyer, agentId, { input: INPUT });
    expect([reply.status, reply.body.output]).toEqual([200, INPUT]);
  });

  it.each([
    ['an error', { kind: 'status', status: 500 }, 'agent_error'],
    ['an answer of the wrong form', { kind: 'answer', output: { other: 1 } }, 'output_schema_mismatch'],
  ] as const)('refunds the buyer for %s', async (_what, behaviour, code) => {
    const { agent, agentId } = await jobAgent([behaviour]);
    const id = await accepted(agentId);
    expect((await read(id)).body).toMatchObject({ status: 'failed', error: { code } });
    expect([await escrow(), await wallet()]).toEqual([0, 10_000]);
    // It has ended the job itself.
    expect(await stopped(agent, id)).toBeUndefined();
  });

  it('has failed when it is not reached for longer than its heartbeat', async () => {
    const { agent, agentId } = await jobAgent([ACCEPTED], { max_seconds: 600, heartbeat_seconds: 10 });
    const id = await accepted(agentId);
    await agent.stop();
    await scene.market.owner.query(
      `UPDATE jobs SET heard_at = heard_at - interval '9 s' WHERE invocation_id = $1`,
      [id],
    );
    expect((await read(id)).body).toMatchObject({ status: 'failed', error: { code: 'agent_timeout' } });
    expect(await wallet()).toBe(10_000);
  });

  it('has failed when its time is over', async () => {
    const { agent, agentId } = await jobAgent([at('/jobs/1')]);
    const id = await accepted(agentId);
    await scene.market.owner.query(`UPDATE jobs SET ends_at = now() WHERE invocation_id = $1`, [id]);
    expect((await read(id)).body).toMatchObject({ status: 'failed', error: { code: 'agent_timeout' } });
    expect(await stopped(agent, id)).toMatchObject({ path: '/jobs/1?of=secret-path', invocationId: id });
  });
});

describe('a 202', () => {
  it.each([
    [
      'to another origin',
      at('https://127.77.0.2:9/jobs/1?of=secret-path'),
      { max_seconds: 600 },
      [
        'The agent takes the call as a job at an address of another origin.',
        '/header/Location must have the origin of the endpoint',
      ],
    ],
    [
      'from an agent without jobs',
      at('/jobs/1'),
      undefined,
      [
        'The agent takes the call as a job, and does not declare jobs.',
        '/status 202 takes a job, which capabilities.jobs must declare',
      ],
    ],
  ] as const)('%s is an error of the agent, and says why', async (_what, behaviour, jobs, said) => {
    const agent = await startAgent({ behaviour });
    const options = jobs ? { jobs } : {};
    const { agentId } = await putLive(scene.market, scene.developer.userId, agent.url, options);
    const reply = await invoke(scene.market, buyer, agentId, { input: INPUT });
    const error = { code: 'agent_error', agent_message: said[0] };
    expect([reply.status, reply.body.error]).toMatchObject([502, error]);
    expect([await escrow(), await wallet()]).toEqual([0, 10_000]);
    expect(agent.deliveries).toHaveLength(1);
    const id = String(reply.body.invocation_id);
    expect((await read(id)).body).toMatchObject({ status: 'failed', error });
    const path = `/v1/developer/agents/${agentId}/calls/${id}`;
    const failure = { phase: 'answer', http_status: 202, problem: said[1] };
    const sold = await request(scene.market, scene.developer, 'GET', path);
    expect(sold.body).toMatchObject({ failure, error: { code: 'agent_error' } });
    expect(JSON.stringify([reply.body, sold.body])).not.toContain('secret-path');
  });
});

describe('an agent that calls back', () => {
  const silent = async (jobs = { max_seconds: 600, heartbeat_seconds: 300 }) => {
    const agent = await startAgent({ behaviour: ACCEPTED });
    return putLive(scene.market, scene.developer.userId, agent.url, { jobs });
  };

  it('is paid for its answer, which a buyer gets once', async () => {
    const id = await accepted((await silent()).agentId);
    expect(await addJobEnd(scene.market, id, 'answer', { text: 'called' })).toBe('added');
    expect(await addJobEnd(scene.market, id, 'failure', 'no')).toBe('over');
    expect((await read(id)).body).toMatchObject({ status: 'succeeded', output: { text: 'called' } });
    expect([await escrow(), await wallet()]).toEqual([0, 9_000]);
    expect(await addJobEnd(scene.market, id, 'answer', { text: 'late' })).toBe('over');
  });

  it('reports its progress at the address that it got, and is answered for at once', async () => {
    const agent = await startAgent({ behaviour: ACCEPTED });
    const options = { jobs: { max_seconds: 600 } };
    const live = await putLive(scene.market, scene.developer.userId, agent.url, options);
    const id = await accepted(live.agentId);
    const [call] = agent.deliveries;
    if (!call) throw new Error('the agent got no call');
    const address = addressIn(call, scene.market);
    const callBack = async (type: string, data: object) =>
      (await postCallback(address, live.signingSecret, { type, ...data })).status;
    expect(await callBack('progress', { progress: 0.4, message: 'Reads page 4 of 10.' })).toBe(202);
    expect(await callBack('progress', { progress: 0.2 })).toBe(202);
    const running = await read(id, 0);
    expect(running.body).toMatchObject({
      status: 'running',
      job: { progress: 0.4, message: 'Reads page 4 of 10.' },
    });
    const waiting = read(id);
    expect(await callBack('answer', { output: { text: 'called' } })).toBe(202);
    expect((await waiting).body).toMatchObject({
      status: 'succeeded',
      output: { text: 'called' },
      job: { progress: 0.4, message: null },
    });
    expect(await callBack('answer', { output: { text: 'late' } })).toBe(409);
  });

  it('may say why it failed', async () => {
    const id = await accepted((await silent()).agentId);
    await addJobEnd(scene.market, id, 'failure', 'The source has no text.');
    const error = { code: 'agent_error', agent_message: 'The source has no text.' };
    expect((await read(id)).body).toMatchObject({ status: 'failed', error });
    expect(await wallet()).toBe(10_000);
  });

  const silence = (id: string, behind = 'heard_at') => {
    const text = `UPDATE jobs SET ${behind} = now() - interval '301 s', look_at = now() WHERE invocation_id = $1`;
    return scene.market.owner.query(text, [id]);
  };

  it('has failed when it is silent for longer than its heartbeat after a report', async () => {
    const { agentId, signingSecret: secret } = await silent();
    const id = await accepted(agentId);
    await sendCallback(scene.market, { invocationId: id, secret }, { type: 'progress', progress: 0.4 });
    await silence(id);
    expect((await read(id)).body).toMatchObject({ status: 'failed', error: { code: 'agent_timeout' } });
  });

  it.each(['heard_at', 'ends_at'])('is in error when it called nothing back until %s is over', async (at) => {
    const { agentId } = await silent();
    const id = await accepted(agentId);
    await silence(id, at);
    const words = 'The agent took the call as a job, gave no address to ask, and called nothing back.';
    const error = { code: 'agent_error', agent_message: words };
    expect((await read(id)).body).toMatchObject({ status: 'failed', error });
    expect([await escrow(), await wallet()]).toEqual([0, 10_000]);
    const path = `/v1/developer/agents/${agentId}/calls/${id}`;
    const { body } = await request(scene.market, scene.developer, 'GET', path);
    expect(body).toMatchObject({
      failure: { problem: expect.stringMatching(/^\/header\/Location is missing/) },
    });
  });

  it('is heard although its workflow was terminated', async () => {
    const id = await accepted((await silent()).agentId);
    const handle = scene.market.environment.client.workflow.getHandle(`invocation/${id}`);
    await eventually(async () => (await handle.describe()).type === 'job');
    await handle.terminate();
    await addJobEnd(scene.market, id, 'answer', { text: 'called' });
    await scene.market.owner.query(`UPDATE jobs SET look_at = now() WHERE invocation_id = $1`, [id]);
    expect((await read(id)).body).toMatchObject({ status: 'succeeded', output: { text: 'called' } });
  });
});

describe('a job that the sweep has ended, because its workflow was lost', () => {
  async function lost() {
    const { market } = scene;
    const { agent, agentId } = await jobAgent([at('/jobs/1', '60')]);
    const id = await accepted(agentId);
    const handle = market.environment.client.workflow.getHandle(`invocation/${id}`);
    await eventually(async () => (await handle.describe()).type === 'job');
    await handle.terminate();
    await market.owner.query(
      `UPDATE holds SET lease_until = now() - interval '1 s' WHERE invocation_id = $1`,
      [id],
    );
    await market.owner.query('SELECT invocation_sweep(60000, $1)', [[id]]);
    expect((await read(id)).body).toMatchObject({ status: 'failed' });
    expect(await dueOf(id)).toEqual([expect.any(Date)]);
    return { agent, id };
  }

  it('is stopped at its agent, once', async () => {
    const { agent, id } = await lost();
    await scene.market.owner.query('UPDATE jobs SET look_at = now() WHERE invocation_id = $1', [id]);
    const end = await stopped(agent, id);
    expect([end?.path, end?.headers['webhook-id']]).toEqual(['/jobs/1?of=secret-path', `${id}-cancel`]);
    expect(await dueOf(id)).toEqual([null]);
  });

  it('is left alone an hour later, and its address is deleted', async () => {
    const { agent, id } = await lost();
    await scene.market.owner.query(
      `UPDATE jobs SET look_at = now(), ended_at = now() - interval '61 min' WHERE invocation_id = $1`,
      [id],
    );
    expect(await stopped(agent, id)).toBeUndefined();
    expect(await dueOf(id)).toEqual([null]);
  });

  const dueOf = async (id: string) =>
    (await scene.market.owner.query('SELECT look_at FROM jobs WHERE invocation_id = $1', [id])).rows.map(
      ({ look_at }: { look_at: Date | null }) => look_at,
    );
});

it('is refunded when the secrets of its agent can no longer be opened', async () => {
  const { market, developer } = scene;
  const agent = await startAgent({ behaviour: ACCEPTED });
  const { agentId } = await putSelfHosted(market, developer, agent.url, { jobs: { max_seconds: 600 } });
  const id = await accepted(agentId);
  await market.owner.query(
    `INSERT INTO upstream_credentials (agent_id, origin, header, sealed, key_version) VALUES ($1, $2, 'x-key', '\\x00', 1)`,
    [agentId, new URL(agent.url).origin],
  );
  await addJobEnd(market, id, 'answer', { text: 'called' });
  expect((await read(id)).body).toMatchObject({ status: 'failed', error: { code: 'agent_unreachable' } });
  expect([await escrow(), await wallet()]).toEqual([0, 10_000]);
});

it('is refunded when the buyer cancels it, its agent is notified, and its workflow ends', async () => {
  const { agent, agentId } = await jobAgent([at('/jobs/1', '60')]);
  const id = await accepted(agentId);
  const canceled = await request<Call>(scene.market, buyer, 'DELETE', `/v1/invocations/${id}`);
  expect(canceled.body).toMatchObject({ status: 'failed', error: { code: 'canceled' } });
  expect([await escrow(), await wallet()]).toEqual([0, 10_000]);
  const handle = scene.market.environment.client.workflow.getHandle(`invocation/${id}`);
  await eventually(async () => (await handle.describe()).status.name !== 'RUNNING');
  const notice = await stopped(agent, id);
  expect(notice).toMatchObject({ path: '/jobs/1?of=secret-path', invocationId: id });
  expect(notice?.headers['webhook-id']).toBe(`${id}-cancel`);
  const { signingSecret } = agents.get(agent) ?? { signingSecret: '' };
  const body = Buffer.alloc(0);
  expect(refusedSignature([signingSecret], notice?.headers as never, body, Date.now())).toBeUndefined();
});

it('joins a job that runs with the same key, and gives its answer after it has ended', async () => {
  const { agent, agentId } = await jobAgent([at('/jobs/1'), { kind: 'answer', output: { text: 'done' } }]);
  const id = await accepted(agentId, { idempotency_key: 'one' });
  const again = await begin(agentId, 'respond-async', { idempotency_key: 'one' });
  expect([again.status, again.body.invocation_id]).toEqual([202, id]);
  await read(id);
  const replay = await begin(agentId, 'respond-async', { idempotency_key: 'one' });
  expect([replay.status, replay.body.output]).toEqual([200, { text: 'done' }]);
  expect(agent.deliveries.filter((delivery) => !isAsked(delivery))).toHaveLength(1);
  expect(await wallet()).toBe(9_000);
});

it('continues as new before a thousand events, without its address or bodies in any history', async () => {
  let isDone = false;
  const agent = await startAgent({
    behaviour: (delivery) => {
      if (isDone) return { kind: 'answer', output: { text: 'done' } };
      return at('/jobs/secret-path', isAsked(delivery) ? '60' : '0');
    },
  });
  const { agentId } = await putLive(scene.market, scene.developer.userId, agent.url, {
    jobs: { max_seconds: 600 },
  });
  const id = await accepted(agentId);
  const { workflow } = scene.market.environment.client;
  const handle = workflow.getHandle(`invocation/${id}`);
  await eventually(async () => (await handle.describe()).type === 'job');
  const { runId } = await handle.describe();
  const runs = [runId];
  for (let looks = agent.deliveries.length; runs.length === 1; looks = agent.deliveries.length) {
    await handle.signal('look');
    await agent.waitForDeliveries(looks + 1, 20_000);
    if (looks % 20 === 0 || looks > 85) {
      const now = (await handle.describe()).runId;
      if (now !== runId) runs.push(now);
    }
  }
  isDone = true;
  await handle.signal('look');
  expect((await read(id)).body).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
  for (const run of runs) {
    const { events = [] } = await workflow.getHandle(`invocation/${id}`, run).fetchHistory();
    expect(events?.length).toBeLessThan(1_000);
    const text = JSON.stringify(events, (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
    expect(text).not.toMatch(/secret-path|hello|done/);
  }
});

describe('the hold of a job', () => {
  it('shows in the balance and for operators with what it waits for', async () => {
    const { agentId } = await jobAgent([at('/jobs/1', '60')]);
    const id = await accepted(agentId);
    const held = async () =>
      (await request<{ held_for_jobs: unknown[] }>(scene.market, buyer, 'GET', '/v1/billing/balance')).body
        .held_for_jobs;
    const hold = {
      invocation_id: id,
      agent_id: agentId,
      credits: 10,
      held_at: expect.any(String),
      ends_at: expect.any(String),
    };
    expect(await held()).toEqual([{ ...hold, waits_for: 'agent' }]);
    const inside = await insideOf(scene.market.owner);
    await inside.query(`INSERT INTO job_ends VALUES ($1, 'msg_1', 'answer', '')`, [id]);
    expect((await readWalletBalance(inside, buyer.userId)).jobs).toMatchObject([{ waits_for: 'settlement' }]);
    const { holds } = await readPlatformState(inside);
    expect(holds.find((one) => one.invocation_id === id)?.job).toMatchObject({ waits_for: 'settlement' });
    await inside.undo();
    await request(scene.market, buyer, 'DELETE', `/v1/invocations/${id}`);
    expect(await held()).toEqual([]);
  });

  it('is named by the ledger check with its age and reason, and is a fault once no call will end it', async () => {
    const { agentId } = await jobAgent([at('/jobs/1', '60')]);
    const id = await accepted(agentId);
    const inside = await insideOf(scene.market.owner);
    const faultsOf = async () => (await runProof(inside, openHoldsAreOpenCalls, 20)).findings;
    await inside.query(`UPDATE jobs SET taken_at = now() - interval '3 hours' WHERE invocation_id = $1`, [
      id,
    ]);
    const waiting = (await readWaiting(inside)).find(({ subject }) => subject.includes(id));
    expect(waiting).toMatchObject({ subject: `job ${id} of ${agentId}`, count: 1, units: 1_000 });
    expect(waiting?.reason).toMatch(
      /^its agent works on it, last reported at \S+Z, and must answer until \S+Z; the lease of its hold ends at \S+Z$/,
    );
    const report = { ok: true, since: null, leftToFull: [], waiting: waiting ? [waiting] : [], proofs: [] };
    expect(formatReport(report)).toMatch(
      new RegExp(
        `^wait  job ${id} of ${agentId}: 10\\.00 credits, since \\S+ \\(0 d 3 h\\); its agent works on it`,
        'm',
      ),
    );
    expect(await faultsOf()).toEqual([]);
    const overdue = `UPDATE holds SET lease_until = now() - interval '11 minutes' WHERE invocation_id = $1`;
    await inside.query('DELETE FROM loop_reports');
    await inside.query(overdue, [id]);
    expect(await faultsOf()).toEqual([]);
    await inside.query(`INSERT INTO loop_reports VALUES ('worker', '{}', now())`);
    expect(await faultsOf()).toEqual([
      { subject: id, problem: expect.stringContaining('although its lease ended at') },
    ]);
    await inside.undo();
    await request(scene.market, buyer, 'DELETE', `/v1/invocations/${id}`);
  });
});

it('is answered with its address after 25 s where a caller waits for it, also one that joined it by the same key', async () => {
  const replies = await patient;
  const [first, joined] = replies.map(({ reply }) => reply);
  expect(joined?.body.invocation_id).toBe(first?.body.invocation_id);
  for (const { reply, seconds } of replies) {
    expect([reply.status, reply.body]).toMatchObject([202, { status: 'running' }]);
    expect(reply.headers.get('location')).toBe(`/v1/invocations/${reply.body.invocation_id}`);
    expect(Math.round(seconds)).toBeLessThan(30);
    expect(seconds).toBeGreaterThan(24);
  }
}, 40_000);

/** The same connection, within a transaction that is undone. */
async function insideOf(client: Client) {
  await client.query('BEGIN');
  return Object.assign(Object.create(client) as Client, { undo: () => client.query('ROLLBACK') });
}
