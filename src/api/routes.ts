import type { BindRoutes } from './route';
import { accountRoutes, type AccountRoutesDeps } from './routes/accounts';
import { healthRoutes, type HealthRoutesDeps } from './routes/health';

/** What all routes together need; `api/main.ts` hands it to `createApp`. */
export type AllRoutesDeps = HealthRoutesDeps & AccountRoutesDeps;

/** Every route file of the API, one line each. */
export const allRoutes: readonly BindRoutes<AllRoutesDeps>[] = [healthRoutes, accountRoutes];
