/**
 * `npm run bench:jobs`: what waiting jobs cost, and whether many that end together delay calls, on a real stack
 * (Postgres with fsync, Temporal with its state in a file, an API process and a worker). Those that wait are rows with
 * their holds, and workflows that the sweep of jobs starts; those that end are begun by calls. Ends with the ledger
 * check.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { type Client as PgClient, Pool as PgPool } from 'pg';
import { Pool } from 'undici';
import { createJobEngine } from '../src/engine/jobs';
import { newId } from '../src/kit/ids/ids';
import { signWebhook } from '../src/kit/crypto/webhook-signature';
import { createJobs } from '../src/services/jobs/jobs';
import { createLedgerService } from '../src/services/ledger/ledger';
import { checkLedger } from '../src/services/ledger/ledger-check';
import { taskQueues } from '../src/workers/queues';
import type { Delivery } from '../test/support/agents/behaviours';
import { startAgent } from '../test/support/agents/test-agent';
import { putLive, register } from '../test/support/market';
import { type ProcessStack, startProcessStack } from '../test/support/stack/process-stack';
import { cpuSeconds, median, quantile } from './measure';

const JOBS = Number(process.env['BENCH_JOBS'] ?? 20_000);
/** As many jobs as this time allows. */
const MOST_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 600);
const BATCH = 500;
const RUNNING = `WorkflowType = 'job' AND ExecutionStatus = 'Running'`;
const WATCHED_SECONDS = Number(process.env['BENCH_WATCHED_SECONDS'] ?? 60);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const STARTERS = 8;
const ENDING = 100;
const CALLERS = 2;
const CALLS_PER_SECOND = 20;
const LIMITS = {
  // Agents on loopback: production refuses them.
  NODE_ENV: 'development',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_ACCOUNT: '1000000000',
  RATE_LIMIT_INVOCATIONS: '1000000000',
  MAX_JOBS_PER_BUYER: '1000000',
  MAX_JOBS_PER_AGENT: '1000000',
  MAX_IN_FLIGHT_PER_BUYER: '1024',
};
const WEEK_SECONDS = 604_800;

async function main(): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  const [plain, worked] = [await startAgent({ keepBodies: false }), await startAgent({ keepBodies: false })];
  worked.behave({ kind: 'answer', status: 202, output: {} });
  try {
    const api = await stack.addProcess('api', { env: LIMITS });
    const worker = await stack.addProcess('worker', { env: LIMITS });
    const market = { url: api.url, owner: stack.owner, container: stack.container as never };
    const developer = await register(market, 'developer');
    const { cookie, userId: buyerUserId } = await register(market, 'buyer', 10_000_000);
    const jobs = { max_seconds: WEEK_SECONDS, heartbeat_seconds: 3_600 };
    const called = await putLive(market, developer.userId, plain.url, { credits: 5 });
    const waiting = await putLive(market, developer.userId, worked.url, { credits: 5, jobs });
    const begin = poster(api.url, `/v1/agents/${waiting.agentId}/invoke`, {
      cookie,
      prefer: 'respond-async',
    });
    const call = poster(api.url, `/v1/agents/${called.agentId}/invoke`, { cookie });
    const parts = {
      postgres: stack.postgres.pid,
      temporal: stack.temporal.pid,
      api: api.pid,
      worker: worker.pid,
    };
    for (let n = 0; n < 50; n += 1) await call();
    await watch('an idle market', parts);
    await addWaiting(stack, { ...waiting, buyerUserId, developerUserId: developer.userId });
    await watch(`${await openJobs(stack)} jobs that wait`, parts);
    await beginJobs(stack, begin);
    await endTogether(stack, call, (end) => callBack(api.url, waiting.signingSecret, end), worked.deliveries);
    await verify(stack);
  } finally {
    await Promise.all([plain.stop(), worked.stop()]);
    await stack.stop();
  }
}

/** Sends one request after another over kept connections; throws for a refusal. Returns how long it took, in ms. */
function poster(url: string, path: string, headers: Record<string, string>): () => Promise<number> {
  const pool = new Pool(url, { connections: STARTERS });
  let sent = 0;
  return async () => {
    sent += 1;
    const at = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: `{"input":{"text":"hello","n":${sent}}}`,
    });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${statusCode} ${text}`);
    return performance.now() - at;
  };
}

async function openJobs({ owner }: ProcessStack): Promise<number> {
  const { rows } = await owner.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM jobs WHERE ended_at IS NULL',
  );
  return rows[0]?.n ?? 0;
}

interface Parties {
  buyerUserId: string;
  developerUserId: string;
  agentId: string;
  versionId: string;
}

/** Adds jobs that wait until there are enough or the time is over: rows, holds and workflows. */
async function addWaiting({ owner, environment }: ProcessStack, parties: Parties): Promise<void> {
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
    await addRows(owner, pool, parties);
    while ((await due(owner)) > 0) await engine.sweep();
  }
  for (let left = added; left > 0 && seconds() < MOST_SECONDS + 60; await sleep(5_000)) {
    const { count } = await client.workflow.count(RUNNING);
    left = added - count;
    if ((await due(owner)) > 0) await engine.sweep();
  }
  // A job that its agent has just accepted is due when the agent was silent for its heartbeat.
  await owner.query(`UPDATE jobs SET look_at = now() + heartbeat_ms * interval '1 millisecond'`);
  const { count } = await client.workflow.count(RUNNING);
  console.log(`${added} jobs with ${count} workflows were added in ${seconds().toFixed(0)} s`);
  await connection.close();
  await pool.end();
  // Temporal writes its lists behind.
  await sleep(60_000);
}

async function addRows(owner: PgClient, pool: PgPool, parties: Parties): Promise<void> {
  const { buyerUserId, developerUserId, agentId, versionId } = parties;
  const ids = Array.from({ length: BATCH }, () => newId('inv'));
  const leaseUntil = new Date(Date.now() + (WEEK_SECONDS + 3_600) * 1_000);
  const terms = {
    buyerUserId,
    developerUserId,
    agentId,
    versionId,
    traceId: 'bench',
    amountUnits: 500,
    leaseUntil,
  };
  await createLedgerService({ pool }).hold(ids.map((invocationId) => ({ ...terms, invocationId })));
  await owner.query(
    `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status,
       price_units, input_sha256, owner, trace_id, is_task)
     SELECT id, $2, $3, $4, $5, '1.0.0', 'invoke', 'running', 500, 'x', 'bench', 'bench', true FROM unnest($1::text[]) u(id)`,
    [ids, buyerUserId, developerUserId, agentId, versionId],
  );
  await owner.query(
    `INSERT INTO jobs (invocation_id, buyer_user_id, agent_id, took_ms, ends_at, is_budgeted, heartbeat_ms, look_at)
     SELECT id, $2, $3, 10, now() + $4 * interval '1 second', false, 3600000, now() FROM unnest($1::text[]) u(id)`,
    [ids, buyerUserId, agentId, WEEK_SECONDS],
  );
}

async function due(owner: PgClient): Promise<number> {
  const { rows } = await owner.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM jobs WHERE ended_at IS NULL AND look_at <= now()',
  );
  return rows[0]?.n ?? 0;
}

/** Begins the jobs that end later by calls, and waits until their agent has accepted them. */
async function beginJobs(stack: ProcessStack, begin: () => Promise<number>): Promise<void> {
  const before = await openJobs(stack);
  const most = ENDING * ROUNDS;
  let begun = 0;
  await Promise.all(
    Array.from({ length: STARTERS }, async () => {
      while (begun < most) {
        begun += 1;
        await begin();
      }
    }),
  );
  while ((await openJobs(stack)) < before + most) await sleep(500);
  await sleep(5_000);
}

/** Prints the CPU that each process uses. */
async function watch(what: string, parts: Record<string, number>): Promise<void> {
  await sleep(5_000);
  const read = () => Object.values(parts).map((pid) => cpuSeconds([pid]));
  const before = read();
  await sleep(WATCHED_SECONDS * 1_000);
  const spent = read().map((seconds, n) => (seconds - (before[n] ?? 0)) / WATCHED_SECONDS);
  const texts = Object.keys(parts).map((name, n) => `${name} ${((spent[n] ?? 0) * 100).toFixed(1)}%`);
  const all = spent.reduce((sum, share) => sum + share, 0) * 100;
  console.log(
    `${what}: ${all.toFixed(1)}% of a core (${texts.join(', ')}); load average ${loadavg()[0]?.toFixed(1)}`,
  );
}

/** Sends the answer of a job as its agent does. */
async function callBack(url: string, secret: string, { headers }: Delivery): Promise<void> {
  const { pathname } = new URL(String(headers['x-callback-url']));
  const body = Buffer.from(JSON.stringify({ type: 'answer', output: { text: 'done' } }));
  const signed = signWebhook(secret, newId('evt'), Math.floor(Date.now() / 1_000), body);
  const response = await fetch(url + pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body,
  });
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
}

/** Times of plain calls for five seconds, with and without a hundred jobs that end meanwhile. */
async function endTogether(
  stack: ProcessStack,
  call: () => Promise<number>,
  end: (job: Delivery) => Promise<void>,
  taken: readonly Delivery[],
): Promise<void> {
  const ending = [...taken];
  const p95s: Record<'without' | 'with', number[]> = { without: [], with: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    p95s.without.push(await callFor(5_000, call));
    const left = await openJobs(stack);
    const jobs = ending.splice(0, ENDING);
    const spread = jobs.map((job, n) => sleep((n * 1_000) / jobs.length).then(() => end(job)));
    const [p95] = await Promise.all([callFor(5_000, call), ...spread]);
    p95s.with.push(p95);
    const startedAt = performance.now();
    while ((await openJobs(stack)) > left - jobs.length) await sleep(20);
    console.log(
      `round ${round + 1}: p95 of calls ${p95s.without.at(-1)?.toFixed(1)} ms, with ${jobs.length} ends ${p95.toFixed(1)} ms ` +
        `(all settled ${(performance.now() - startedAt).toFixed(0)} ms later); load average ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  console.log(
    `median p95 of calls: ${median(p95s.without).toFixed(1)} ms without, ${median(p95s.with).toFixed(1)} ms with`,
  );
}

/** Makes calls at a steady rate, and returns the 95th percentile of their times. */
async function callFor(ms: number, call: () => Promise<number>): Promise<number> {
  const startedAt = performance.now();
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, n) => {
      for (let at = n; ; at += CALLERS) {
        const dueIn = startedAt + (at * 1_000) / CALLS_PER_SECOND - performance.now();
        if (dueIn > 0) await sleep(dueIn);
        if (performance.now() - startedAt > ms) return;
        times.push(await call());
      }
    }),
  );
  return quantile(
    times.sort((a, b) => a - b),
    0.95,
  );
}

async function verify(stack: ProcessStack): Promise<void> {
  const pool = new PgPool({ connectionString: stack.environment()['DATABASE_URL'] });
  const result = await checkLedger(pool);
  await pool.end();
  const failed = result.proofs.filter((proof) => proof.total > 0);
  console.log(`ledger check: ${failed.length === 0 ? 'passed' : JSON.stringify(failed)}`);
  if (failed.length > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
