/** What happens beside a job that runs for hours: it is answered and paid once (docs/jobs.md, "Spans"). */
import { fastForward } from '../../../src/engine/time-travel';
import { addJobEnd, jobOf } from '../../support/jobs/jobs';
import { request } from '../../support/catalogue/publishing';
import { dispute, registerOperator } from '../../support/disputes/disputes';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
import { useScene } from '../../support/use-market';

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
  expect(await read(id)).toMatchObject({ status: 'failed', error: { code: 'agent_timeout' } });
  expect(await money()).toEqual([10_000, 0]);
});

it('answers a job whose agent was suspended and retired, and whose buyer was frozen, meanwhile', async () => {
  const { market, developer, agent } = scene;
  const operator = await registerOperator(market);
  const jobs = { max_seconds: 86_400 };
  const { agentId } = await putLive(market, developer.userId, agent.url, { jobs });
  const [first, second] = [await newJob(agentId), await newJob(agentId)];
  const why = { reason: 'A test of what goes on.' };
  const said = [
    await request(market, operator, 'POST', `/v1/operator/agents/${agentId}/suspend`, why),
    await request(market, operator, 'POST', `/v1/operator/accounts/${buyer.userId}/freeze`, why),
  ];
  expect(said.map(({ status }) => status)).toEqual([200, 200]);
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
