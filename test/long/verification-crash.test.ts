/** A process that is killed in a stage of a run leaves one complete run, however often it is killed. */
import { Client, Connection } from '@temporalio/client';
import type { JobCapability } from '../../src/domain/catalogue/capabilities';
import { isCampaign } from '../support/ledger/counts';
import { testManifest } from '../support/agents/manifest';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { eventually, type TestMarket } from '../support/market';
import {
  startProcessStack,
  type ProcessStack,
  type ServiceProcess,
  untilServing,
} from '../support/stack/process-stack';
import { publish, registerDeveloper, type TestDeveloper } from '../support/catalogue/publishing';

/** Evidence waits for this lock before it is stored, so that a test can be in the middle of a stage. */
const LOCK = 830;
/**
 * Each is stored in a transaction of its own; that of `static` stores `supplyChain` too. A kill costs a heartbeat
 * timeout: outside the crash campaign only the first and the last stage have one.
 */
const KILLED_IN = isCampaign ? ['static', 'supplyChain', 'redTeam'] : ['static', 'redTeam'];
/** Calls of a run, and those of the red team. */
const CALLS_OF_A_RUN = 33;
const CALLS_OF_ATTACKS = 3 + 5 + 16;

let stack: ProcessStack;
let agent: TestAgent;
let connection: Connection;
let api: ServiceProcess;
let worker: ServiceProcess;
let market: Pick<TestMarket, 'url' | 'owner'>;
let developer: TestDeveloper;

beforeAll(async () => {
  stack = await startProcessStack();
  connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  api = await stack.addProcess('api');
  worker = await stack.addProcess('worker');
  await untilServing(api);
  market = { url: api.url, owner: stack.owner };
  developer = await registerDeveloper(market);
  await stack.owner
    .query(`CREATE FUNCTION wait_in_stage() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER wait_in_stage BEFORE INSERT ON verification_evidence FOR EACH ROW EXECUTE FUNCTION wait_in_stage()`);
}, 120_000);
afterAll(async () => {
  await connection.close();
  await stack.stop();
});
beforeEach(async () => {
  agent = await startAgent();
});
afterEach(() => agent.stop());

/** Stops the stage before its evidence is stored. `then`: a statement that the database runs afterwards. */
async function holdStage(stage: string, then = ''): Promise<void> {
  await stack.owner.query(`SELECT pg_advisory_lock(${LOCK})`);
  await stack.owner.query(`
    CREATE OR REPLACE FUNCTION wait_in_stage() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.stage = '${stage}' THEN PERFORM pg_advisory_xact_lock_shared(${LOCK}); ${then} END IF;
      RETURN NEW;
    END $$`);
}

/** True while a process is in the middle of the stage. */
const isHeld = async () => {
  const { rows } = await stack.owner.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`,
  );
  return rows.length > 0;
};

const release = () => stack.owner.query(`SELECT pg_advisory_unlock(${LOCK})`);

async function start(slug: string, jobs?: JobCapability): Promise<string> {
  const manifest = testManifest(agent.url, { agentId: slug, ...(jobs && { jobs }) });
  return (await publish(market, developer, manifest)).body.agent_id;
}

/** Waits for the end of the one run of the agent, which is whole. */
async function expectWholeRun(agentId: string): Promise<void> {
  const { rows } = await stack.owner.query<{ run_id: string }>(
    'SELECT run_id FROM verification_runs WHERE agent_id = $1',
    [agentId],
  );
  expect(rows).toHaveLength(1);
  const [run] = rows;
  const workflow = new Client({ connection }).workflow;
  expect(await workflow.getHandle(`verification/${agentId}/${run?.run_id}`).result()).toEqual({
    kind: 'live',
  });
  const stored = await stack.owner.query(
    `SELECT (SELECT state FROM verification_runs WHERE run_id = $1) AS state,
            (SELECT count(*)::int FROM verification_evidence WHERE run_id = $1) AS evidence,
            (SELECT count(*)::int FROM trust_reports WHERE run_id = $1) AS reports`,
    [run?.run_id],
  );
  expect(stored.rows).toEqual([{ state: 'passed', evidence: 4, reports: 1 }]);
}

it(`ends in one whole run and one report when the worker is killed in ${KILLED_IN.join(', ')}`, async () => {
  await holdStage(KILLED_IN[0] ?? '');
  const agentId = await start('killed-often');
  for (const at of KILLED_IN.keys()) {
    await eventually(isHeld, 60_000);
    await worker.kill('SIGKILL');
    // Postgres may still commit the statement of the killed worker.
    await release();
    const next = KILLED_IN[at + 1];
    if (next) await holdStage(next);
    await worker.start();
  }
  await expectWholeRun(agentId);
  expect(agent.deliveries).toHaveLength(CALLS_OF_A_RUN);
}, 180_000);

/** Those of `wanted` that `all` has in this order, with others between them; an input may be there twice. */
function inOrderOf(all: readonly string[], wanted: readonly string[]): string[] {
  let from = 0;
  return wanted.filter((input) => {
    const at = all.indexOf(input, from);
    if (at >= 0) from = at + 1;
    return at >= 0;
  });
}

describe('when the process that makes the calls is killed', () => {
  const inputs = () => agent.deliveries.map(({ body }) => body.toString());

  it('after its calls, in the red team, repeats those of the red team and no other', async () => {
    await holdStage('redTeam', `RAISE EXCEPTION 'what the dead process stores is lost';`);
    const agentId = await start('killed-in-attacks');
    await eventually(async () => {
      const { rows } = await stack.owner.query(
        `SELECT FROM verification_evidence JOIN verification_runs USING (run_id) WHERE agent_id = $1 AND stage = 'dynamic'`,
        [agentId],
      );
      return rows.length > 0 && (await isHeld());
    }, 60_000);
    await api.kill('SIGKILL');
    await release();
    await holdStage('no other');
    await release();
    await api.start();
    await expectWholeRun(agentId);
    const [first, again] = [inputs().slice(0, CALLS_OF_A_RUN), inputs().slice(CALLS_OF_A_RUN)];
    expect(again).toHaveLength(CALLS_OF_ATTACKS);
    expect(again).toEqual(inOrderOf(first, again));
  }, 120_000);

  it('while it waits for the jobs of probes, begins them again and ends in one whole run', async () => {
    const headers = { location: '/jobs/1' };
    agent.behave({ kind: 'answer', status: 202, output: {}, headers });
    const agentId = await start('killed-in-a-job', { max_seconds: 600, probe_max_seconds: 300 });
    const isAsked = () => agent.deliveries.some(({ method }) => method === 'GET');
    await eventually(() => Promise.resolve(isAsked()), 60_000);
    await api.kill('SIGKILL');
    const before = agent.deliveries.length;
    agent.behave({ kind: 'echo' });
    await api.start();
    await expectWholeRun(agentId);
    // The jobs of the killed process are not asked for any more.
    const again = agent.deliveries.slice(before);
    expect(again.filter(({ method }) => method !== 'POST')).toEqual([]);
    expect(again).toHaveLength(CALLS_OF_A_RUN);
  }, 120_000);

  it('among its calls, makes each of them once more at most', async () => {
    const before = 12;
    agent.behave(() => (agent.deliveries.length < before ? { kind: 'echo' } : { kind: 'hangs' }));
    const agentId = await start('killed-among-calls');
    await agent.waitForDeliveries(before, 60_000);
    await api.kill('SIGKILL');
    agent.behave({ kind: 'echo' });
    await api.start();
    await expectWholeRun(agentId);
    expect(agent.deliveries).toHaveLength(before + CALLS_OF_A_RUN);
    const again = inputs().slice(before);
    expect(new Set(again).size).toBe(CALLS_OF_A_RUN);
    expect(again).toEqual(expect.arrayContaining(inputs().slice(0, before)));
  }, 120_000);
});
