/** Temporal or Postgres is stopped: quick, clear refusals, nothing charged, and healing without help. */
import { Client, Connection } from '@temporalio/client';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import { ENROLMENT } from '../support/ledger/counts';
import { dispute, readDispute, respond, succeed } from '../support/disputes/disputes';
import { workflowOf } from '../support/calls/enrolled';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { eventually, invoke, putLive, register, type TestUser } from '../support/market';
import { startProcessStack, type ProcessStack, type ServiceProcess } from '../support/stack/process-stack';
import { testPool } from '../support/stack/pool';
import { firstThreads, itOnLinux, lowThreads } from '../support/stack/threads';
import { realTime } from '../support/waits';

jest.setTimeout(180_000);

let stack: ProcessStack;
let api: ServiceProcess;
let agent: TestAgent;
let buyer: TestUser;
let developer: TestUser;
let agentId: string;

beforeAll(async () => {
  stack = await startProcessStack({ warm: true });
  api = await stack.addProcess('api');
  await stack.addProcess('worker');
  agent = await startAgent();
  const market = { url: api.url, owner: stack.owner, container: stack.container as never };
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 5 }));
  await eventually(async () => (await get('/readiness')).status === 200, 60_000);
});

afterAll(async () => {
  await agent.stop();
  await stack.stop();
});

itOnLinux('an API process collects garbage in threads of a lower priority', () => {
  const low = lowThreads(api.pid);
  expect(low).toEqual(expect.arrayContaining(firstThreads(api.pid, 5)));
  expect(low).not.toContain(String(api.pid));
});

async function get(path: string): Promise<{ status: number; ms: number; body: unknown }> {
  const startedAt = performance.now();
  const response = await fetch(`${api.url}${path}`, { headers: { cookie: buyer.cookie } });
  const body: unknown = await response.json();
  return { status: response.status, ms: performance.now() - startedAt, body };
}

async function call() {
  const startedAt = performance.now();
  const reply = await invoke(api, buyer, agentId, { input: { text: 'hello' } });
  const id = reply.body.invocation_id ?? '';
  return { status: reply.status, code: reply.body.error?.code, id, ms: performance.now() - startedAt };
}

async function walletUnits(): Promise<number> {
  const { rows } = await stack.owner.query<{ balance_units: string }>(
    `SELECT balance_units FROM accounts WHERE user_id = $1 AND kind = 'wallet'`,
    [buyer.userId],
  );
  return Number(rows[0]?.balance_units);
}

async function healed(): Promise<void> {
  await eventually(async () => (await get('/readiness')).status === 200, 60_000);
  await eventually(async () => (await call()).status === 200, 30_000);
  const pool = testPool(stack.environment()['DATABASE_URL']);
  const result = await checkLedger(pool);
  await pool.end();
  expect(result.proofs.filter((proof) => proof.total > 0)).toEqual([]);
}

/** A test that fails meanwhile leaves a running stack to the next test. */
async function withoutTemporal(meanwhile: () => Promise<void>): Promise<void> {
  await stack.killTemporal();
  await meanwhile().finally(() => stack.startTemporal());
}

async function withoutPostgres(meanwhile: () => Promise<void>): Promise<void> {
  await stack.killPostgres();
  await meanwhile().finally(() => stack.startPostgres());
}

it('answers 503 engine_unavailable within 2 s while Temporal is stopped, charges nothing, and heals', async () => {
  await call();
  let before = await walletUnits();
  const performed: string[] = [];
  await withoutTemporal(async () => {
    // Calls need no engine to be performed; within 2 s the process notices and refuses new ones.
    const noticedBy = Date.now() + 2_000;
    while (Date.now() < noticedBy) {
      const { status, ms, id } = await call();
      expect(ms).toBeLessThan(2_000);
      if (status === 200) performed.push(id);
      await realTime(50, 'calls have a rate');
    }
    before -= performed.length * 500;
    for (let n = 0; n < 6; n += 1) {
      const refused = await call();
      expect([refused.status, refused.code]).toEqual([503, 'engine_unavailable']);
      expect(refused.ms).toBeLessThan(2_000);
    }
    expect(await walletUnits()).toBe(before);
    expect((await get('/v1/auth/me')).status).toBe(200);
    expect((await get('/v1/billing/balance')).status).toBe(200);
    expect(await get('/readiness')).toMatchObject({ status: 503 });
    const open = await stack.owner.query(`SELECT FROM invocations WHERE status IN ('pending', 'running')`);
    expect(open.rowCount).toBe(0);
  });
  await healed();
  if (ENROLMENT === 'enrolled') expect(performed.length).toBeGreaterThan(0);
  const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  for (const id of performed) await workflowOf(new Client({ connection }), id);
  await connection.close();
});

it('notices within 2 s that Temporal is away, also when no calls come', async () => {
  await call();
  const before = await walletUnits();
  await withoutTemporal(async () => {
    await realTime(2_000, 'the time within which it notices');
    const refused = await call();
    expect([refused.status, refused.code]).toEqual([503, 'engine_unavailable']);
    expect(await walletUnits()).toBe(before);
  });
  await healed();
});

it('takes disputes while Temporal is stopped, refuses answers to them, and goes on when it is back', async () => {
  const invocationId = await succeed(api, buyer, agentId);
  const before = await walletUnits();
  const answer = (disputeId: string) => respond(api, developer, disputeId, 'accept');
  let disputeId = '';
  await withoutTemporal(async () => {
    const opened = await dispute(api, buyer, invocationId);
    expect([opened.status, opened.body.status]).toEqual([201, 'open']);
    disputeId = opened.body.dispute_id;
    const startedAt = performance.now();
    const refused = await answer(disputeId);
    expect([refused.status, refused.body.error?.code]).toEqual([503, 'engine_unavailable']);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    expect(await walletUnits()).toBe(before);
  });
  // An answer that is given up after 5 s may still take effect; then the next one comes too late.
  await eventually(async () => {
    const { status } = await answer(disputeId);
    return status === 200 || (await readDispute(api, developer, disputeId)).body.status === 'accepted';
  }, 60_000);
  expect(await walletUnits()).toBe(before + 500);
  await healed();
});

it('answers 503 while Postgres is stopped, never hangs over 5 s, and heals', async () => {
  await withoutPostgres(async () => {
    for (let n = 0; n < 4; n += 1) {
      const refused = await call();
      expect(refused.status).toBe(503);
      expect(refused.ms).toBeLessThan(5_000);
      const read = await get('/v1/auth/me');
      expect(read.status).toBe(503);
      expect(read.ms).toBeLessThan(5_000);
    }
    expect((await get('/health')).status).toBe(200);
  });
  await healed();
});
