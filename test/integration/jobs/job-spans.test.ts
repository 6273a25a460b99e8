/** What happens beside a job that runs for hours: it is answered and paid once (docs/jobs.md, "Spans"). */
import { fastForward } from '../../../src/engine/time-travel';
import { makeKey, readKey } from '../../support/accounts/keys';
import { sendCallback } from '../../support/jobs/callbacks';
import { addJobEnd, jobOf } from '../../support/jobs/jobs';
import {
  type MandateScene,
  mandateOf,
  outcomeOf,
  startMandateScene,
  useMandate,
} from '../../support/mandates/mandate-scene';
import { budget, claimsOf, nowS } from '../../support/mandates/mandates';
import { startAgent } from '../../support/agents/test-agent';
import { request } from '../../support/catalogue/publishing';
import { dispute, registerOperator } from '../../support/disputes/disputes';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  putVersion,
  register,
  type TestUser,
} from '../../support/market';
import { useScene } from '../../support/use-market';
import { realTime } from '../../support/waits';

const HOUR_MS = 3_600_000;

const scene = useScene({
  agent: { timeoutMs: 5_000, credits: 10, jobs: { max_seconds: 86_400, heartbeat_seconds: 3_600 } },
  server: { behaviour: { kind: 'answer', status: 202, output: {} } },
});
let buyer: TestUser;

beforeEach(async () => {
  buyer = await register(scene.market, 'buyer', 100);
});
afterAll(() => expectWholeLedger(scene.market));

async function newJob(agentId = scene.agentId, more: object = {}): Promise<string> {
  const begun = await invoke(
    scene.market,
    buyer,
    agentId,
    { input: { text: 'x' }, ...more },
    { prefer: 'respond-async' },
  );
  const id = begun.body.invocation_id ?? '';
  await eventually(async () => (await jobOf(scene.market.owner, id)) !== undefined);
  return id;
}

const read = async (id: string) =>
  (
    await request<{
      status: string;
      output: unknown;
      usage: { duration_ms: number };
      error: { code: string } | null;
    }>(scene.market, buyer, 'GET', `/v1/invocations/${id}?wait=30`)
  ).body;
const money = async () => [
  await balance(scene.market.owner, buyer.userId, 'wallet'),
  await balance(scene.market.owner, buyer.userId, 'escrow'),
];
const stateOf = async (id: string) =>
  (await scene.market.environment.client.workflow.getHandle(`invocation/${id}`).describe()).status.name;

/** The rows of a job as they are so many hours later; its agent has reported meanwhile. */
const passHours = (id: string, hours: number) =>
  scene.market.owner.query(
    `UPDATE jobs SET taken_at = taken_at - $2 * interval '1 hour', ends_at = ends_at - $2 * interval '1 hour',
       heard_at = now() WHERE invocation_id = $1`,
    [id, hours],
  );

it('answers a job of a day after twenty hours', async () => {
  const { environment } = scene.market;
  const id = await newJob();
  await eventually(async () => (await stateOf(id)) === 'RUNNING');
  await passHours(id, 20);
  expect(await fastForward(environment.client, `invocation/${id}`, 20 * HOUR_MS)).toBe('running');
  await addJobEnd(scene.market, id, 'answer', { text: 'done' });
  const ended = await read(id);
  expect(ended).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
  expect(ended.usage.duration_ms).toBeGreaterThanOrEqual(20 * HOUR_MS);
  expect(await money()).toEqual([9_000, 0]);
});

it('refunds a job of a day when the day is over, by the timer of its workflow alone', async () => {
  const { environment } = scene.market;
  const id = await newJob();
  await environment.client.workflow.getHandle(`invocation/${id}`).signal('look');
  await passHours(id, 24);
  await fastForward(environment.client, `invocation/${id}`, 24 * HOUR_MS);
  expect(await read(id)).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
  expect(await money()).toEqual([10_000, 0]);
});

it('answers a job whose agent was suspended and retired, and whose buyer was frozen, meanwhile', async () => {
  const { market, developer, agent } = scene;
  const operator = await registerOperator(market);
  const jobs = { max_seconds: 86_400 };
  const { agentId, signingSecret: secret } = await putLive(market, developer.userId, agent.url, { jobs });
  const [first, second] = [await newJob(agentId), await newJob(agentId)];
  const schema = { type: 'object', properties: { format: { type: 'string' } } };
  const ask = async (question_id: string) => {
    const question = { type: 'question', question_id, prompt: 'Which format?', schema };
    return (await sendCallback(market, { invocationId: first, secret }, question)).status;
  };
  expect(await ask('q1')).toBe(202);
  const why = { reason: 'A test of what goes on.' };
  const said = [
    await request(market, operator, 'POST', `/v1/operator/agents/${agentId}/suspend`, why),
    await request(market, operator, 'POST', `/v1/operator/accounts/${buyer.userId}/freeze`, why),
  ];
  expect(said.map(({ status }) => status)).toEqual([200, 200]);
  const answer = { question_id: 'q1', input: { format: 'pdf' } };
  expect((await request(market, buyer, 'POST', `/v1/invocations/${first}/input`, answer)).status).toBe(200);
  await eventually(() => agent.deliveries.some(({ body }) => body.includes(first) && body.includes('"q1"')));
  expect(await ask('q2')).toBe(409);
  await addJobEnd(market, first, 'answer', { text: 'one' });
  expect(await read(first)).toMatchObject({ status: 'succeeded', output: { text: 'one' } });
  await request(market, operator, 'POST', `/v1/operator/agents/${agentId}/reinstate`, why);
  expect((await request(market, developer, 'POST', `/v1/developer/agents/${agentId}/retire`)).status).toBe(
    200,
  );
  await addJobEnd(market, second, 'answer', { text: 'two' });
  expect(await read(second)).toMatchObject({ status: 'succeeded', output: { text: 'two' } });
  expect(await money()).toEqual([8_000, 0]);
});

it('answers a job whose version was superseded, and whose developer was frozen, meanwhile', async () => {
  const { market } = scene;
  const operator = await registerOperator(market);
  const developer = await register(market, 'developer');
  let isDone = false;
  const served = await startAgent({
    behaviour: ({ method }) => ({
      kind: 'answer',
      status: method === 'GET' && isDone ? 200 : 202,
      output: isDone ? { text: 'asked' } : {},
      headers: { location: '/jobs/1', 'retry-after': '1' },
    }),
  });
  const jobs = { max_seconds: 86_400 };
  const {
    agentId,
    versionId,
    signingSecret: secret,
  } = await putLive(market, developer.userId, served.url, { jobs });
  const [called, asked] = [await newJob(agentId), await newJob(agentId)];
  // The next version takes no jobs, and is another program.
  await putVersion(market, agentId, scene.agent.url, { version: '1.1.0' });
  const why = { reason: 'A test of what goes on.' };
  const frozen = await request(
    market,
    operator,
    'POST',
    `/v1/operator/accounts/${developer.userId}/freeze`,
    why,
  );
  expect(frozen.status).toBe(200);
  const say = (message: object) => sendCallback(market, { invocationId: called, secret }, message);
  expect(await say({ type: 'progress', progress: 0.5 })).toMatchObject({ status: 202 });
  expect(await say({ type: 'answer', output: { text: 'called' } })).toMatchObject({ status: 202 });
  expect(await read(called)).toMatchObject({ status: 'succeeded', output: { text: 'called' } });
  isDone = true;
  expect(await read(asked)).toMatchObject({ status: 'succeeded', output: { text: 'asked' } });
  const { rows } = await market.owner.query(
    'SELECT DISTINCT version_id FROM invocations WHERE invocation_id = ANY ($1)',
    [[called, asked]],
  );
  expect(rows).toEqual([{ version_id: versionId }]);
  expect(await money()).toEqual([8_000, 0]);
  expect(await balance(market.owner, developer.userId, 'payable')).toBe(1_940);
  await served.stop();
});

it('ends with a dispute while it runs: the price comes back, and what is called back is refused', async () => {
  const { market } = scene;
  const id = await newJob();
  expect((await dispute(market, buyer, id)).status).toBe(201);
  expect(await money()).toEqual([10_000, 0]);
  expect(await addJobEnd(market, id, 'answer', { text: 'late' })).toBe('over');
  await eventually(async () => (await stateOf(id)) !== 'RUNNING');
});

it('is kept by retention while it runs, and a repeated key gets its answer after its end', async () => {
  const { market } = scene;
  const id = await newJob(scene.agentId, { idempotency_key: `kept-${buyer.userId}` });
  await market.owner.query('SELECT retention_purge(1000), a2a_purge(1000)');
  await addJobEnd(market, id, 'answer', { text: 'done' });
  expect((await read(id)).status).toBe('succeeded');
  await market.owner.query('SELECT retention_purge(1000), a2a_purge(1000)');
  const again = await invoke(market, buyer, scene.agentId, {
    input: { text: 'x' },
    idempotency_key: `kept-${buyer.userId}`,
  });
  expect([again.status, again.body.output]).toEqual([200, { text: 'done' }]);
  expect(await money()).toEqual([9_000, 0]);
});

const TAKES_ALL = { behaviour: { kind: 'answer', status: 202, output: {} } } as const;
const BY_SECOND = {
  pricing: { model: 'per_second', credits_per_second: '0.1', max_credits_per_call: 60 },
  jobs: { max_seconds: 600, heartbeat_seconds: 300 },
} as const;

/** The jobs of the agent of a scene, in their order, once there are so many. */
async function jobsOf({ market, agentId }: MandateScene, count: number): Promise<string[]> {
  const read = async () =>
    (
      await market.owner.query<{ id: string }>(
        'SELECT invocation_id AS id FROM jobs WHERE agent_id = $1 ORDER BY taken_at',
        [agentId],
      )
    ).rows.map(({ id }) => id);
  await eventually(async () => (await read()).length === count);
  return read();
}

it('costs the working time of its agent alone, while its maximum stays in the budgets of mandate and key', async () => {
  const own = await startMandateScene({ agent: BY_SECOND, server: TAKES_ALL });
  const { market, issuer, agentId, signingSecret: secret } = own;
  const say = async (invocationId: string, message: object) =>
    expect((await sendCallback(market, { invocationId, secret }, message)).status).toBe(202);
  const jws = await mandateOf(own, { constraints: [budget(100)] });
  const underMandate = useMandate(own, jws);
  const [first = ''] = await jobsOf(own, 1);
  const key = await makeKey(market, issuer, { credit_cap: 100 });
  const byKey = async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key.key, prefer: 'respond-async' };
    const body = JSON.stringify({ input: { text: 'x' } });
    return (await fetch(`${market.url}/v1/agents/${agentId}/invoke`, { method: 'POST', headers, body }))
      .status;
  };
  expect(await byKey()).toBe(202);
  const [, second = ''] = await jobsOf(own, 2);
  const schema = { type: 'object', properties: { format: { type: 'string' } } };
  const question = { type: 'question', question_id: 'q', prompt: 'Which format?', schema };
  for (const id of [first, second]) await say(id, question);
  // Three days pass, which would cost more than the maximum.
  await market.owner.query(
    `UPDATE jobs SET taken_at = taken_at - interval '3 days', paused_at = paused_at - interval '3 days',
       ends_at = ends_at - interval '3 days', heard_at = heard_at - interval '3 days' WHERE agent_id = $1`,
    [agentId],
  );
  expect(outcomeOf(await useMandate(own, jws))).toEqual([402, 'mandate_exceeded']);
  expect(await byKey()).toBe(402);
  for (const id of [first, second]) {
    const answer = { question_id: 'q', input: { format: 'pdf' } };
    const given = await request(market, issuer, 'POST', `/v1/invocations/${id}/input`, answer);
    expect(given.status).toBe(200);
    await say(id, { type: 'answer', output: { text: 'done' } });
    await request(market, issuer, 'GET', `/v1/invocations/${id}?wait=30`);
  }
  const { body } = await underMandate;
  const charged = body.usage?.credits_charged ?? 0;
  expect(charged).toBeGreaterThan(0);
  expect(charged).toBeLessThan(20);
  const { rows } = await market.owner.query(
    'SELECT spent_units, reserved_units, occurrences FROM mandates WHERE root_jti = $1',
    [claimsOf(jws)['jti']],
  );
  expect(rows).toEqual([{ spent_units: String(charged * 100), reserved_units: '0', occurrences: 1 }]);
  expect((await readKey(market, issuer, key.key_id))?.spent_credits).toBeLessThan(20);
  expect(await balance(market.owner, issuer.userId, 'escrow')).toBe(0);
  await own.stop();
});

it('is paid under a mandate that has expired, or was revoked, after the call was accepted', async () => {
  const own = await startMandateScene({ agent: { jobs: { max_seconds: 600 } }, server: TAKES_ALL });
  const { market, issuer, signingSecret: secret } = own;
  // Clocks may differ by a minute.
  const exp = nowS() - 54;
  const [expiring, revoked] = [
    await mandateOf(own, { now: exp - 60, claims: { exp } }),
    await mandateOf(own),
  ];
  const replies = [useMandate(own, expiring)];
  await jobsOf(own, 1);
  replies.push(useMandate(own, revoked));
  const ids = await jobsOf(own, 2);
  const jti = String(claimsOf(revoked)['jti']);
  const headers = { cookie: issuer.cookie };
  const gone = await fetch(`${market.url}/v1/mandates/${jti}`, { method: 'DELETE', headers });
  expect(gone.status).toBe(204);
  await realTime(exp * 1_000 + 61_000 - Date.now(), 'the mandate expires');
  for (const jws of [expiring, revoked])
    expect(outcomeOf(await useMandate(own, jws))).toEqual([403, 'mandate_invalid']);
  for (const invocationId of ids)
    await sendCallback(market, { invocationId, secret }, { type: 'answer', output: { text: 'done' } });
  for (const reply of await Promise.all(replies))
    expect([reply.status, reply.body.usage?.credits_charged]).toEqual([200, 10]);
  const { rows } = await market.owner.query(
    'SELECT spent_units, reserved_units FROM mandates WHERE root_jti = ANY ($1)',
    [[expiring, revoked].map((jws) => claimsOf(jws)['jti'])],
  );
  expect(rows).toEqual([1, 2].map(() => ({ spent_units: '1000', reserved_units: '0' })));
  await own.stop();
});
