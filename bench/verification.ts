/**
 * `npm run bench:verification -- corpora`: prints precision and recall of the scanners on the corpora of
 * `test/corpora`.
 *
 * `npm run bench:verification -- agents [name…]`: the same for the agents of `test/corpora/agents`.
 *
 * `npm run bench:verification -- rehearse [name…]`: the same agents without a market, in seconds.
 *
 * `npm run bench:verification -- one [count]`: the time of one verification of an agent that answers in 50 ms.
 *
 * `npm run bench:verification -- import [count]`: imports advisories (default 200,000) into an empty database.
 *
 * `npm run bench:verification [-- count]`: prints the scanners' figures, then compares the latency of calls while
 * nothing is verified and while agents (default 20) are verified concurrently. Uses separate processes, as in
 * production; prints both medians, their quotient, and the CPU time of each process.
 *
 * ROUNDS=1 alternates quiet and busy phases, for machines with other load. BUNDLES=1 publishes the agents with
 * source.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testManifest } from '../test/support/agents/manifest';
import { bundleOf } from '../test/support/verification/bundles';
import { eventually, invoke, putLive, register } from '../test/support/market';
import { type ProcessStack, startProcessStack } from '../test/support/stack/process-stack';
import { publish, registerDeveloper, type TestDeveloper } from '../test/support/catalogue/publishing';
import { cpuSeconds } from './measure';
import { benchAgents } from './verification/agents';
import { printCorpora } from './verification/corpora';
import { benchImport } from './verification/import';
import { benchOne } from './verification/one';
import { benchRehearsal } from './verification/rehearsal';

const CALLS = 200;
const WARM_UP = 100;
const AGENTS = Number(process.argv[2] ?? 20);
const ROUNDS = Number(process.env['ROUNDS'] ?? 1);
const BUNDLE = bundleOf({
  'src/agent.mjs': 'export const answer = (text) => ({ text });\n'.repeat(500),
  'package.json': '{"name":"verified","version":"1.0.0","license":"MIT","dependencies":{}}',
  'package-lock.json': '{"lockfileVersion":3,"packages":{}}',
  LICENSE: 'MIT',
}).toString('base64');
const EXTRA = process.env['BUNDLES'] === '1' ? { bundle_base64: BUNDLE } : {};

type Market = Parameters<typeof putLive>[0] & Parameters<typeof invoke>[0];

interface Phase {
  times: number[];
  seconds: number;
  used: Record<string, number>;
}

async function main(): Promise<void> {
  if (process.argv[2] === 'agents') return benchAgents(process.argv.slice(3));
  if (process.argv[2] === 'rehearse') return benchRehearsal(process.argv.slice(3));
  if (process.argv[2] === 'one') return benchOne(Number(process.argv[3] ?? 6));
  if (process.argv[2] === 'import') return benchImport(Number(process.argv[3] ?? 200_000));
  await printCorpora();
  if (process.argv[2] === 'corpora') return;
  const stack = await startProcessStack({ warm: true });
  const agent = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'agent-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await measure(stack, agent);
  } finally {
    agent.kill('SIGKILL');
    await stack.stop();
  }
}

async function measure(stack: ProcessStack, agent: ChildProcess): Promise<void> {
  const [line] = (await once(agent.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const url = line.toString().trim();
  const api = await stack.addProcess('api');
  const worker = await stack.addProcess('worker');
  const market: Market = { url: api.url, owner: stack.owner, container: stack.container as never };
  await eventually(async () => (await fetch(`${api.url}/readiness`)).status === 200, 60_000);
  const developer = await registerDeveloper(market);
  const buyer = await register(market, 'buyer', 1_000_000);
  const { agentId } = await putLive(market, developer.userId, url, { credits: 1 });
  const pids = {
    api: api.pid,
    worker: worker.pid,
    temporal: stack.temporal.pid,
    postgres: stack.postgres.pid,
    agent: agent.pid ?? 0,
    bench: process.pid,
  };
  const call = async () => {
    const reply = await invoke(market, buyer, agentId, { input: { text: 'bench' } });
    if (reply.status !== 200) throw new Error(`a call answered ${reply.status}`);
  };
  const phase = (isOver: (calls: number) => Promise<boolean>) => callUntil(call, isOver, pids);
  await phase((calls) => Promise.resolve(calls >= WARM_UP));
  const quiet: Phase[] = [];
  const busy: Phase[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    quiet.push(await phase((calls) => Promise.resolve(calls >= CALLS)));
    await publishAll(market, developer, url, round);
    busy.push(await phase(() => isIdle(stack)));
  }
  print(quiet, busy);
}

async function publishAll(
  market: Market,
  developer: TestDeveloper,
  url: string,
  round: number,
): Promise<void> {
  for (let at = 0; at < AGENTS; at += 1) {
    const manifest = testManifest(url, { agentId: `verified-${round}-${at}` });
    const reply = await publish(market, developer, manifest, EXTRA);
    if (reply.status !== 201) throw new Error(`publishing answered ${reply.status}`);
  }
}

async function isIdle({ owner }: ProcessStack): Promise<boolean> {
  const { rows } = await owner.query(
    `SELECT FROM agent_versions WHERE state IN ('submitted', 'verifying') LIMIT 1`,
  );
  return rows.length === 0;
}

/** Calls one after another; returns the milliseconds of each, and CPU seconds by process. */
async function callUntil(
  call: () => Promise<void>,
  isOver: (calls: number) => Promise<boolean>,
  pids: Record<string, number>,
): Promise<Phase> {
  const usedBy = () =>
    Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, ownSeconds(name, pid)]));
  const before = usedBy();
  const beganAt = performance.now();
  const times: number[] = [];
  while (!(await isOver(times.length))) {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
  }
  const used = Object.fromEntries(
    Object.entries(usedBy()).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]),
  );
  return { times, seconds: (performance.now() - beganAt) / 1_000, used };
}

/** The other processes are children of this one. */
function ownSeconds(name: string, pid: number): number {
  if (name !== 'bench') return cpuSeconds([pid]);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

function print(quiet: readonly Phase[], busy: readonly Phase[]): void {
  const before = quiet.flatMap(({ times }) => times);
  const during = busy.flatMap(({ times }) => times);
  const seconds = busy.map((phase) => phase.seconds.toFixed(1)).join(', ');
  console.log(`quiet: ${describe(before)}\n  ${usage(quiet)}`);
  console.log(`while ${AGENTS} agents are verified (${seconds} s): ${describe(during)}\n  ${usage(busy)}`);
  console.log(`quotient of the medians: ${(median(during) / median(before)).toFixed(2)} (to be at most 1.5)`);
}

/** Shares of a core. */
function usage(phases: readonly Phase[]): string {
  const seconds = phases.reduce((sum, phase) => sum + phase.seconds, 0);
  const names = Object.keys(phases[0]?.used ?? {});
  const share = (name: string) => phases.reduce((sum, { used }) => sum + (used[name] ?? 0), 0) / seconds;
  return names.map((name) => `${name} ${(100 * share(name)).toFixed(0)}%`).join(', ');
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}

function describe(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? NaN;
  return `${times.length} calls, median ${median(times).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
