/** What the agent of a job asks its buyer, and what becomes of the answer (ADR 0306). */
import { randomUUID } from 'node:crypto';
import { answersOf, callBack, newJobAgent, type JobAgent } from '../../support/jobs/question-agent';
import { canonicalJson, sha256Hex } from '../../../src/kit/json/canonical-json';
import { makeKey } from '../../support/accounts/keys';
import { followAccount } from '../../support/calls/event-stream';
import { request } from '../../support/catalogue/publishing';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  register,
  type TestUser,
} from '../../support/market';
import { useScene } from '../../support/use-market';

interface Question {
  question_id: string;
  prompt: string;
  schema: unknown;
  asked_at: string;
  expires_at: string;
}
interface Call extends Record<string, unknown> {
  invocation_id: string;
  status: string;
  output?: unknown;
  error: { code: string; message: string } | null;
  detail?: { loc: string[] }[];
  usage: { credits_charged: number; duration_ms: number };
  evidence: { receipt: { answers?: unknown } } | null;
  job: { ends_at: string; question: Question | null };
}

const scene = useScene();
let buyer: TestUser;

beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 100);
});
afterAll(() => expectWholeLedger(scene.market));

const SCHEMA = {
  type: 'object',
  properties: {
    format: { type: 'string', enum: ['pdf', 'html'] },
    pages: { type: 'integer', minimum: 1 },
  },
  required: ['format'],
};
const QUESTION = { prompt: 'Which format do you want?', schema: SCHEMA };
const INPUT = { format: 'pdf', pages: 3 };
const DAY_MS = 86_400_000;

const path = (id: string) => `/v1/invocations/${id}`;
const read = async (id: string, wait = 0) =>
  (await request<Call>(scene.market, buyer, 'GET', `${path(id)}?wait=${wait}`)).body;
const give = (id: string, body: unknown, who: Pick<TestUser, 'cookie'> = buyer) =>
  request<Call>(scene.market, who, 'POST', `${path(id)}/input`, body);
const money = async () => [
  await balance(scene.market.owner, buyer.userId, 'escrow'),
  await balance(scene.market.owner, buyer.userId, 'wallet'),
];
const agentOf = (options: Parameters<typeof newJobAgent>[2] = {}) =>
  newJobAgent(scene.market, scene.developer.userId, options);
const ask = (job: JobAgent, id: string, more: object = {}, webhookId?: string) =>
  callBack(scene.market, job, id, { type: 'question', ...QUESTION, ...more }, webhookId);

/** A job of the agent that runs. Returns its call. */
async function begin({ agentId }: JobAgent): Promise<string> {
  const { body } = await invoke(
    scene.market,
    buyer,
    agentId,
    { input: { text: randomUUID() } },
    { prefer: 'respond-async' },
  );
  const id = String(body.invocation_id);
  await eventually(async () => (await rowOf(id)) !== undefined);
  return id;
}

async function rowOf(id: string) {
  const { rows } = await scene.market.owner.query<Record<string, unknown>>(
    `SELECT j.*, h.lease_until, q.question, q.answer, q.delivered_at FROM jobs j JOIN holds h USING (invocation_id)
       LEFT JOIN job_questions q USING (invocation_id) WHERE invocation_id = $1`,
    [id],
  );
  return rows[0];
}

describe('an agent that calls back', () => {
  it('asks, gets the answer at its endpoint, and is paid for its working time alone', async () => {
    const job = await agentOf();
    const id = await begin(job);
    const before = await read(id);
    const asked = await ask(job, id);
    expect(asked).toEqual({ status: 202, body: { status: 'accepted', question_id: expect.any(String) } });
    const call = await read(id);
    const { question } = call.job;
    expect(call.status).toBe('running');
    expect(question).toMatchObject({ question_id: asked.body.question_id, ...QUESTION });
    expect(Date.parse(String(question?.expires_at)) - Date.parse(String(question?.asked_at))).toBe(
      7 * DAY_MS,
    );
    // An hour passes.
    await scene.market.owner.query(
      `UPDATE jobs SET taken_at = taken_at - interval '1 hour', paused_at = paused_at - interval '1 hour',
         ends_at = ends_at - interval '1 hour', heard_at = heard_at - interval '1 hour' WHERE invocation_id = $1`,
      [id],
    );
    const given = await give(id, { question_id: question?.question_id, input: INPUT });
    expect([given.status, given.body.status, given.body.job.question]).toEqual([200, 'running', null]);
    expect(Math.abs(Date.parse(given.body.job.ends_at) - Date.parse(before.job.ends_at))).toBeLessThan(
      30_000,
    );
    await eventually(() => answersOf(job.agent).length === 1);
    const [delivery] = answersOf(job.agent);
    expect([delivery?.path, delivery?.json]).toEqual([
      '/invoke',
      { type: 'answer', invocation_id: id, question_id: question?.question_id, input: INPUT },
    ]);
    expect(delivery?.isSigned).toBe(true);
    await callBack(scene.market, job, id, { type: 'answer', output: { text: 'done' } });
    const ended = await read(id, 30);
    expect(ended).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
    expect(ended.usage.duration_ms).toBeLessThan(60_000);
    expect(ended.evidence?.receipt.answers).toEqual([
      {
        question_id: question?.question_id,
        question_sha256: sha256Hex(canonicalJson(QUESTION)),
        answer_sha256: sha256Hex(canonicalJson(INPUT)),
      },
    ]);
    const dispute = {
      invocation_id: id,
      reason: 'output_incorrect',
      description: 'It is not what I asked for.',
    };
    const opened = await request<{ dispute_id: string }>(
      scene.market,
      buyer,
      'POST',
      '/v1/billing/disputes',
      dispute,
    );
    const shown = await request<{ call: { answers?: unknown } }>(
      scene.market,
      buyer,
      'GET',
      `/v1/billing/disputes/${opened.body.dispute_id}`,
    );
    expect(shown.body.call.answers).toEqual(ended.evidence?.receipt.answers);
    expect(await rowOf(id)).toMatchObject({ question: null, answer: null });
    expect(await money()).toEqual([0, 9_000]);
  });

  it('gets the answer at an address of its origin, again and again until it accepts it', async () => {
    const job = await agentOf({ refusals: 2 });
    const id = await begin(job);
    await ask(job, id, { answer_url: '/answers?to=me#here', question_id: 'first' });
    const rotated = await request(
      scene.market,
      scene.developer,
      'POST',
      `/v1/developer/agents/${job.agentId}/rotate-signing-secret`,
      { grace_seconds: 600 },
    );
    expect(rotated.status).toBe(200);
    expect((await give(id, { question_id: 'first', input: { format: 'html' } })).status).toBe(200);
    await eventually(() => answersOf(job.agent).length === 3);
    await eventually(async () => (await rowOf(id))?.['delivered_at'] !== null);
    const delivered = answersOf(job.agent);
    expect(new Set(delivered.map((each) => each.path))).toEqual(new Set(['/answers?to=me']));
    expect(new Set(delivered.map((each) => each.webhookId)).size).toBe(1);
    // During the overlap the secret of before signs, and within half a minute the new one, too.
    expect(delivered.every((each) => each.isSigned)).toBe(true);
    await ask(job, id, { question_id: 'second' });
    expect((await read(id)).job.question?.question_id).toBe('second');
    await callBack(scene.market, job, id, { type: 'failure', message: 'no' });
    expect(await read(id, 30)).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
    expect(await money()).toEqual([0, 10_000]);
  });

  it('asks one question at a time, and the same one once', async () => {
    const job = await agentOf();
    const id = await begin(job);
    const first = await ask(job, id, {}, 'msg_1');
    expect(await ask(job, id, {}, 'msg_1')).toEqual(first);
    expect((await ask(job, id, {}, 'msg_2')).status).toBe(409);
    expect((await callBack(scene.market, job, id, { type: 'progress', progress: 0.5 })).status).toBe(202);
    await request(scene.market, buyer, 'DELETE', path(id));
    expect((await ask(job, id, {}, 'msg_3')).status).toBe(409);
    expect((await read(id)).job.question).toBeNull();
    expect(await money()).toEqual([0, 10_000]);
  });

  it.each([
    ['without a prompt', { prompt: undefined }, 422],
    ['with a nested schema', { schema: { type: 'object', properties: { a: { type: 'object' } } } }, 422],
    ['with an address of another origin', { answer_url: 'https://127.77.0.9:1/' }, 422],
    ['with an address that is none', { answer_url: 'http://' }, 422],
    ['that is too large', { schema: { ...SCHEMA, title: 'a'.repeat(8_192) } }, 413],
    ['with another member', { extra: 1 }, 422],
  ])('is refused a question %s', async (_what, more, status) => {
    const job = await agentOf();
    const id = await begin(job);
    expect((await ask(job, id, more)).status).toBe(status);
    expect((await read(id)).job.question).toBeNull();
  });

  it('cannot ask while its agent is suspended', async () => {
    const job = await agentOf();
    const id = await begin(job);
    await scene.market.owner.query(`UPDATE agents SET status = 'suspended' WHERE agent_id = $1`, [
      job.agentId,
    ]);
    expect((await ask(job, id)).status).toBe(409);
  });

  it('may ask before its 202', async () => {
    let takeIt = (): void => undefined;
    const taken = new Promise<void>((resolve) => (takeIt = resolve));
    const job = await agentOf({ until: taken });
    const { body } = await invoke(
      scene.market,
      buyer,
      job.agentId,
      { input: { text: 'a' } },
      { prefer: 'respond-async' },
    );
    const id = String(body.invocation_id);
    await job.agent.waitForDeliveries(1);
    expect((await ask(job, id)).status).toBe(202);
    takeIt();
    await eventually(async () => (await rowOf(id))?.['paused_at'] instanceof Date);
    const question = (await read(id)).job.question;
    await give(id, { question_id: question?.question_id, input: INPUT });
    await eventually(() => answersOf(job.agent).length === 1);
  });
});

describe('an agent that is asked', () => {
  it('asks by a 202, is not asked meanwhile, and gets the answer at its address', async () => {
    const job = await agentOf({ location: '/jobs/1', question: { ...QUESTION, question_id: 'q1' } });
    const id = await begin(job);
    await eventually(async () => (await read(id)).job.question !== null);
    const looks = job.agent.deliveries.filter(({ method }) => method === 'GET').length;
    const handle = scene.market.environment.client.workflow.getHandle(`invocation/${id}`);
    await handle.signal('look');
    await eventually(async () => ((await handle.describe()).historyLength ?? 0) > 0);
    expect(job.agent.deliveries.filter(({ method }) => method === 'GET')).toHaveLength(looks);
    await give(id, { question_id: 'q1', input: INPUT });
    await eventually(() => answersOf(job.agent).length === 1);
    expect(answersOf(job.agent)[0]?.path).toBe('/jobs/1');
    // The same question again is answered.
    await eventually(() => job.agent.deliveries.filter(({ method }) => method === 'GET').length > looks);
    job.finish({ text: 'done' });
    expect(await read(id, 30)).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
  });

  it('has failed if its question is not one', async () => {
    const job = await agentOf({
      location: '/jobs/1',
      question: { prompt: 'Which?', schema: { type: 'array' } },
    });
    const id = await begin(job);
    expect(await read(id, 30)).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
    expect(await money()).toEqual([0, 10_000]);
  });
});

describe('a buyer', () => {
  it('is answered by 404, 409 and 422 where the answer is not wanted', async () => {
    const job = await agentOf();
    const id = await begin(job);
    const answer = { question_id: 'q', input: INPUT };
    expect((await give(id, answer)).status).toBe(409);
    await ask(job, id, { question_id: 'q' });
    const other = await register(scene.market, 'buyer', 1);
    expect((await give(id, answer, other)).status).toBe(404);
    expect((await give(id, { ...answer, question_id: 'p' }, other)).status).toBe(404);
    expect((await give(`inv_${'0'.repeat(32)}`, answer)).status).toBe(404);
    const unscoped = await makeKey(scene.market, buyer, { scopes: ['webhooks:manage'] });
    const refused = await fetch(`${scene.market.url}${path(id)}/input`, {
      method: 'POST',
      headers: { 'x-api-key': unscoped.key, 'content-type': 'application/json' },
      body: JSON.stringify(answer),
    });
    expect(refused.status).toBe(403);
    expect((await give(id, { ...answer, question_id: 'p' })).status).toBe(409);
    const wrong = await give(id, { question_id: 'q', input: { pages: 0, other: 1 } });
    expect([wrong.status, (wrong.body.detail ?? []).map(({ loc }) => loc.join('/'))]).toEqual([
      422,
      ['body/input/format', 'body/input/pages', 'body/input/other'],
    ]);
    expect((await give(id, { question_id: 'q' })).status).toBe(422);
    expect((await give(id, answer)).status).toBe(200);
    expect((await give(id, { question_id: 'q', input: { pages: 3, format: 'pdf' } })).status).toBe(200);
    expect((await give(id, { question_id: 'q', input: { format: 'html' } })).status).toBe(409);
    await request(scene.market, buyer, 'DELETE', path(id));
    expect((await give(id, answer)).status).toBe(200);
  });

  it('finds calls that wait in the list, in events and in a notice of its webhook', async () => {
    const job = await agentOf();
    const [id, quiet] = [await begin(job), await begin(job)];
    const stream = await followAccount(scene.market, { cookie: buyer.cookie });
    await callBack(scene.market, job, id, { type: 'progress', progress: 0.25 });
    await callBack(scene.market, job, id, { type: 'progress', progress: 0.5 });
    await ask(job, id, { question_id: 'q' });
    const events = await stream.next(2);
    expect(events.map(({ body }) => body)).toMatchObject([
      { type: 'invocation.progress', data: { invocation_id: id, progress: 0.25 } },
      {
        type: 'invocation.input_required',
        data: { invocation_id: id, question_id: 'q', prompt: QUESTION.prompt },
      },
    ]);
    await stream.leave();
    const { rows } = await scene.market.owner.query<{ data: object }>(
      `SELECT data FROM events WHERE type = 'invocation.input_required' AND data ->> 'invocation_id' = $1`,
      [id],
    );
    expect(JSON.stringify(rows)).not.toContain(QUESTION.prompt);
    const list = async (query: string) => {
      const { body } = await request<{ items: Call[]; total: number }>(
        scene.market,
        buyer,
        'GET',
        `/v1/invocations?${query}`,
      );
      return [body.items.map((call) => call.invocation_id), body.total];
    };
    expect(await list('input_required=true')).toEqual([[id], 1]);
    expect(await list('status=running')).toEqual([[quiet, id], 2]);
    const waiting = async () =>
      (await request<{ questions: number }>(scene.market, buyer, 'GET', '/v1/notices/waiting')).body
        .questions;
    expect(await waiting()).toBe(1);
    await give(id, { question_id: 'q', input: INPUT });
    expect([await list('input_required=true'), await waiting()]).toEqual([[[], 0], 0]);
  });

  it('who does not answer in time gets the price back', async () => {
    const job = await agentOf();
    const id = await begin(job);
    await ask(job, id, { question_id: 'q' });
    const {
      lease_until: lease,
      ends_at: ends,
      paused_at: paused,
    } = (await rowOf(id)) as Record<string, Date>;
    const restMs = Number(ends) - Number(paused);
    expect(Number(lease)).toBe(Number(paused) + 7 * DAY_MS + restMs + 3_600_000);
    await scene.market.owner.query(`UPDATE job_questions SET expires_at = now() WHERE invocation_id = $1`, [
      id,
    ]);
    expect((await give(id, { question_id: 'q', input: INPUT })).status).toBe(409);
    await scene.market.owner.query(`UPDATE jobs SET look_at = now() WHERE invocation_id = $1`, [id]);
    expect(await read(id, 30)).toMatchObject({ status: 'failed', error: { code: 'canceled' } });
    expect(await money()).toEqual([0, 10_000]);
  });

  it('does not wait for an agent that was silent before it asked', async () => {
    const job = await agentOf({ jobs: { max_seconds: 600, heartbeat_seconds: 10 } });
    const id = await begin(job);
    await ask(job, id, { question_id: 'q' });
    await scene.market.owner.query(
      `UPDATE jobs SET heard_at = heard_at - interval '1 hour', look_at = now() WHERE invocation_id = $1`,
      [id],
    );
    const handle = scene.market.environment.client.workflow.getHandle(`invocation/${id}`);
    await eventually(async () => {
      const shown = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      return shown.currentDetails.includes('waits for the buyer');
    });
    expect((await read(id)).status).toBe('running');
    await job.agent.stop();
    await give(id, { question_id: 'q', input: INPUT });
    await scene.market.owner.query(
      `UPDATE jobs SET heard_at = now() - interval '11 s', look_at = now() WHERE invocation_id = $1`,
      [id],
    );
    expect(await read(id, 30)).toMatchObject({ status: 'failed', error: { code: 'agent_timeout' } });
    expect(await money()).toEqual([0, 10_000]);
  });
});

it('ends a wait as soon as it is asked, unless the buyer knows it', async () => {
  const job = await agentOf();
  const id = await begin(job);
  const waited = (known: string, seconds = 30) =>
    request<Call>(scene.market, buyer, 'GET', `${path(id)}?wait=${seconds}&known_question=${known}`);
  const begunAt = performance.now();
  const plain = read(id, 30);
  await ask(job, id, { question_id: 'first' });
  expect((await plain).job.question).toMatchObject({ question_id: 'first' });
  expect((await waited('')).body.job.question).toMatchObject({ question_id: 'first' });
  // A wait without the parameter, and one that names the question, last until something is new.
  const lasting = [read(id, 30), waited('first').then(({ body }) => body)];
  const short = performance.now();
  await waited('first', 1);
  expect(performance.now() - short).toBeGreaterThan(950);
  await give(id, { question_id: 'first', input: INPUT });
  await ask(job, id, { question_id: 'second' });
  for (const { status, job: shown } of await Promise.all(lasting))
    expect([status, shown.question?.question_id]).toEqual(['running', 'second']);
  expect(performance.now() - begunAt).toBeLessThan(25_000);
  expect((await waited('x'.repeat(65))).status).toBe(422);
});
