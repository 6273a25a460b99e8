/** A worker that is killed in a stage of a run leaves one complete run, however often it is killed. */
import { Client, Connection } from '@temporalio/client';
import { isCampaign } from '../support/ledger/counts';
import { testManifest } from '../support/agents/manifest';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { eventually } from '../support/market';
import { startProcessStack, type ProcessStack, untilServing } from '../support/stack/process-stack';
import { publish, registerDeveloper } from '../support/catalogue/publishing';

/** Evidence waits for this lock before it is stored, so that a test can be in the middle of a stage. */
const LOCK = 830;
/**
 * Each is stored in a transaction of its own; that of `redTeam` stores `dynamic` too. A kill costs a heartbeat timeout: outside
 * the crash campaign only the first and the last stage have one.
 */
const KILLED_IN = isCampaign ? ['static', 'supplyChain', 'redTeam'] : ['static', 'redTeam'];

let stack: ProcessStack;
let agent: TestAgent;
let connection: Connection;

beforeAll(async () => {
  stack = await startProcessStack();
  agent = await startAgent();
  connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
}, 60_000);
afterAll(async () => {
  await connection.close();
  await agent.stop();
  await stack.stop();
});

async function holdStage(stage: string): Promise<void> {
  await stack.owner.query(`SELECT pg_advisory_lock(${LOCK})`);
  await stack.owner.query(`
    CREATE OR REPLACE FUNCTION wait_in_stage() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.stage = '${stage}' THEN PERFORM pg_advisory_xact_lock_shared(${LOCK}); END IF;
      RETURN NEW;
    END $$`);
}

/** True while somebody is in the middle of the stage. */
const isHeld = async () => {
  const { rows } = await stack.owner.query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`,
  );
  return rows.length > 0;
};

it(`ends in one whole run and one report when the worker is killed in ${KILLED_IN.join(', ')}`, async () => {
  const api = await stack.addProcess('api');
  const worker = await stack.addProcess('worker');
  await stack.owner
    .query(`CREATE FUNCTION wait_in_stage() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER wait_in_stage BEFORE INSERT ON verification_evidence FOR EACH ROW EXECUTE FUNCTION wait_in_stage()`);
  await untilServing(api);
  const market = { url: api.url, owner: stack.owner };
  const developer = await registerDeveloper(market);
  await holdStage(KILLED_IN[0] ?? '');
  const { body } = await publish(market, developer, testManifest(agent.url, { agentId: 'killed-often' }));
  for (const at of KILLED_IN.keys()) {
    await eventually(isHeld, 60_000);
    await worker.kill('SIGKILL');
    // Postgres may still do what it was told, and nobody hears of it.
    await stack.owner.query(`SELECT pg_advisory_unlock(${LOCK})`);
    const next = KILLED_IN[at + 1];
    if (next) await holdStage(next);
    await worker.start();
  }
  const { rows: runs } = await stack.owner.query<{ run_id: string }>('SELECT run_id FROM verification_runs');
  const handle = new Client({ connection }).workflow.getHandle(
    `verification/${body.agent_id}/${runs[0]?.run_id}`,
  );
  expect(await handle.result()).toEqual({ kind: 'live' });
  const { rows } = await stack.owner.query(
    `SELECT (SELECT count(*)::int FROM verification_runs WHERE state = 'passed') AS runs,
            (SELECT count(*)::int FROM verification_evidence) AS evidence,
            (SELECT count(*)::int FROM trust_reports) AS reports`,
  );
  expect(runs).toHaveLength(1);
  expect(rows).toEqual([{ runs: 1, evidence: 4, reports: 1 }]);
}, 180_000);
