/** Jobs that end together beside calls, for `npm run bench:jobs`. */
import { loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '../../test/support/agents/behaviours';
import type { ProcessStack } from '../../test/support/stack/process-stack';
import { cpuSeconds, median, quantile } from '../measure';
import { openJobs } from './waiting-jobs';

export const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
export const ENDING = 100;
const CALLERS = 2;
const CALLS_PER_SECOND = 20;
const WATCHED_MS = 5_000;
/** What the stack uses of a core when nothing happens. */
const IDLE_SHARE = 0.1;

type Case = 'alone' | 'beside ends' | 'beside calls';

export interface Ending {
  /** A plain call that is measured. */
  call: () => Promise<number>;
  /** A plain call of another buyer to an agent of another developer. */
  neighbour: () => Promise<number>;
  /** Calls the answer of a job back. */
  end: (job: Delivery) => Promise<void>;
  taken: readonly Delivery[];
  parts: Record<string, number>;
}

/**
 * Times of plain calls for five seconds: alone, while a hundred jobs end in the first of them, and while a neighbour
 * makes a hundred calls in it. The neighbour shows what a hundred of anything cost on this machine.
 */
export async function endTogether(
  stack: ProcessStack,
  { call, neighbour, end, taken, parts }: Ending,
): Promise<void> {
  const ending = [...taken];
  const p95s: Record<Case, number[]> = { alone: [], 'beside ends': [], 'beside calls': [] };
  await endAlone(stack, end, ending.splice(0, ENDING), parts);
  const measure = async (what: Case, beside: readonly (() => Promise<unknown>)[]) => {
    const left = (await openJobs(stack)) - (what === 'beside ends' ? beside.length : 0);
    const lag = monitorEventLoopDelay({ resolution: 5 });
    lag.enable();
    const startedAt = performance.now();
    const spread = beside.map((one, n) => sleep((n * 1_000) / beside.length).then(one));
    const [times, ...took] = await Promise.all([callFor(WATCHED_MS, call), ...spread.map(timeOf(startedAt))]);
    lag.disable();
    while ((await openJobs(stack)) > left) await sleep(20);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const at = (q: number) => quantile(times, q).toFixed(1);
    const last =
      took.length > 0 ? `, the last of ${took.length} done after ${Math.max(...took).toFixed(0)} ms` : '';
    const lagMs = (lag.percentile(99) / 1e6 - 5).toFixed(0);
    console.log(
      `  ${what}: p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)} ms${last}; settled after ${seconds} s; ` +
        `p99 of the delay in this program ${lagMs} ms`,
    );
    p95s[what].push(quantile(times, 0.95));
    await sleep(2_000);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    console.log(`round ${round + 1}, load average ${loadavg()[0]?.toFixed(1)}`);
    const jobs = ending.splice(0, ENDING);
    await measure('alone', []);
    await measure(
      'beside ends',
      jobs.map((job) => () => end(job)),
    );
    await measure(
      'beside calls',
      jobs.map(() => neighbour),
    );
  }
  const texts = Object.entries(p95s).map(([what, values]) => `${median(values).toFixed(1)} ms ${what}`);
  console.log(`median p95 of calls: ${texts.join(', ')}`);
}

const timeOf = (startedAt: number) => async (work: Promise<unknown>) => {
  await work;
  return performance.now() - startedAt;
};

/** Prints the CPU of the stack for the end of a job, while no call is made. */
async function endAlone(
  stack: ProcessStack,
  end: (job: Delivery) => Promise<void>,
  jobs: readonly Delivery[],
  parts: Record<string, number>,
): Promise<void> {
  const left = (await openJobs(stack)) - jobs.length;
  const read = () => Object.values(parts).map((pid) => cpuSeconds([pid]));
  const before = read();
  const startedAt = performance.now();
  await Promise.all(jobs.map(end));
  while ((await openJobs(stack)) > left) await sleep(200);
  const idleMs = IDLE_SHARE * (performance.now() - startedAt);
  const spent = read().map((seconds, n) => ((seconds - (before[n] ?? 0)) * 1_000) / jobs.length);
  const each = spent.reduce((sum, ms) => sum + ms, 0) - idleMs / jobs.length;
  const texts = Object.keys(parts).map((name, n) => `${name} ${(spent[n] ?? 0).toFixed(1)}`);
  console.log(`an end costs the stack ${each.toFixed(1)} ms of CPU (${texts.join(', ')})`);
}

/** Makes calls at a steady rate, and returns their times, the shortest first. */
async function callFor(ms: number, call: () => Promise<number>): Promise<number[]> {
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
  return times.sort((a, b) => a - b);
}
