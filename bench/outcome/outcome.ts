/**
 * `npm run bench:outcome`: measures what an `Outcome` on every call that succeeds would cost
 * (docs/internals/temporal.md#outcome). Two API processes on one stack serve the same calls. One has the product's
 * workflows, the other sets the attribute. They take turns, and the one that begins changes with each round. The
 * processor time of each round includes what Temporal does after its last call. On two cores that are full, throughput
 * is the inverse of it, and it does not vary with the machine's other load as throughput does.
 */
import { spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleWorkflowCode } from '@temporalio/worker';
import { INVOCATION_BUNDLE } from '../../src/workers/invocation-workers';
import { startProcessStack, type ProcessStack } from '../../test/support/stack/process-stack';
import { cpuSeconds, firstLine, load, type LoadResult, median, quantile } from '../measure';
import { addBenchApi, type BenchApi } from '../product';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 20);
/** Clients, and calls of a round: under load calls share workflows, and one client has a workflow for each call. */
const LOADS = [
  { clients: 32, calls: Number(process.env['BENCH_CALLS'] ?? 1_000) },
  { clients: 1, calls: Number(process.env['BENCH_SINGLE_CALLS'] ?? 200) },
];
const ROOT = join(__dirname, '../..');
/** Compiled by the npm script, as production runs it. */
const BUILT = join(ROOT, 'dist', 'bench');
/** Workflows end and lists are written after the calls have been answered. */
const SETTLING_MS = 4_000;
const SERVER_LIMITS = {
  'frontend.namespaceRPS': 10_000,
  'frontend.rps': 10_000,
  'frontend.namespaceCount': 10_000,
  'history.rps': 20_000,
  'matching.rps': 20_000,
};

interface Side extends Pick<BenchApi, 'api' | 'cookie'> {
  path: string;
}

async function main(): Promise<void> {
  const stack = await startProcessStack({ dynamicConfig: SERVER_LIMITS, warm: true });
  const agent = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'bench/agent-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const agentUrl = await firstLine(agent.stdout);
    const without = await addSide(stack, agentUrl, 'without', join(ROOT, 'dist', INVOCATION_BUNDLE));
    const marked = await addSide(stack, agentUrl, 'marked', await markedBundle(stack));
    const shared = [stack.postgres.pid, stack.temporal.pid, agent.pid ?? -1];
    for (const { clients, calls } of LOADS) await compare({ without, marked }, { clients, calls, shared });
    for (const { api } of [without, marked]) await api.kill('SIGTERM');
  } finally {
    agent.kill();
    await stack.stop();
  }
}

/** Bundled like the product's workflows, so that only the attribute differs. */
async function markedBundle(stack: ProcessStack): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(BUILT, 'bench/outcome/workflows.js'),
    preloadModules: ['@temporalio/workflow', join(BUILT, 'src/workflows/without-stacks.js')],
  });
  const file = join(stack.home, 'marked-bundle.js');
  await writeFile(file, code);
  return file;
}

async function addSide(stack: ProcessStack, agentUrl: string, name: string, bundle: string): Promise<Side> {
  copyFileSync(join(ROOT, 'package.json'), join(BUILT, 'package.json'));
  const { api, cookie, invokePath } = await addBenchApi(stack, {
    command: [process.execPath, join(BUILT, 'bench', 'api-process.js')],
    env: { WORKFLOW_BUNDLE: bundle, TASK_QUEUE_PREFIX: `${name}-` },
  });
  return { api, cookie, path: await invokePath(agentUrl) };
}

interface Round {
  result: LoadResult;
  cpuMs: number;
}

async function compare(
  { without, marked }: { without: Side; marked: Side },
  { clients, calls, shared }: { clients: number; calls: number; shared: readonly number[] },
): Promise<void> {
  const run = async (side: Side): Promise<Round> => {
    const pids = [...shared, side.api.pid];
    const before = cpuSeconds(pids);
    const result = await load(side.api.url, side.path, side.cookie, clients, calls);
    await sleep(SETTLING_MS);
    return { result, cpuMs: ((cpuSeconds(pids) - before) * 1_000) / result.calls };
  };
  for (const side of [without, marked, without, marked]) await run(side);
  const pairs: { plain: Round; more: Round }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % 2 === 0) pairs.push({ plain: await run(without), more: await run(marked) });
    else {
      const more = await run(marked);
      pairs.push({ plain: await run(without), more });
    }
  }
  const rates = (rounds: readonly Round[]) =>
    median(rounds.map(({ result }) => result.callsPerSecond)).toFixed(1);
  const cpu = (rounds: readonly Round[]) => median(rounds.map(({ cpuMs }) => cpuMs)).toFixed(2);
  const plain = pairs.map((pair) => pair.plain);
  const more = pairs.map((pair) => pair.more);
  const ratios = pairs.map((pair) => pair.more.cpuMs / pair.plain.cpuMs - 1).sort((a, b) => a - b);
  const errors = [...plain, ...more].reduce((sum, { result }) => sum + result.errors, 0);
  console.log(`${clients} clients, ${ROUNDS} rounds of ${calls} calls each, ${errors} errors`);
  console.log(`  without: ${cpu(plain)} ms of CPU a call, ${rates(plain)} calls/s`);
  console.log(`  with:    ${cpu(more)} ms of CPU a call, ${rates(more)} calls/s`);
  console.log(
    `  more CPU: median ${percent(median(ratios))}, quartiles ${percent(quantile(ratios, 0.25))} to ${percent(quantile(ratios, 0.75))}, ` +
      `mean ${percent(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length)} ± ${percent(standardError(ratios))}`,
  );
}

const percent = (ratio: number) => `${(ratio * 100).toFixed(1)}%`;

function standardError(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance / values.length);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
