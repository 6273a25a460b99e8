/** Jobs that wait, for `npm run bench:jobs`: rows, holds, and workflows that the sweep of jobs starts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { type Client as PgClient, Pool as PgPool } from 'pg';
import { createJobEngine } from '../../src/engine/jobs';
import { newId } from '../../src/kit/ids/ids';
import { createJobs } from '../../src/services/jobs/jobs';
import { createLedgerService } from '../../src/services/ledger/ledger';
import { taskQueues } from '../../src/workers/queues';
import type { ProcessStack } from '../../test/support/stack/process-stack';
import { cpuSeconds } from '../measure';

const JOBS = Number(process.env['BENCH_JOBS'] ?? 20_000);
/** As many jobs as this time allows. */
const MOST_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 600);
/** A buyer may have 64 jobs at a time, and an agent 1,000: those that wait are spread as they would be. */
const JOBS_OF_BUYER = 50;
const JOBS_OF_AGENT = 500;
const BATCH = JOBS_OF_AGENT;
const RUNNING = `WorkflowType = 'job' AND ExecutionStatus = 'Running'`;
export const WEEK_SECONDS = 604_800;
/** A job that its agent has just accepted is due when the agent was silent for its heartbeat. */
const HEARD = `UPDATE jobs SET look_at = now() + heartbeat_ms * interval '1 millisecond'
  WHERE look_at < now() + heartbeat_ms * interval '1 millisecond' - interval '1 minute'`;
/** The engine has worked off what it was given when the stack uses less of a core than this, for ten seconds. */
const SETTLED_SHARE = 0.2;
const MOST_SETTLING_SECONDS = 900;

export interface Parties {
  buyerUserIds: readonly string[];
  developerUserId: string;
  agentId: string;
  versionId: string;
}

/**
 * Adds jobs that wait until there are enough or the time is over: rows, holds and workflows. `partiesOf` makes an agent
 * with this number of buyers.
 */
export async function addWaiting(
  { owner, environment }: ProcessStack,
  partiesOf: (buyers: number) => Promise<Parties>,
): Promise<void> {
  const { DATABASE_URL: connectionString, TEMPORAL_ADDRESS: address = '' } = environment();
  const pool = new PgPool({ connectionString });
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const engine = createJobEngine({
    client: () => client,
    taskQueue: taskQueues('').operations,
    jobs: createJobs({ pool }),
    // No buyer answers a question here.
    questions: { answer: () => Promise.reject(new Error('nothing was asked')) },
    // What could not be woken is due again in a minute, and the worker's own sweep wakes it.
    logger: { info: () => undefined, warn: () => undefined } as never,
  });
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  let added = 0;
  for (; added < JOBS && seconds() < MOST_SECONDS; added += BATCH) {
    await addRows(owner, pool, await partiesOf(BATCH / JOBS_OF_BUYER));
    while ((await due(owner)) > 0) await engine.sweep();
    await owner.query(HEARD);
  }
  for (let left = added; left > 0 && seconds() < MOST_SECONDS + 60; await sleep(5_000)) {
    const { count } = await client.workflow.count(RUNNING);
    left = added - count;
    if ((await due(owner)) > 0) await engine.sweep();
  }
  await owner.query(HEARD);
  const { count } = await client.workflow.count(RUNNING);
  console.log(`${added} jobs with ${count} workflows were added in ${seconds().toFixed(0)} s`);
  await connection.close();
  await pool.end();
}

/** Waits until the engine has worked off the starts: it writes its lists, and deletes its tasks, behind. */
export async function settle(parts: Record<string, number>): Promise<void> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  for (let share = 1; share > SETTLED_SHARE && seconds() < MOST_SETTLING_SECONDS;) {
    const before = cpuSeconds(Object.values(parts));
    await sleep(10_000);
    share = (cpuSeconds(Object.values(parts)) - before) / 10;
  }
  console.log(`the starts were worked off ${seconds().toFixed(0)} s later`);
}

async function addRows(owner: PgClient, pool: PgPool, parties: Parties): Promise<void> {
  const { buyerUserIds, developerUserId, agentId, versionId } = parties;
  const ids = Array.from({ length: BATCH }, () => newId('inv'));
  const buyers = ids.map((_, n) => buyerUserIds[n % buyerUserIds.length] ?? '');
  const leaseUntil = new Date(Date.now() + (WEEK_SECONDS + 3_600) * 1_000);
  const terms = { developerUserId, agentId, versionId, traceId: 'bench', amountUnits: 500, leaseUntil };
  await createLedgerService({ pool }).hold(
    ids.map((invocationId, n) => ({ ...terms, buyerUserId: buyers[n] ?? '', invocationId })),
  );
  await owner.query(
    `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status,
       price_units, input_sha256, owner, trace_id, is_task)
     SELECT id, buyer, $3, $4, $5, '1.0.0', 'invoke', 'running', 500, 'x', 'bench', 'bench', true
     FROM unnest($1::text[], $2::text[]) u(id, buyer)`,
    [ids, buyers, developerUserId, agentId, versionId],
  );
  await owner.query(
    `INSERT INTO jobs (invocation_id, buyer_user_id, agent_id, took_ms, ends_at, is_budgeted, heartbeat_ms, look_at)
     SELECT id, buyer, $3, 10, now() + $4 * interval '1 second', false, 3600000, now()
     FROM unnest($1::text[], $2::text[]) u(id, buyer)`,
    [ids, buyers, agentId, WEEK_SECONDS],
  );
}

async function due(owner: PgClient): Promise<number> {
  const { rows } = await owner.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM jobs WHERE ended_at IS NULL AND look_at <= now()',
  );
  return rows[0]?.n ?? 0;
}

export async function openJobs({ owner }: ProcessStack): Promise<number> {
  const { rows } = await owner.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM jobs WHERE ended_at IS NULL',
  );
  return rows[0]?.n ?? 0;
}
