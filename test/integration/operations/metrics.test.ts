/** The metrics of the processes, as Prometheus reads them: two real scrapes of their ports. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContainer, type Container } from '../../../src/container';
import { createLogger } from '../../../src/logger';
import { freePort } from '../../../src/runtime/processes/processes';
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { addApiFigures, addWorkerFigures } from '../../../src/workers/metric-figures';
import { serveMetrics, type MetricsServer } from '../../../src/workers/metrics-server';
import { startOperations, type RunningOperations } from '../../../src/workers/operations';
import { endedJob } from '../../support/jobs/jobs';
import { a2a } from '../../support/protocols/a2a';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import {
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';

/** All that a label may be called: a new one has to be thought about. */
const LABELS = ['account', 'code', 'gc', 'kind', 'le', 'loop', 'major', 'method', 'minor', 'outcome', 'patch', 'quantile']
  .concat(['result', 'route', 'space', 'state', 'status', 'surface', 'type', 'version']); // prettier-ignore
const UNBOUNDED = /[0-9a-f]{12}|@|https?:|127\.|agt_(?!\{)|dev_(?!\{)/;

let market: TestMarket;
let worker: Container;
let operations: RunningOperations;
let api: MetricsServer;
let workerMetrics: MetricsServer;
let agent: TestAgent;
let developer: TestUser;
let buyer: TestUser;
let agentId: string;

const serveOf = async (container: Container) =>
  serveMetrics({ ...container, config: { METRICS_HOST: '127.0.0.1', METRICS_PORT: await freePort() } });

beforeAll(async () => {
  market = await startMarket({ operations: false });
  addApiFigures(market.container, market.engine);
  agent = await startAgent();
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 100);
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 10 })).agentId;
  worker = createContainer(market.config, createLogger('test', 'silent'));
  operations = startOperations(worker);
  addWorkerFigures(worker, operations.loops);
  [api, workerMetrics] = await Promise.all([serveOf(market.container), serveOf(worker)]);
});
afterAll(async () => {
  await agent.stop();
  await expectWholeLedger(market);
  await Promise.all([api.close(), workerMetrics.close()]);
  await operations.stop();
  await worker.close();
  await market.stop();
});

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

async function scrape(server: MetricsServer): Promise<Sample[]> {
  const response = await fetch(server.url ?? '');
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [line];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]);
    return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
  });
}

/** The sum of the samples of a name that have these labels; undefined when there is none. */
function sumOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

it('counts calls by surface, outcome and code', async () => {
  const key = randomUUID();
  const call = { input: { text: 'counted' }, idempotency_key: key };
  expect((await invoke(market, buyer, agentId, call)).status).toBe(200);
  expect((await invoke(market, buyer, agentId, call)).status).toBe(200);
  const poor = await register(market, 'buyer');
  expect((await invoke(market, poor, agentId, { input: { text: 'x' } })).status).toBe(402);
  agent.behave({ kind: 'status', status: 500 });
  expect((await invoke(market, buyer, agentId, { input: { text: 'x' } })).status).toBe(502);
  agent.behave({ kind: 'echo' });

  // A call is answered before its workflow is confirmed.
  let samples = await scrape(api);
  await eventually(async () => {
    samples = await scrape(api);
    return (sumOf(samples, 'market_engine_starts_total', { result: 'confirmed' }) ?? 0) >= 2;
  });
  const calls = (outcome: string, code: string) =>
    sumOf(samples, 'market_calls_total', { surface: 'invoke', outcome, code });
  expect(calls('succeeded', 'none')).toBe(1);
  expect(calls('joined', 'none')).toBe(1);
  expect(calls('refused', 'insufficient_credits')).toBe(1);
  expect(calls('failed', 'agent_error')).toBe(1);
  expect(sumOf(samples, 'market_call_duration_seconds_count', { surface: 'invoke' })).toBe(2);
  expect(sumOf(samples, 'market_call_overhead_seconds_count')).toBe(1);
  expect(sumOf(samples, 'market_engine_start_duration_seconds_count', { result: 'confirmed' })).toBe(2);
  expect(sumOf(samples, 'market_engine_starts_total', { result: 'confirmed' })).toBe(2);
  expect(sumOf(samples, 'market_http_errors_total', { code: 'insufficient_credits' })).toBe(1);
  const route = '/v1/agents/{agent_id}/invoke';
  expect(sumOf(samples, 'market_http_requests_total', { method: 'POST', route, status: '200' })).toBe(2);
  expect(sumOf(samples, 'market_engine_connected')).toBe(1);
  expect(sumOf(samples, 'market_worker_poll_age_seconds')).toBeLessThan(120);
  expect(sumOf(samples, 'market_engine_breaker_open')).toBe(0);
});

it('shows a call while it is in flight, in its process and in the whole service', async () => {
  let release: () => void = () => undefined;
  agent.behave({ kind: 'waits', until: new Promise<void>((resolve) => (release = resolve)) });
  const running = invoke(market, buyer, agentId, { input: { text: 'in flight' } });
  await eventually(async () => sumOf(await scrape(api), 'market_calls_in_flight') === 1);
  const open = async () =>
    sumOf(await scrape(workerMetrics), 'market_calls_open', { status: 'running', surface: 'invoke' });
  await eventually(async () => (await open()) === 1);
  release();
  expect((await running).status).toBe(200);
  agent.behave({ kind: 'echo' });
  await eventually(async () => (await open()) === undefined);
  expect(sumOf(await scrape(api), 'market_calls_in_flight')).toBe(0);
});

it('counts tasks in the worker that carries them out', async () => {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { text: 'a task' } }] };
  await a2a(market, buyer, 'POST', `${agentId}/message:send`, { message }, { 'a2a-version': '1.0' });
  const tasks = async () =>
    sumOf(await scrape(workerMetrics), 'market_calls_total', { surface: 'a2a', outcome: 'succeeded' });
  await eventually(async () => (await tasks()) === 1);
});

it('counts how long jobs take apart from calls', async () => {
  const [jobs, calls] = ['market_job_duration_seconds', 'market_call_duration_seconds'];
  const before = sumOf(await scrape(workerMetrics), `${calls}_count`);
  const { agentId: id } = await putLive(market, developer.userId, agent.url, {
    jobs: { max_seconds: 86_400 },
  });
  agent.behave({ kind: 'answer', status: 202, output: {} });
  await endedJob(market, buyer, id, 3);
  agent.behave({ kind: 'echo' });
  await eventually(async () => sumOf(await scrape(workerMetrics), `${jobs}_count`) === 1);
  const samples = await scrape(workerMetrics);
  expect(sumOf(samples, `${jobs}_sum`)).toBeGreaterThanOrEqual(3 * 3_600);
  expect(sumOf(samples, `${calls}_count`)).toBe(before);
});

it('shows the state of the loops of a worker, and that no work waits', async () => {
  await eventually(async () => {
    const turns = { loop: 'lease sweep', result: 'done' };
    return (sumOf(await scrape(workerMetrics), 'market_loop_turns_total', turns) ?? 0) > 0;
  });
  const samples = await scrape(workerMetrics);
  const lastDone = sumOf(samples, 'market_loop_last_done_timestamp_seconds', { loop: 'lease sweep' }) ?? 0;
  expect(Math.abs(lastDone - Date.now() / 1_000)).toBeLessThan(30);
  for (const name of ['holds_overdue', 'deliveries_waiting', 'verifications_waiting', 'payments_quarantined'])
    expect([name, sumOf(samples, `market_${name}`)]).toEqual([name, 0]);
  expect(sumOf(samples, 'market_database_up')).toBe(1);
});

it('shows a loop that fails, in its metrics and in the readiness of every API process, until it is well again', async () => {
  const readiness = async () =>
    (await (await fetch(`${market.url}/readiness`)).json()) as {
      checks: { loops: string };
      failing_loops: string[];
    };
  const failing = async () =>
    sumOf(await scrape(workerMetrics), 'market_loop_failing', { loop: 'lease sweep' });
  const rename = (from: string, to: string) => market.owner.query(`ALTER FUNCTION ${from} RENAME TO ${to}`);
  expect(await failing()).toBe(0);
  await rename('invocation_abandoned', 'invocation_abandoned_not');
  try {
    await eventually(async () => (await failing()) === 1, 20_000);
    await eventually(async () => (await readiness()).failing_loops.includes('lease sweep'), 20_000);
    expect((await readiness()).checks).toMatchObject({ loops: 'failed', postgres: 'ok' });
  } finally {
    await rename('invocation_abandoned_not', 'invocation_abandoned');
  }
  await eventually(async () => (await failing()) === 0, 20_000);
  await eventually(async () => (await readiness()).checks.loops === 'ok', 20_000);
}, 90_000);

it('has no label that grows with agents, accounts or untrusted input', async () => {
  for (let at = 0; at < 20; at += 1) {
    await fetch(`${market.url}/${randomUUID()}`, { method: at % 2 === 0 ? 'GET' : 'PROPFIND' });
    await fetch(`${market.url}/v1/listings/agt_${randomUUID().slice(0, 8)}_v1`, {
      headers: { cookie: buyer.cookie },
    });
  }
  const samples = [...(await scrape(api)), ...(await scrape(workerMetrics))];
  const names = new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
  expect([...names].filter((name) => !LABELS.includes(name))).toEqual([]);
  const values = new Set(samples.flatMap(({ labels }) => Object.values(labels)));
  expect([...values].filter((value) => UNBOUNDED.test(value))).toEqual([]);
  const unmatched = samples.filter(
    ({ name, labels }) => name === 'market_http_requests_total' && labels['route'] === 'unmatched',
  );
  expect(unmatched.map(({ labels, value }) => [labels['method'], value]).sort()).toEqual([
    ['GET', 10],
    ['PROPFIND', 10],
  ]);
});

it('matches the reference page, and has the metrics of the alerts', async () => {
  const page = readFileSync(join(__dirname, '../../../docs/reference/metrics.md'), 'utf8');
  const rules = readFileSync(join(__dirname, '../../../ops/prometheus/rules.yml'), 'utf8');
  const texts = await Promise.all(
    [api, workerMetrics].map(async ({ url }) => (await fetch(url ?? '')).text()),
  );
  const served = new Set([...texts.join('\n').matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name));
  const told = new Set([...page.matchAll(/^\| `(market_\w+)`/gm)].map(([, name = '']) => name));
  expect([...told].sort()).toEqual([...served].filter((name) => name.startsWith('market_')).sort());
  const used = [...rules.matchAll(/\b(?:market|nodejs)_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''));
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !served.has(name))).toEqual([]);
});

it('shows the last ledger check, a late Monday, an old clearing account and a case that waits', async () => {
  const now = async () => {
    const fresh = createContainer(market.config, createLogger('test', 'silent'));
    addWorkerFigures(fresh, []);
    const server = await serveOf(fresh);
    const samples = await scrape(server);
    await server.close();
    await fresh.close();
    return samples;
  };
  const before = await now();
  for (const name of ['monday_late_seconds', 'ledger_unsealed_seconds', 'holds_overdue_seconds', 'mails_oldest_seconds'])
    expect([name, sumOf(before, `market_${name}`)]).toEqual([name, 0]);
  expect(sumOf(before, 'market_ledger_check_age_seconds')).toBeUndefined();
  await checkLedger(market.container.pool, { prove: true });
  await market.owner.query(`
    INSERT INTO ledger_checks (checked_at, is_full, failed) VALUES (now() + interval '1 minute', true, '{seals,balances}')`);
  // Every Monday has ended but one, which is too young for the sweep of payouts.
  await market.owner.query(`INSERT INTO payout_runs (as_of, attempt, begun_at, ended_at)
    SELECT m, 0, now() + interval '1 hour', CASE WHEN m < now() - interval '8 days' OR m > now() - interval '1 day' THEN now() END
    FROM generate_series(date_trunc('week', now(), 'UTC') - interval '49 days', now(), interval '7 days') m`);
  await market.owner.query(`UPDATE users SET created_at = now() - interval '15 days'`);
  await market.owner.query(`INSERT INTO fx_rates (base, quote, rate, observed_at, source, loaded_by)
    VALUES ('USD', 'INR', 84, now() - interval '1 day', 'test', 'test')`);
  const after = await now();
  expect(sumOf(after, 'market_ledger_check_failed_proofs')).toBe(2);
  expect(sumOf(after, 'market_ledger_check_age_seconds')).toBeLessThan(1);
  expect(sumOf(after, 'market_monday_late_seconds')).toBeGreaterThan(0);
  expect(sumOf(after, 'market_exchange_rate_age_seconds')).toBeGreaterThan(86_000);
  await market.owner.query('UPDATE payout_runs SET ended_at = now() WHERE ended_at IS NULL');
  expect(sumOf(await now(), 'market_monday_late_seconds')).toBe(0);
}, 30_000); // prettier-ignore

it('shows that Postgres is away, and leaves out figures that need it', async () => {
  const config = { ...market.config, DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none` };
  const lost = createContainer(config, createLogger('test', 'silent'));
  addWorkerFigures(lost, []);
  const server = await serveOf(lost);
  const samples = await scrape(server);
  expect(sumOf(samples, 'market_database_up')).toBe(0);
  for (const name of ['calls_open', 'holds_overdue', 'deliveries_oldest_seconds'])
    expect([name, sumOf(samples, `market_${name}`)]).toEqual([name, undefined]);
  await server.close();
  await lost.close();
});

it('is served on its own port and path only, and a taken port stops nothing', async () => {
  expect((await fetch(`${market.url}/metrics`)).status).toBe(404);
  expect((await fetch(new URL('/', api.url))).status).toBe(404);
  expect((await fetch(api.url ?? '', { method: 'POST' })).status).toBe(404);
  const { metrics, logger } = market.container;
  const off = await serveMetrics({ metrics, logger, config: market.config });
  expect(off.url).toBeUndefined();
  const port = Number(new URL(api.url ?? '').port);
  const other = createContainer(market.config, createLogger('test', 'silent'));
  const taken = await serveMetrics({ ...other, config: { METRICS_HOST: '127.0.0.1', METRICS_PORT: port } });
  expect(taken.url).toBeUndefined();
  await taken.close();
  await other.close();
});
