import { health, openapi, readiness } from '../../contract/health';
import { openapiDocument } from '../../contract/openapi';
import { httpStatus } from '../answers/http-status';
import { Answer, type RouteBinder } from '../binding/route';

export interface HealthRoutesDeps {
  version: string;
  /** The checks run concurrently. A check that throws or takes longer than a second has failed. */
  checks: Record<'postgres' | 'temporal' | 'worker', () => Promise<unknown>>;
}

const CHECK_TIMEOUT_MS = 1_000;

export function healthRoutes(binder: RouteBinder, { version, checks }: HealthRoutesDeps): void {
  binder.bind(health, async () => ({ status: 'ok', version }));

  binder.bind(readiness, async () => {
    const [postgres, temporal, worker] = (await Promise.all(
      [checks.postgres, checks.temporal, checks.worker].map(stateOf),
    )) as ['ok' | 'failed', 'ok' | 'failed', 'ok' | 'failed'];
    const ready = postgres === 'ok' && temporal === 'ok' && worker === 'ok';
    const body = {
      status: ready ? ('ready' as const) : ('not_ready' as const),
      checks: { postgres, temporal, worker },
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'failed'>((resolve) => {
    timer = setTimeout(() => resolve('failed'), CHECK_TIMEOUT_MS);
  });
  const result = (async () => check())().then(
    () => 'ok' as const,
    () => 'failed' as const,
  );
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}
