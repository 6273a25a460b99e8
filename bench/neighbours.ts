/**
 * `npm run bench:neighbours`: a victim makes calls, logs in, publishes and receives webhooks, alone and then under an
 * attack from other accounts and addresses, for each attack of docs/threats.md ("Availability") and for all of them.
 * Prints p50, p95 and p99 of each kind of work and their quotients, and what the attackers sent. Fails if an attack
 * costs the victim more than it may. `BENCH_ATTACKS` names some attacks, separated by commas, or is `all`: all
 * together, without the single ones; `BENCH_SECONDS` is the length of a phase (default 5), and `BENCH_ROUNDS` how
 * often quiet and attack alternate (default 2); `BENCH_WHERE=1` prints where processor time went (`threads`: for each
 * thread of the API process); `BENCH_PROFILE` is a folder for CPU profiles of the API process and its threads.
 */
import { startProcessStack } from '../test/support/stack/process-stack';
import { breachesOf, lineOf, measureNeighbours, pressureLines } from './neighbours/measure-neighbours';
import { shareLines } from './neighbours/processor';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 2);
const PROFILE = process.env['BENCH_PROFILE'];
const WHERE = Boolean(process.env['BENCH_WHERE']);
const TOGETHER = process.env['BENCH_ATTACKS'] === 'all';
const ATTACKS = TOGETHER ? undefined : process.env['BENCH_ATTACKS']?.split(',');

/** The limits of production, which the test environment lifts. */
const PRODUCTION = {
  RATE_LIMIT_PER_ACCOUNT: '1200',
  RATE_LIMIT_INVOCATIONS: '600',
  RATE_LIMIT_PER_KEY: '1200',
  RATE_LIMIT_KEY_INVOCATIONS: '600',
  RATE_LIMIT_PER_ADDRESS: '120',
  LOGIN_FAILURES: '10',
  CONNECTIONS_PER_ADDRESS: '256',
  EVENT_STREAMS_PER_ACCOUNT: '10',
  REFUSALS_BEFORE_LINE: '20',
};

async function main(): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  try {
    const env = { LOG_LEVEL: 'warn', ...PRODUCTION };
    const profiled = PROFILE && {
      command: [process.execPath, '--cpu-prof', `--cpu-prof-dir=${PROFILE}`, 'dist/api/main.js'],
    };
    const api = await stack.addProcess('api', { env, ...profiled });
    const worker = await stack.addProcess('worker', { env });
    const place = { url: api.url, owner: stack.owner, container: stack.container };
    console.log(
      `${ROUNDS} times ${SECONDS} s for each phase; for each kind of work p50, p95, p99 in ms, alone→under attack ×quotient:`,
    );
    const measured = await measureNeighbours(place, {
      quietMs: SECONDS * 1_000,
      attackMs: TOGETHER ? 0 : SECONDS * 1_000,
      allMs: SECONDS * 1_500,
      rounds: ROUNDS,
      ...(ATTACKS && { attacks: ATTACKS }),
      processes: {
        API: api.pid,
        worker: worker.pid,
        Postgres: stack.postgres.pid,
        Temporal: stack.temporal.pid,
      },
      onPhase: (row) => {
        console.log(lineOf(row));
        console.log(pressureLines(row).join('\n'));
        if (WHERE) console.log(shareLines(row.shares.alone, row.shares.under).join('\n'));
      },
    });
    const breaches = measured.flatMap((row) => breachesOf(row));
    console.log(
      breaches.length === 0 ? 'all within the limits' : `outside the limits:\n  ${breaches.join('\n  ')}`,
    );
    if (breaches.length > 0) process.exitCode = 1;
  } finally {
    await stack.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
