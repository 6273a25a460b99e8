/**
 * `npm run bench:own`: measures what workflows of their own cost calls under load (ADR 0224). API processes on one
 * stack serve the same calls, each with another OWN_WORKFLOWS_PER_SECOND (BENCH_OWN, default `0,20`), in turns.
 * BENCH_CLIENTS clients (32) make BENCH_CALLS calls (1,000) in each of BENCH_ROUNDS rounds (8), at most BENCH_RATE a
 * second. The processor time of a round includes what Temporal does after its last call.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StartCounts } from '../../src/engine/start-invocation';
import { startProcessStack, type ProcessStack } from '../../test/support/stack/process-stack';
import { cpuSeconds, firstLine, load, type LoadResult, median } from '../measure';
import { addBenchApi, type BenchApi } from '../product';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 8);
const CLIENTS = Number(process.env['BENCH_CLIENTS'] ?? 32);
const CALLS = Number(process.env['BENCH_CALLS'] ?? 1_000);
const RATE = Number(process.env['BENCH_RATE'] ?? Infinity);
const OWN = (process.env['BENCH_OWN'] ?? '0,20').split(',');
const ROOT = join(__dirname, '../..');
/** Workflows end and lists are written after the calls have been answered. */
const SETTLING_MS = 3_000;
const SERVER_LIMITS = {
  'frontend.namespaceRPS': 10_000,
  'frontend.rps': 10_000,
  'frontend.namespaceCount': 10_000,
  'history.rps': 20_000,
  'matching.rps': 20_000,
};

type Counts = StartCounts & { members: number };

interface Round extends LoadResult {
  cpuMs: number;
  workflows: number;
  /** Workflows for each call: 1 if each has its own. */
  perCall: number;
}

interface Side extends Pick<BenchApi, 'api' | 'cookie'> {
  own: string;
  path: string;
  starts: () => Counts;
  rounds: Round[];
}

async function main(): Promise<void> {
  const stack = await startProcessStack({ dynamicConfig: SERVER_LIMITS, warm: true });
  const agent = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'bench/agent-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const agentUrl = await firstLine(agent.stdout);
    const sides: Side[] = [];
    for (const own of OWN) sides.push(await addSide(stack, agentUrl, own));
    const shared = [stack.postgres.pid, stack.temporal.pid, agent.pid ?? -1];
    for (const side of [...sides, ...sides]) await run(side, shared);
    for (let round = 0; round < ROUNDS; round += 1) {
      const turns = round % 2 === 0 ? sides : [...sides].reverse();
      for (const side of turns) side.rounds.push(await run(side, shared));
    }
    report(sides);
    for (const { api } of sides) await api.kill('SIGTERM');
  } finally {
    agent.kill();
    await stack.stop();
  }
}

async function addSide(stack: ProcessStack, agentUrl: string, own: string): Promise<Side> {
  const startsFile = join(stack.home, `starts-${own}.json`);
  const { api, cookie, invokePath } = await addBenchApi(stack, {
    command: [process.execPath, join(ROOT, 'dist/bench/bench/api-process.js')],
    env: {
      WORKFLOW_BUNDLE: join(ROOT, 'dist/invocation-bundle.js'),
      TASK_QUEUE_PREFIX: `own-${own}-`,
      OWN_WORKFLOWS_PER_SECOND: own,
      BENCH_STARTS_FILE: startsFile,
    },
  });
  const starts = () => JSON.parse(readFileSync(startsFile, 'utf8')) as Counts;
  return { own, api, cookie, path: await invokePath(agentUrl), starts, rounds: [] };
}

async function run(side: Side, shared: readonly number[]): Promise<Round> {
  const pids = [...shared, side.api.pid];
  const before = { cpu: cpuSeconds(pids), workflows: side.starts().confirmed };
  const result = await load(side.api.url, side.path, side.cookie, CLIENTS, CALLS, RATE);
  await sleep(SETTLING_MS);
  return {
    ...result,
    cpuMs: ((cpuSeconds(pids) - before.cpu) * 1_000) / result.calls,
    workflows: (side.starts().confirmed - before.workflows) / result.seconds,
    perCall: (side.starts().confirmed - before.workflows) / result.calls,
  };
}

function report(sides: readonly Side[]): void {
  const [reference] = sides;
  const middle = (of: Side, figure: (round: Round) => number) => median(of.rounds.map(figure));
  const ratio = (of: Side, figure: (round: Round) => number) =>
    median(of.rounds.map((round, n) => figure(round) / figure(reference?.rounds[n] ?? round))).toFixed(3);
  console.log(`${CLIENTS} clients, ${ROUNDS} rounds of ${CALLS} calls each`);
  for (const side of sides) {
    const errors = side.rounds.reduce((sum, round) => sum + round.errors, 0);
    console.log(
      `OWN_WORKFLOWS_PER_SECOND=${side.own}: ${middle(side, (r) => r.callsPerSecond).toFixed(1)} calls/s ` +
        `(${ratio(side, (r) => r.callsPerSecond)}), CPU ${middle(side, (r) => r.cpuMs).toFixed(2)} ms a call ` +
        `(${ratio(side, (r) => r.cpuMs)}), p50 ${middle(side, (r) => r.p50Ms).toFixed(1)} ms, ` +
        `${middle(side, (r) => r.workflows).toFixed(1)} workflows/s, ` +
        `${middle(side, (r) => r.perCall).toFixed(2)} a call, ${errors} errors`,
    );
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
