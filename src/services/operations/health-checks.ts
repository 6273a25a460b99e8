import type { Checks, CheckState } from '../../domain/service-status';
import { withTimeout } from '../../kit/with-timeout';
import type { LoopReports, WorkerReport } from './loop-reports';

export interface HealthCheckDeps {
  /** The checks run concurrently. A check that throws or takes longer than a second has failed. */
  checks: Record<'postgres' | 'temporal' | 'worker', () => Promise<unknown>>;
  /** What workers reported last. */
  workers: LoopReports['workers'];
}

export interface Health {
  checks: Checks;
  /** Loops of the workers that report, in order. */
  failingLoops: string[];
  /** Empty while Postgres does not answer. */
  workers: readonly WorkerReport[];
}

const CHECK_TIMEOUT_MS = 1_000;

/**
 * Reads the state of each part. A worker works if Temporal has seen its polls and a worker has reported in the last 15
 * s; its loops work if no worker that reports names one. A frozen worker fails both.
 */
export async function readHealth({ checks, workers: readWorkers }: HealthCheckDeps): Promise<Health> {
  const [postgres, temporal, polled, workers = []] = await Promise.all([
    stateOf(checks.postgres),
    stateOf(checks.temporal),
    stateOf(checks.worker),
    within(readWorkers),
  ]);
  const alive = workers.filter(({ isAlive }) => isAlive);
  const failingLoops = [...new Set(alive.flatMap(({ failing }) => failing))].sort();
  const worker = polled === 'ok' && alive.length > 0 ? 'ok' : 'failed';
  const loops = alive.length > 0 && failingLoops.length === 0 ? 'ok' : 'failed';
  return { checks: { postgres, temporal, worker, loops }, failingLoops, workers };
}

async function stateOf(check: () => Promise<unknown>): Promise<CheckState> {
  return (
    (await within(async () => {
      await check();
      return 'ok' as const;
    })) ?? 'failed'
  );
}

/** What a check returns; undefined if it throws or takes too long. */
async function within<T>(check: () => Promise<T>): Promise<T | undefined> {
  const result = (async () => check())().catch(() => undefined);
  return withTimeout(CHECK_TIMEOUT_MS, result, () => undefined);
}
