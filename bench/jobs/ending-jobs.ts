/** Jobs that end together beside calls, for `npm run bench:jobs`. */
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '../../test/support/agents/behaviours';
import type { ProcessStack } from '../../test/support/stack/process-stack';
import { cpuSeconds, median, quantile } from '../measure';
import { openJobs } from './waiting-jobs';

export const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
export const ENDING = 100;
const CALLERS = 2;
const CALLS_PER_SECOND = 20;
/** What the stack uses of a core when nothing happens. */
const IDLE_SHARE = 0.1;

/** Times of plain calls for five seconds, with and without a hundred jobs that end meanwhile. */
export async function endTogether(
  stack: ProcessStack,
  call: () => Promise<number>,
  end: (job: Delivery) => Promise<void>,
  taken: readonly Delivery[],
  parts: Record<string, number>,
): Promise<void> {
  const ending = [...taken];
  const p95s: Record<'without' | 'with', number[]> = { without: [], with: [] };
  await endAlone(stack, end, ending.splice(0, ENDING), parts);
  for (let round = 0; round < ROUNDS; round += 1) {
    p95s.without.push(await callFor(5_000, call));
    const left = await openJobs(stack);
    const jobs = ending.splice(0, ENDING);
    const spread = jobs.map((job, n) => sleep((n * 1_000) / jobs.length).then(() => end(job)));
    const [p95] = await Promise.all([callFor(5_000, call), ...spread]);
    p95s.with.push(p95);
    const startedAt = performance.now();
    while ((await openJobs(stack)) > left - jobs.length) await sleep(20);
    console.log(
      `round ${round + 1}: p95 of calls ${p95s.without.at(-1)?.toFixed(1)} ms, with ${jobs.length} ends ${p95.toFixed(1)} ms ` +
        `(all settled ${(performance.now() - startedAt).toFixed(0)} ms later); load average ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  console.log(
    `median p95 of calls: ${median(p95s.without).toFixed(1)} ms without, ${median(p95s.with).toFixed(1)} ms with`,
  );
}

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

/** Makes calls at a steady rate, and returns the 95th percentile of their times. */
async function callFor(ms: number, call: () => Promise<number>): Promise<number> {
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
  return quantile(
    times.sort((a, b) => a - b),
    0.95,
  );
}
