/**
 * `npm run bench:invoke`: measures the cost of one paid call on a real stack (Postgres with fsync, Temporal with its
 * state in a file, an API process, an agent that responds at once). The same steps also run as four ordinary
 * activities with an ordinary start. Both alternate, so that noise affects both alike. Ends with the ledger check.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleWorkflowCode } from '@temporalio/worker';
import { Pool as PgPool } from 'pg';
import type { StartCounts } from '../src/engine/start-invocation';
import { checkLedger } from '../src/services/ledger/ledger-check';
import { INVOCATION_BUNDLE } from '../src/workers/invocation-workers';
import {
  startProcessStack,
  type ProcessStack,
  type ServiceProcess,
} from '../test/support/stack/process-stack';
import { cpuSeconds, firstLine, load, type LoadResult, median } from './measure';
import { addBenchApi } from './product';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const CALLS = Number(process.env['BENCH_CALLS'] ?? 400);
const CLIENTS = Number(process.env['BENCH_CLIENTS'] ?? 32);
const SERVER_LIMITS = {
  'frontend.namespaceRPS': 10_000,
  'frontend.rps': 10_000,
  'frontend.namespaceCount': 10_000,
  'history.rps': 20_000,
  'matching.rps': 20_000,
};
const TSX = [process.execPath, '--import', 'tsx'];
const ROOT = join(__dirname, '..');
/** Compiled by the npm script, as production runs it. */
const BUILT = join(ROOT, 'dist', 'bench');
const WARM_UP_CALLS = 400;
const SINGLE_CALLS = 200;
/** Time that Temporal needs after a load to close workflows and update its lists. */
const SETTLING_MS = 2_000;

interface Shape {
  name: string;
  api: ServiceProcess;
  cookie: string;
  path: string;
  rounds: (LoadResult & { cpuMsPerCall: number })[];
  single: LoadResult[];
  startsFile: string;
}

async function main(): Promise<void> {
  const stack = await startProcessStack({ dynamicConfig: SERVER_LIMITS, warm: true });
  const agent = spawn(TSX[0] ?? '', [...TSX.slice(1), join(__dirname, 'agent-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [agentUrl] = (await firstLine(agent.stdout)).split('\n');
    const shapes = await addShapes(stack, agentUrl ?? '');
    const parts = (shape: Shape): Parts => ({
      postgres: stack.postgres.pid,
      temporal: stack.temporal.pid,
      api: shape.api.pid,
      agent: agent.pid ?? -1,
    });
    console.log(
      `limits raised for the run: ${JSON.stringify(SERVER_LIMITS)}, MAX_IN_FLIGHT_PER_BUYER=1024, no rate limit`,
    );
    for (const shape of shapes) await load(shape.api.url, shape.path, shape.cookie, CLIENTS, WARM_UP_CALLS);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const shape of shapes) await measure(shape, parts(shape));
    }
    for (const shape of shapes) await shape.api.kill('SIGTERM');
    report(shapes);
    await verify(stack);
  } finally {
    agent.kill();
    await stack.stop();
  }
}

/**
 * The product's workflow in the product's bundle, and four ordinary activities in a bundle and a worker with the SDK's
 * defaults.
 */
async function addShapes(stack: ProcessStack, agentUrl: string): Promise<Shape[]> {
  copyFileSync(join(ROOT, 'package.json'), join(BUILT, 'package.json'));
  const ordinary = join(stack.home, 'ordinary-bundle.js');
  const { code } = await bundleWorkflowCode({ workflowsPath: join(__dirname, 'workflows.ts') });
  await writeFile(ordinary, code);
  return [
    await addShape(stack, agentUrl, {
      name: 'enrolled beside the steps',
      enrolment: 'enrolled',
      bundle: join(ROOT, 'dist', INVOCATION_BUNDLE),
      eager: true,
    }),
    await addShape(stack, agentUrl, {
      name: 'confirmed before the steps',
      enrolment: 'confirmed',
      workflowType: 'invocation',
      bundle: join(ROOT, 'dist', INVOCATION_BUNDLE),
      eager: true,
    }),
    await addShape(stack, agentUrl, {
      name: 'four activities, ordinary start',
      enrolment: 'confirmed',
      workflowType: 'ordinaryInvocation',
      bundle: ordinary,
      eager: false,
    }),
  ];
}

interface ShapeSettings {
  name: string;
  enrolment: 'enrolled' | 'confirmed';
  workflowType?: string;
  bundle: string;
  eager: boolean;
}

async function addShape(stack: ProcessStack, agentUrl: string, settings: ShapeSettings): Promise<Shape> {
  const { name, enrolment, workflowType, bundle, eager } = settings;
  const id = workflowType ?? enrolment;
  const startsFile = join(stack.home, `starts-${id}.json`);
  const { api, cookie, invokePath } = await addBenchApi(stack, {
    command: [process.execPath, join(BUILT, 'bench', 'api-process.js')],
    env: {
      ENROLMENT: enrolment,
      ...(workflowType ? { BENCH_WORKFLOW_TYPE: workflowType } : {}),
      BENCH_STARTS_FILE: startsFile,
      WORKFLOW_BUNDLE: bundle,
      TASK_QUEUE_PREFIX: `${id}-`,
      EAGER_START: String(eager),
      BENCH_STOCK_WORKER: String(!eager),
    },
  });
  const path = await invokePath(agentUrl);
  return { name, api, cookie, path, rounds: [], single: [], startsFile };
}

/** The processes that serve a call, by name. */
type Parts = Record<string, number>;

const cpuOf = (parts: Parts): [string, number][] =>
  Object.entries(parts).map(([name, pid]) => [name, cpuSeconds([pid])]);

async function measure(shape: Shape, parts: Parts): Promise<void> {
  await sleep(SETTLING_MS);
  const before = cpuOf(parts);
  const result = await load(shape.api.url, shape.path, shape.cookie, CLIENTS, CALLS);
  const spent = cpuOf(parts).map(([name, seconds], n): [string, number] => [
    name,
    ((seconds - (before[n]?.[1] ?? 0)) * 1_000) / result.calls,
  ]);
  const cpuMsPerCall = spent.reduce((sum, [, ms]) => sum + ms, 0);
  shape.rounds.push({ ...result, cpuMsPerCall });
  await sleep(SETTLING_MS);
  shape.single.push(await load(shape.api.url, shape.path, shape.cookie, 1, SINGLE_CALLS));
  console.log(
    `${shape.name}: ${result.callsPerSecond.toFixed(1)} calls/s, CPU ${cpuMsPerCall.toFixed(1)} ms a call ` +
      `(${spent.map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(', ')}), p50 ${result.p50Ms.toFixed(0)} ms, p99 ${result.p99Ms.toFixed(0)} ms, errors ${result.errors}; ` +
      `one client p50 ${shape.single.at(-1)?.p50Ms.toFixed(1)} ms`,
  );
}

function report(shapes: Shape[]): void {
  const [ours, confirmed, ordinary] = shapes;
  if (!ours || !confirmed || !ordinary) return;
  const ratios = ours.rounds.map(
    (round, n) => round.callsPerSecond / (ordinary.rounds[n]?.callsPerSecond ?? NaN),
  );
  const single = median(ours.single.map((result) => result.p50Ms));
  const errors = shapes.flatMap((shape) => shape.rounds).reduce((sum, round) => sum + round.errors, 0);
  console.log(`median of ${ROUNDS} rounds of ${CALLS} calls, ${CLIENTS} clients:`);
  for (const shape of shapes) {
    const rate = median(shape.rounds.map((round) => round.callsPerSecond));
    const cpu = median(shape.rounds.map((round) => round.cpuMsPerCall));
    console.log(`  ${shape.name}: ${rate.toFixed(1)} calls/s, CPU ${cpu.toFixed(1)} ms a call`);
  }
  console.log(`  ratio ${median(ratios).toFixed(2)} (wanted: at least 2.5)`);
  const cpu = (shape: Shape) => median(shape.rounds.map((round) => round.cpuMsPerCall));
  console.log(`  CPU enrolled / confirmed ${(cpu(ours) / cpu(confirmed)).toFixed(2)}`);
  console.log(`  one client p50 ${single.toFixed(1)} ms (wanted: at most 25)`);
  console.log(`  errors ${errors}`);
  for (const shape of shapes) {
    const starts = JSON.parse(readFileSync(shape.startsFile, 'utf8')) as StartCounts & { members?: number };
    console.log(
      `  ${shape.name}: ${starts.confirmed} starts confirmed, ${starts.failed} not, ${starts.declined} eager starts declined` +
        (starts.members ? `, ${(starts.members / starts.confirmed).toFixed(1)} calls a workflow` : ''),
    );
  }
}

async function verify(stack: ProcessStack): Promise<void> {
  const pool = new PgPool({ connectionString: stack.environment()['DATABASE_URL'] });
  const result = await checkLedger(pool);
  await pool.end();
  const failed = result.proofs.filter((proof) => proof.total > 0);
  console.log(`  ledger check: ${failed.length === 0 ? 'passed' : JSON.stringify(failed)}`);
  if (failed.length > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
