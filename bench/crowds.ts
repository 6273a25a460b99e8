/**
 * `npm run bench:crowds`: one large buyer and one popular agent against many of both, and a cold start. 32 clients call
 * in turns as many buyers or one, and call many agents or one. Then a new API process gets 64 clients at once, and no
 * call of the first minute may fail. Ends with the ledger check. `BENCH_ROUNDS`, `BENCH_SECONDS` (a round),
 * `BENCH_COLD_SECONDS`.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { checkLedger } from '../src/services/ledger/ledger-check';
import { startProcessStack, type ProcessStack } from '../test/support/stack/process-stack';
import { loadAll, median, type LoadResult, type Target } from './measure';
import { addBenchApi, type BenchApi } from './product';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);
const COLD_SECONDS = Number(process.env['BENCH_COLD_SECONDS'] ?? 60);
const CLIENTS = 32;
const COLD_CLIENTS = 64;
const BUYERS = 32;
const AGENTS = 16;
const WARM_UP_SECONDS = 5;
const SETTLING_MS = 1_000;
/** A crowd may cost this part of the calls a second of many buyers and agents. */
const LEAST = 0.8;

const until = (seconds: number) => {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() > end;
};

interface Crowd {
  name: string;
  targets: Target[];
  rounds: LoadResult[];
}

async function crowdsOf({ api, cookie, addBuyer, invokePath }: BenchApi, agent: string): Promise<Crowd[]> {
  const paths: string[] = [];
  for (let n = 0; n < AGENTS; n += 1) paths.push(await invokePath(agent));
  const cookies: string[] = [];
  for (let n = 0; n < BUYERS; n += 1) cookies.push(await addBuyer());
  const targets = (sessions: string[], agents: string[]): Target[] =>
    Array.from({ length: BUYERS * AGENTS }, (_, n) => ({
      url: api.url,
      path: agents[Math.floor(n / sessions.length) % agents.length] ?? '',
      headers: { cookie: sessions[n % sessions.length] ?? '' },
    }));
  const [popular = ''] = paths;
  return [
    { name: `${BUYERS} buyers, ${AGENTS} agents`, targets: targets(cookies, paths), rounds: [] },
    { name: `${BUYERS} buyers, one popular agent`, targets: targets(cookies, [popular]), rounds: [] },
    { name: `one large buyer, ${AGENTS} agents`, targets: targets([cookie], paths), rounds: [] },
    { name: 'one large buyer, one agent', targets: targets([cookie], [popular]), rounds: [] },
  ];
}

async function main(): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  const agent = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'agent-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let agentUrl = '';
    for await (const line of createInterface({ input: agent.stdout })) {
      agentUrl = line;
      break;
    }
    const warm = await addBenchApi(stack, { env: {} });
    const crowds = await crowdsOf(warm, agentUrl);
    for (const { targets } of crowds) await loadAll(targets, CLIENTS, until(WARM_UP_SECONDS));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const crowd of crowds) {
        await sleep(SETTLING_MS);
        crowd.rounds.push(await loadAll(crowd.targets, CLIENTS, until(SECONDS)));
      }
    }
    report(crowds);
    await warm.api.kill('SIGTERM');
    await coldStart(stack, agentUrl);
    await verify(stack);
  } finally {
    agent.kill();
    await stack.stop();
  }
}

function report(crowds: Crowd[]): void {
  const middle = ({ rounds }: Crowd, value: (result: LoadResult) => number) => median(rounds.map(value));
  const rate = (crowd: Crowd) => middle(crowd, ({ callsPerSecond }) => callsPerSecond);
  const [many] = crowds;
  console.log(
    '| 32 clients | calls/s | against many | p50 ms | p99 ms | p99/p50 |\n| --- | --- | --- | --- | --- | --- |',
  );
  for (const crowd of crowds) {
    const quotient = rate(crowd) / (many ? rate(many) : NaN);
    const [p50, p99] = [middle(crowd, ({ p50Ms }) => p50Ms), middle(crowd, ({ p99Ms }) => p99Ms)];
    const cells = [
      rate(crowd).toFixed(0),
      `${quotient.toFixed(2)} ×`,
      p50.toFixed(0),
      p99.toFixed(0),
      (p99 / p50).toFixed(1),
    ];
    console.log(`| ${crowd.name} | ${cells.join(' | ')} |`);
    const errors = crowd.rounds.reduce((sum, result) => sum + result.errors, 0);
    if (errors > 0) console.log(`${crowd.name}: ${errors} calls failed`);
    if (errors > 0 || quotient < LEAST) process.exitCode = 1;
  }
}

/** 64 clients call a process that has just started. */
async function coldStart(stack: ProcessStack, agentUrl: string): Promise<void> {
  const cold = await addBenchApi(stack, { env: {} });
  const [first] = await crowdsOf(cold, agentUrl);
  const result = await loadAll(first?.targets ?? [], COLD_CLIENTS, until(COLD_SECONDS));
  console.log(
    `cold start, ${COLD_CLIENTS} clients for ${COLD_SECONDS} s: ${result.calls} calls, ${result.errors} failed, ` +
      `p50 ${result.p50Ms.toFixed(0)} ms, p99 ${result.p99Ms.toFixed(0)} ms`,
  );
  if (result.errors > 0) process.exitCode = 1;
  await sleep(SETTLING_MS);
}

async function verify(stack: ProcessStack): Promise<void> {
  const pool = new Pool({ connectionString: stack.environment()['DATABASE_URL'] });
  const failed = (await checkLedger(pool)).proofs.filter(({ total }) => total > 0);
  await pool.end();
  console.log(`ledger check: ${failed.length === 0 ? 'passed' : JSON.stringify(failed)}`);
  if (failed.length > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
