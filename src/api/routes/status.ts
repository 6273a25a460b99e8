import { getStatus } from '../../contract/status';
import type { ServiceStatus } from '../../services/operations/service-status';
import { Answer } from '../answers/answer';
import type { RouteBinder } from '../binding/route';

export interface StatusRouteDeps {
  serviceStatus: ServiceStatus;
}

const CACHE = 'public, max-age=10';

/** GET /v1/status. */
export function statusRoutes(binder: RouteBinder, { serviceStatus }: StatusRouteDeps): void {
  binder.bind(getStatus, async () => {
    const { asOf, parts } = await serviceStatus.read();
    const status = parts.every(({ works }) => works) ? ('operational' as const) : ('disrupted' as const);
    return new Answer({ status, as_of: asOf.toISOString(), parts }, { headers: { 'Cache-Control': CACHE } });
  });
}
