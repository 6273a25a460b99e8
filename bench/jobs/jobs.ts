/**
 * `npm run bench:jobs`: what waiting jobs cost, and whether many that end together delay calls, on a real stack
 * (Postgres with fsync, Temporal with its state in a file, an API process and a worker). Those that wait are rows with
 * their holds, and workflows that the sweep of jobs starts; those that end are begun by calls. Ends with the ledger
 * check.
 */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool as PgPool } from 'pg';
import { Pool } from 'undici';
import { newId } from '../../src/kit/ids/ids';
import { signWebhook } from '../../src/kit/crypto/webhook-signature';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import type { Delivery } from '../../test/support/agents/behaviours';
import { startAgent } from '../../test/support/agents/test-agent';
import { putLive, register } from '../../test/support/market';
import { type ProcessStack, startProcessStack } from '../../test/support/stack/process-stack';
import { cpuSeconds } from '../measure';
import { ENDING, endTogether, ROUNDS } from './ending-jobs';
import { addWaiting, openJobs, settle, WEEK_SECONDS } from './waiting-jobs';

const WATCHED_SECONDS = Number(process.env['BENCH_WATCHED_SECONDS'] ?? 60);
const STARTERS = 8;
const LIMITS = {
  // Agents on loopback: production refuses them.
  NODE_ENV: 'development',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_ACCOUNT: '1000000000',
  RATE_LIMIT_INVOCATIONS: '1000000000',
  // Those that end together are one buyer's.
  MAX_JOBS_PER_BUYER: '1000',
  MAX_IN_FLIGHT_PER_BUYER: '1024',
};

async function main(): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  const [plain, worked] = [await startAgent({ keepBodies: false }), await startAgent({ keepBodies: false })];
  worked.behave({ kind: 'answer', status: 202, output: {} });
  try {
    const api = await stack.addProcess('api', { env: LIMITS });
    const worker = await stack.addProcess('worker', { env: LIMITS });
    const market = { url: api.url, owner: stack.owner, container: stack.container as never };
    const developer = await register(market, 'developer');
    const { cookie } = await register(market, 'buyer', 10_000_000);
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
    const others = await register(market, 'developer');
    const near = await putLive(market, others.userId, plain.url, { credits: 5 });
    const neighbour = poster(
      api.url,
      `/v1/agents/${near.agentId}/invoke`,
      { cookie: (await register(market, 'buyer', 10_000_000)).cookie },
      ENDING,
    );
    for (let n = 0; n < 50; n += 1) await Promise.all([call(), neighbour()]);
    await watch('an idle market', parts);
    await addWaiting(stack, async (buyers) => {
      const agent = await putLive(market, developer.userId, worked.url, { credits: 5, jobs });
      const users = Array.from({ length: buyers }, () => register(market, 'buyer', 100_000));
      return {
        ...agent,
        developerUserId: developer.userId,
        buyerUserIds: (await Promise.all(users)).map(({ userId }) => userId),
      };
    });
    await settle(parts);
    await watch(`${await openJobs(stack)} jobs that wait`, parts);
    await beginJobs(stack, begin);
    const end = (job: Delivery) => callBack(api.url, waiting.signingSecret, job);
    await endTogether(stack, { call, neighbour, end, taken: worked.deliveries, parts });
    await verify(stack);
  } finally {
    await Promise.all([plain.stop(), worked.stop()]);
    await stack.stop();
  }
}

/** Sends one request after another over kept connections; throws for a refusal. Returns how long it took, in ms. */
function poster(
  url: string,
  path: string,
  headers: Record<string, string>,
  connections = STARTERS,
): () => Promise<number> {
  const pool = new Pool(url, { connections });
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

/** Begins the jobs that end later by calls, and waits until their agent has accepted them. */
async function beginJobs(stack: ProcessStack, begin: () => Promise<number>): Promise<void> {
  const before = await openJobs(stack);
  const most = ENDING * (ROUNDS + 1);
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
