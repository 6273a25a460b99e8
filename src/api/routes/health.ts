import { health, openapi, readiness } from '../../contract/health';
import { openapiDocument } from '../../contract/openapi';
import { httpStatus } from '../answers/http-status';
import { Answer } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { type HealthCheckDeps, readHealth } from '../../services/operations/health-checks';

export interface HealthRoutesDeps extends HealthCheckDeps {
  version: string;
}

export function healthRoutes(binder: RouteBinder, { version, ...deps }: HealthRoutesDeps): void {
  binder.bind(health, async () => ({ status: 'ok' as const, version }));

  binder.bind(readiness, async () => {
    const { checks, failingLoops, workers } = await readHealth(deps);
    const ready = checks.postgres === 'ok' && checks.temporal === 'ok' && checks.worker === 'ok';
    const body = {
      status: ready ? ('ready' as const) : ('not_ready' as const),
      checks,
      failing_loops: failingLoops,
      workers: {
        reporting: workers.filter(({ isAlive }) => isAlive).length,
        silent: workers.filter(({ isAlive }) => !isAlive).length,
        last_seen_at: workers[0]?.reportedAt.toISOString() ?? null,
      },
    };
    return new Answer(body, { status: ready ? 200 : 503 });
  });

  let document: Record<string, unknown> | undefined;
  binder.bind(
    openapi,
    async () => (document ??= openapiDocument(binder.operations, { version, statusOf: httpStatus })),
  );
}
