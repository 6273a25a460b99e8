import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds } from '../../bench/measure';
import { checkLedger, formatReport } from '../../src/services/ledger/ledger-check';
import type { ApiClient } from '../../src/runtime/demonstration/api-client';
import { prepareCluster, startDemonstration } from '../../ops/cluster/main';
import {
  failOver,
  grow,
  lose,
  rebuildReplica,
  restartProcess,
  rollingOrder,
} from '../../ops/cluster/operations';
import {
  partOf,
  type RunningCluster,
  startCluster,
  stopCluster,
  superuserUrl,
} from '../../ops/cluster/start';
import { DATABASE } from '../../src/runtime/environment';
import { withClient } from '../../src/runtime/postgres/database';
import { removePlace } from '../../src/runtime/postgres/postgres-binaries';
import { waitUntil } from '../../src/runtime/processes/processes';
import { createTerminal } from '../../src/runtime/base/terminal.cjs';
import { loginBuyer, type LoadReport, startLoad } from './load';
import { testPool } from '../support/stack/pool';
import { realTime } from '../support/waits';

/** Ordinary accounts make 600 calls a minute at most; this buyer stands for many. */
const LIMITS = ['ACCOUNT', 'INVOCATIONS', 'PER_KEY', 'PER_ACCOUNT', 'KEY_INVOCATIONS', 'PER_ADDRESS'];
const UNDER_LOAD = 'calls go on meanwhile';
const CALLERS = 4;
const CALLERS_PER_API = 6;
/** Holds end with their lease of 30 s, and the sweep looks each 15 s. */
const SETTLED_MS = 120_000;

let home: string;
let running: RunningCluster;
let buyer: ApiClient;
const figures: string[] = [];

beforeAll(async () => {
  for (const name of LIMITS) process.env[`RATE_LIMIT_${name}`] = '1000000';
  home = mkdtempSync(join(tmpdir(), 'market-cluster-'));
  const terminal = createTerminal();
  const cluster = await prepareCluster(home, terminal);
  const agents = cluster.stack.agents.filter(({ slug }) => slug === 'unit-converter');
  running = await startCluster({ ...cluster, stack: { ...cluster.stack, agents } }, terminal);
  await startDemonstration(running, terminal);
  buyer = await loginBuyer(running);
});

afterAll(async () => {
  if (running) await stopCluster(running);
  for (const name of ['postgres-1', 'postgres-2']) removePlace(join(home, name));
  rmSync(home, { recursive: true, force: true });
  process.stdout.write(`\n${figures.join('\n')}\n`);
});

/**
 * Waits until all calls have ended, then runs the ledger check, and finds each acknowledged call as a success in it.
 */
async function expectWhole({ acknowledged }: LoadReport): Promise<void> {
  const url = superuserUrl(running.cluster, running.cluster.primary, DATABASE);
  await withClient(url, async (client) => {
    const isSettled = async () => {
      const { rows } = await client.query<{ open: boolean }>(
        `SELECT EXISTS (SELECT FROM holds WHERE state = 'open')
             OR EXISTS (SELECT FROM invocations WHERE status IN ('pending', 'running')) AS open`,
      );
      return rows[0]?.open === false;
    };
    expect(await waitUntil(isSettled, SETTLED_MS, 500)).toBe(true);
    const { rows } = await client.query<{ succeeded: string }>(
      `SELECT count(*) AS succeeded FROM invocations WHERE invocation_id = ANY ($1) AND status = 'succeeded'`,
      [acknowledged],
    );
    expect(Number(rows[0]?.succeeded)).toBe(acknowledged.length);
  });
  const pool = testPool(url);
  try {
    const report = await checkLedger(pool);
    if (!report.ok) throw new Error(formatReport(report));
  } finally {
    await pool.end();
  }
}

function note(what: string, { acknowledged, failures, slowestMs, seconds }: LoadReport): void {
  const rate = (acknowledged.length / seconds).toFixed(1);
  figures.push(
    `${what}: ${acknowledged.length} calls in ${seconds.toFixed(0)} s (${rate}/s), ${failures.length} failed, slowest ${slowestMs} ms`,
  );
}

it('reads lists from the replica, and what was just written shows in them', async () => {
  const list = () => buyer.call<{ total: number }>('GET', '/v1/billing/ledger?limit=1');
  const before = (await list()).total;
  await buyer.call('POST', '/v1/billing/topup', { amountPaise: 10_000, currency: 'INR' });
  const shows = async () => (await list()).total > before;
  expect(await waitUntil(shows, 10_000)).toBe(true);
  const replica = superuserUrl(running.cluster, running.cluster.readsFrom, DATABASE);
  await withClient(replica, async (client) => {
    const { rows } = await client.query<{ replica: boolean; readers: string }>(
      `SELECT pg_is_in_recovery() AS replica,
              (SELECT count(*) FROM pg_stat_activity WHERE usename = 'market_app') AS readers`,
    );
    expect(rows[0]?.replica).toBe(true);
    expect(Number(rows[0]?.readers)).toBeGreaterThan(0);
  });
});

it('restarts every process, one after another, without a failed call', async () => {
  const load = await startLoad(running, buyer, CALLERS);
  for (const name of rollingOrder(running)) {
    const since = Date.now();
    await restartProcess(running, name);
    figures.push(`  ${name} restarted in ${((Date.now() - since) / 1_000).toFixed(1)} s`);
  }
  const report = await load.stop();
  note('rolling restart', report);
  expect(report.failures).toEqual([]);
  expect(report.acknowledged.length).toBeGreaterThan(CALLERS * 10);
  await expectWhole(report);
});

it('loses a history node without a failed call', async () => {
  const load = await startLoad(running, buyer, CALLERS);
  await realTime(2_000, UNDER_LOAD);
  await lose(running, 'history-1');
  await realTime(20_000, UNDER_LOAD);
  await running.supervisor.start(partOf(running, 'history-1'));
  await realTime(5_000, UNDER_LOAD);
  const report = await load.stop();
  note('loss of a history node', report);
  expect(report.failures).toEqual([]);
  await expectWhole(report);
});

it('keeps the CPU of a call flat with a third API and a third worker', async () => {
  const measure = async (what: string) => {
    const processes = () =>
      running.supervisor
        .processes()
        .filter(({ name }) => [...running.apis, ...running.workers].includes(name))
        .map(({ pid }) => pid);
    // As many callers for each API; the code of a new process is compiled before its work is measured.
    const load = await startLoad(running, buyer, CALLERS_PER_API * running.apis.length, 0);
    await realTime(12_000, UNDER_LOAD);
    const [from, since] = [cpuSeconds(processes()), Date.now()];
    await realTime(20_000, UNDER_LOAD);
    const used = cpuSeconds(processes()) - from;
    const measuredMs = Date.now() - since;
    const report = await load.stop();
    expect(report.failures).toEqual([]);
    note(what, report);
    const calls = (report.acknowledged.length / report.seconds) * (measuredMs / 1_000);
    const perCall = (used * 1_000) / calls;
    figures.push(`  ${perCall.toFixed(1)} ms of CPU a call in the APIs and workers`);
    return perCall;
  };
  const two = await measure('two APIs and two workers');
  await grow(running);
  await realTime(5_000, UNDER_LOAD);
  const three = await measure('three APIs and three workers');
  expect(three).toBeLessThan(two * 1.4);
});

it('fails over to the replica with every acknowledged call', async () => {
  const load = await startLoad(running, buyer, CALLERS);
  await realTime(3_000, UNDER_LOAD);
  const since = Date.now();
  await lose(running, running.cluster.primary);
  await failOver(running);
  figures.push(`  the replica was the primary after ${((Date.now() - since) / 1_000).toFixed(1)} s`);
  await realTime(10_000, UNDER_LOAD);
  const report = await load.stop();
  note('failover', report);
  // Refused or refunded, and said so: nothing is lost without a word.
  for (const failure of report.failures) expect(failure).toMatch(/ (500|502|503|504) |fetch failed|ECONN/);
  expect(report.failures.filter((failure) => failure.includes(' 500 '))).toEqual([]);
  await expectWhole(report);
  await rebuildReplica(running);
  const after = await startLoad(running, buyer, CALLERS);
  await realTime(5_000, UNDER_LOAD);
  const recovered = await after.stop();
  expect(recovered.failures).toEqual([]);
  await expectWhole(recovered);
});
