/**
 * `npm run bench:peers`: the product against durable engines and ordinary services, in interleaved rounds of one run.
 * Three groups: ours (both orders of enrolment), other engines around the product's own services and SQL, and lean
 * peers with steps of their own (six rows a call; no sessions, limits, signing, schemas or token counts). While one is
 * measured, the processes of the others are stopped. Checks all ledgers after each round, and writes the figures to
 * `docs/cost-of-a-call.md`. BENCH_SECONDS (a cell), BENCH_ROUNDS; with BENCH_ONLY (words of names) or BENCH_CLIENTS
 * (numbers), with commas between, it measures a part and writes nothing.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { freePort } from '../src/runtime/processes/processes';
import { checkLedger } from '../src/services/ledger/ledger-check';
import { startProcessStack, type ProcessStack } from '../test/support/stack/process-stack';
import { cpuSeconds, firstLine, loadUntil } from './measure';
import {
  addDatabase,
  addLean,
  addProduct,
  type Contestant,
  type LeanSettings,
  ordinaryBundle,
  type Pause,
  type RestateServer,
  startRestate,
} from './peers/contestants';
import { type Cell, OURS, writeReport } from './peers/report';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const ONLY = process.env['BENCH_ONLY']?.split(',');
const CLIENTS = process.env['BENCH_CLIENTS']?.split(',').map(Number);
const WARM_UP_SECONDS = 4;
const SETTLING_MS = 1_000;
/** A contestant that is paused keeps its connections. */
const MAX_CONNECTIONS = 400;
/** Clients and the agent's pause of each cell. */
const CELLS: [clients: number, pause: Pause][] = [[1, 0], [16, 0], [32, 0], [64, 0], [32, 50]]; // prettier-ignore
const PEERS = join(__dirname, 'peers');

async function main(): Promise<void> {
  if (!existsSync(join(PEERS, 'node_modules'))) {
    console.log('installing the engines to compare with …');
    execFileSync(
      'npm',
      ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--silent'],
      { cwd: PEERS, stdio: 'inherit' },
    );
  }
  const limits = Object.fromEntries(
    ['frontend.namespaceRPS', 'frontend.rps', 'frontend.namespaceCount', 'history.rps', 'matching.rps'].map(
      (name) => [name, 20_000],
    ),
  );
  const stack = await startProcessStack({
    dynamicConfig: limits,
    warm: true,
    maxConnections: MAX_CONNECTIONS,
  });
  const restate = await startRestate(stack.home);
  const [fast, slow] = [await startAgent(0), await startAgent(50)];
  const contestants: Contestant[] = [];
  const stopAll = async () => {
    resume(contestants);
    for (const contestant of contestants) await contestant.stop();
    fast.child.kill();
    slow.child.kill();
    await restate.stop();
    await stack.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stopAll().then(() => process.exit(130)));
  try {
    for (const [name, add] of contenders(stack, { 0: fast.url, 50: slow.url }, restate))
      if (ONLY === undefined || ONLY.some((word) => name.includes(word))) contestants.push(await add(name));
    const cells = await rounds(stack, contestants, [fast.child.pid ?? -1, slow.child.pid ?? -1]);
    const errors = cells.reduce((sum, cell) => sum + cell.errors, 0);
    if (errors > 0) throw new Error(`${errors} calls failed, so the figures are not written`);
    if (ONLY === undefined && CLIENTS === undefined) writeReport(cells, { rounds: ROUNDS, seconds: SECONDS });
  } finally {
    await stopAll();
  }
}

/** Each contestant by its name, with how it is started with its database and its engine. */
function contenders(stack: ProcessStack, agents: Record<Pause, string>, restate: RestateServer) {
  const temporal = stack.temporal.pid;
  const restateEnv = async () => ({
    RESTATE_ADMIN_URL: restate.admin,
    RESTATE_INGRESS_URL: restate.ingress,
    RESTATE_ENDPOINT_PORT: String(await freePort()),
  });
  const dbosEnv = async (name: string) => ({ DBOS_URL: await addDatabase(stack, name) });
  const ours = (id: string, name: string, env: Record<string, string>, more: Partial<Contestant> = {}) =>
    addProduct(stack, agents, { id, name, group: 'ours', durable: true, enginePid: temporal, env, ...more });
  const lean = (name: string, more: Omit<LeanSettings, 'name'>) => addLean(stack, agents, { name, ...more });
  const around = { group: 'our services', enginePid: undefined } as const;
  const list: [name: string, add: (name: string) => Promise<Contestant>][] = [
    [OURS, (name) => ours('enrolled', name, { ENROLMENT: 'enrolled' })],
    ['ours, confirmed before the steps', (name) => ours('confirmed', name, { ENROLMENT: 'confirmed' })],
    [
      'our services, no engine',
      (name) => ours('none', name, { BENCH_LAUNCHER: 'none' }, { ...around, durable: false }),
    ],
    [
      'our services in DBOS',
      async (name) =>
        ours('dbos', name, { BENCH_LAUNCHER: 'dbos', ...(await dbosEnv('dbos-services')) }, around),
    ],
    [
      'our services in Restate',
      async (name) => {
        const env = { BENCH_LAUNCHER: 'restate', ...(await restateEnv()) };
        return ours('restate', name, env, { ...around, enginePid: restate.pid });
      },
    ],
    [
      'our services in four Temporal activities',
      async (name) => {
        const env = {
          ENROLMENT: 'confirmed',
          BENCH_WORKFLOW_TYPE: 'ordinaryInvocation',
          WORKFLOW_BUNDLE: await ordinaryBundle(stack.home),
          EAGER_START: 'false',
          BENCH_STOCK_WORKER: 'true',
        };
        return ours('ordinary', name, env, { group: 'our services' });
      },
    ],
    [
      'lean, DBOS',
      async (name) => lean(name, { program: 'dbos-lean', durable: true, env: await dbosEnv('dbos-lean') }),
    ],
    [
      'lean, Restate',
      async (name) => {
        const env = await restateEnv();
        return lean(name, { program: 'restate-lean', durable: true, enginePid: restate.pid, env });
      },
    ],
    [
      'lean, Temporal activities',
      (name) => {
        const env = { TEMPORAL_ADDRESS: stack.environment()['TEMPORAL_ADDRESS'] ?? '' };
        return lean(name, { program: 'temporal-lean', durable: true, enginePid: temporal, env });
      },
    ],
    ['lean, Express + knex', (name) => lean(name, { program: 'express-knex', durable: false })],
    ['lean, Express + pg', (name) => lean(name, { program: 'express-pg', durable: false })],
  ];
  return list;
}

async function rounds(stack: ProcessStack, contestants: Contestant[], agentPids: number[]): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const each of contestants) await forSeconds(each, 32, 0, WARM_UP_SECONDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [clients, pause] of CELLS) {
      if (CLIENTS && !CLIENTS.includes(clients)) continue;
      for (const contestant of contestants) {
        pauseAllBut(contestant, contestants);
        const cell = await measure(stack, contestant, { clients, pause, agentPids });
        cells.push(cell);
        console.log(
          `${round + 1}/${ROUNDS} ${contestant.name}, ${clients} clients, agent ${pause} ms: ${cell.callsPerSecond.toFixed(1)} calls/s, ` +
            `p50 ${cell.p50Ms.toFixed(1)} ms, p99 ${cell.p99Ms.toFixed(0)} ms, CPU ${cell.cpu.sum.toFixed(1)} ms a call, ${cell.callsPerWorkflow?.toFixed(1) ?? '–'} calls a workflow, ${cell.errors} errors`,
        );
      }
    }
    resume(contestants);
    await checkMoney(stack, contestants);
  }
  return cells;
}

/**
 * A contestant is measured alone. The loops of the others, five of which serve the same database, took a quarter of its
 * calls a second.
 */
function pauseAllBut(contestant: Contestant, contestants: readonly Contestant[]): void {
  for (const each of contestants) process.kill(each.pid, each === contestant ? 'SIGCONT' : 'SIGSTOP');
}

function resume(contestants: readonly Contestant[]): void {
  for (const { pid } of contestants) process.kill(pid, 'SIGCONT');
}

function forSeconds(contestant: Contestant, clients: number, pause: Pause, seconds: number) {
  const end = performance.now() + seconds * 1_000;
  return loadUntil(contestant.targets[pause], clients, () => performance.now() > end);
}

async function measure(
  stack: ProcessStack,
  contestant: Contestant,
  { clients, pause, agentPids }: { clients: number; pause: Pause; agentPids: number[] },
): Promise<Cell> {
  await sleep(SETTLING_MS);
  const spent = () => ({
    app: cpuSeconds([contestant.pid]),
    engine: contestant.enginePid === undefined ? 0 : cpuSeconds([contestant.enginePid]),
    postgres: cpuSeconds([stack.postgres.pid]),
    agent: cpuSeconds(agentPids),
  });
  const before = spent();
  const startsBefore = contestant.starts?.();
  const result = await forSeconds(contestant, clients, pause, SECONDS);
  // Workflows that a call shares end after it: they belong to its cost.
  await sleep(SETTLING_MS);
  const after = spent();
  const ms = (part: keyof typeof before) => ((after[part] - before[part]) * 1_000) / result.calls;
  const starts = contestant.starts?.();
  const workflows = (starts?.confirmed ?? 0) - (startsBefore?.confirmed ?? 0);
  const members = starts?.members === undefined ? workflows : starts.members - (startsBefore?.members ?? 0);
  const callsPerWorkflow = contestant.durable ? (workflows > 0 ? members / workflows : 1) : undefined;
  const cpu = { app: ms('app'), engine: ms('engine'), postgres: ms('postgres') };
  return {
    ...result,
    ...{
      name: contestant.name,
      group: contestant.group,
      durable: contestant.durable,
      clients,
      pause,
      callsPerWorkflow,
    },
    cpu: { ...cpu, sum: cpu.app + cpu.engine + cpu.postgres },
  };
}

async function checkMoney(stack: ProcessStack, contestants: readonly Contestant[]): Promise<void> {
  const pool = new Pool({ connectionString: stack.environment()['DATABASE_URL'] });
  const { proofs } = await checkLedger(pool);
  await pool.end();
  const problems = proofs.filter(({ total }) => total > 0).map(({ name }) => `ours: ${name}`);
  for (const contestant of contestants)
    problems.push(...(await contestant.problems()).map((problem) => `${contestant.name}: ${problem}`));
  console.log(problems.length === 0 ? 'all ledgers add up' : `LEDGERS DO NOT ADD UP: ${problems.join('; ')}`);
  if (problems.length > 0) process.exitCode = 1;
}

async function startAgent(pauseMs: number): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'agent-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, AGENT_PAUSE_MS: String(pauseMs) },
  });
  return { url: await firstLine(child.stdout), child };
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
