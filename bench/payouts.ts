/**
 * `npm run bench:payouts`: one Monday with 2,000 developers (BENCH_DEVELOPERS), started by the Schedule's catch-up:
 * Temporal with its state in a file, Postgres with fsync, one worker process, default limits. Runs once undisturbed
 * (limit: two minutes on two cores) and once with the worker killed ten times. The payouts are compared with the
 * developers' earnings, the bank files and the ledger. BENCH_RUNS=quiet or killed runs only one of them.
 */
import { MONDAY } from '../test/support/payouts/payouts';
import { makeCrowd } from '../test/support/payouts/payout-crowd';
import { catchUp, type MondaysProof, proveMondays } from '../test/support/payouts/mondays';
import {
  startProcessStack,
  type ProcessStack,
  type ServiceProcess,
} from '../test/support/stack/process-stack';
import { type KillPlan, planKills } from '../test/support/crash/worker-kills';
import { cpuSeconds } from './measure';

const DEVELOPERS = Number(process.env['BENCH_DEVELOPERS'] ?? 2_000);
const RUNS = (process.env['BENCH_RUNS'] ?? 'quiet,killed').split(',');
const WANTED_SECONDS = 120;
const SHARES_AT_KILLS = [0.02, 0.15, 0.3, 0.45, 0.6, 0.75, 0.85];

const NO_KILLS: KillPlan = { shares: [], files: [] };
const TEN_KILLS: KillPlan = {
  shares: SHARES_AT_KILLS.map((part) => Math.floor(part * DEVELOPERS)),
  files: [
    { method: 'ach', step: 'write', postgres: 'ends' },
    { method: 'swift', step: 'write', postgres: 'undoes' },
    { method: 'upi', step: 'settle', postgres: 'ends' },
  ],
};

async function main(): Promise<void> {
  if (RUNS.includes('quiet')) {
    const seconds = await payMonday('undisturbed', NO_KILLS);
    console.log(`  wanted: at most ${WANTED_SECONDS} s`);
    if (seconds > WANTED_SECONDS) process.exitCode = 1;
  }
  if (RUNS.includes('killed')) await payMonday('the worker killed 10 times', TEN_KILLS);
}

/** Pays one Monday on its own stack; returns the seconds that it took. */
async function payMonday(name: string, plan: KillPlan): Promise<number> {
  const stack = await startProcessStack({ warm: true });
  try {
    const place = {
      owner: stack.owner,
      appUrl: stack.environment()['DATABASE_URL'] ?? '',
      cipher: stack.container.cipher,
    };
    const preparedAt = performance.now();
    const crowd = await makeCrowd(place, DEVELOPERS, [MONDAY]);
    console.log(`${DEVELOPERS} developers made in ${secondsSince(preparedAt).toFixed(1)} s`);
    const worker = await stack.addProcess('worker', { env: { LOG_LEVEL: 'warn' } });
    const cpu = createCpu(stack, worker);
    const kill = await planKills(stack, worker, plan, cpu.keepWorker);
    const run = await catchUp(stack, crowd.mondays);
    cpu.begin();
    await kill();
    const [result] = await run.results;
    const seconds = secondsSince(run.askedAt);
    console.log(
      `${name}: ${result?.reserved} shares and ${result?.files.length} files in ${seconds.toFixed(1)} s; ${cpu.text()}`,
    );
    const provenAt = performance.now();
    report(await proveMondays(stack, crowd));
    console.log(`  proven in ${secondsSince(provenAt).toFixed(1)} s`);
    await run.close();
    return seconds;
  } finally {
    await stack.stop();
  }
}

/** CPU time of each process since `begin`, including killed workers. */
function createCpu(stack: ProcessStack, worker: ServiceProcess) {
  const spent = () => ({
    postgres: cpuSeconds([stack.postgres.pid]),
    temporal: cpuSeconds([stack.temporal.pid]),
    worker: cpuSeconds([worker.pid]),
  });
  let before = spent();
  let ofTheDead = 0;
  return {
    begin() {
      before = spent();
    },
    keepWorker() {
      ofTheDead += cpuSeconds([worker.pid]);
    },
    text() {
      const now = spent();
      const of = (part: keyof typeof now) => (now[part] - before[part]).toFixed(1);
      const ofWorker = (now.worker + ofTheDead - before.worker).toFixed(1);
      return `CPU postgres ${of('postgres')} s, temporal ${of('temporal')} s, worker ${ofWorker} s`;
    },
  };
}

function report({ problems, files, paid, rolledOver, remainderUnits }: MondaysProof): void {
  console.log(
    `  ${paid} paid, ${rolledOver} rolled over, ${remainderUnits} units given back for the next Monday`,
  );
  for (const { fileId, payouts, totalMinor, currency, units } of files) {
    const amount = `${(totalMinor / 100).toFixed(2)} ${currency}`;
    console.log(
      `  ${fileId}: ${payouts} payouts, ${amount}, ledger ${units / 100} credits, the same when written again`,
    );
  }
  console.log(
    `  each lot in one payout, files, remainders, ledger check: ${problems.length || 'no'} problems`,
  );
  for (const problem of problems.slice(0, 20)) console.log(`    ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

function secondsSince(at: number): number {
  return (performance.now() - at) / 1_000;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
