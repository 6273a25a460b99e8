import { health, openapi, readiness } from '../../contract/health';
import { openapiDocument } from '../../contract/openapi';
import { httpStatus } from '../answers/http-status';
import { Answer } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { withTimeout } from '../../kit/with-timeout';

export interface HealthRoutesDeps {
  version: string;
  /** The checks run concurrently. A check that throws or takes longer than a second has failed. */
  checks: Record<'postgres' | 'temporal' | 'worker', () => Promise<unknown>>;
  /** Names the loops of workers that fail. An API process serves without them, so they are shown and change nothing. */
  failingLoops: () => Promise<readonly string[]>;
}

const CHECK_TIMEOUT_MS = 1_000;

export function healthRoutes(binder: RouteBinder, { version, checks, failingLoops }: HealthRoutesDeps): void {
  binder.bind(health, async () => ({ status: 'ok', version }));

  binder.bind(readiness, async () => {
    const [postgres, temporal, worker, loops] = await Promise.all([
      stateOf(checks.postgres),
      stateOf(checks.temporal),
      stateOf(checks.worker),
      within(failingLoops),
    ]);
    const ready = postgres === 'ok' && temporal === 'ok' && worker === 'ok';
    const body = {
      status: ready ? ('ready' as const) : ('not_ready' as const),
      checks: {
        postgres,
        temporal,
        worker,
        loops: loops?.length === 0 ? ('ok' as const) : ('failed' as const),
      },
      failing_loops: [...(loops ?? [])],
    };
    return new Answer(body, { status: ready ? 200 : 503 });
  });

  let document: Record<string, unknown> | undefined;
  binder.bind(
    openapi,
    async () => (document ??= openapiDocument(binder.operations, { version, statusOf: httpStatus })),
  );
}

async function stateOf(check: () => Promise<unknown>): Promise<'ok' | 'failed'> {
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
