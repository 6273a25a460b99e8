import type { BindRoutes } from './route';
import { accountRoutes, type AccountRoutesDeps } from './routes/accounts';
import { billingRoutes, type BillingRoutesDeps } from './routes/billing';
import { disputeRoutes, type DisputeRouteDeps } from './routes/disputes';
import { chatRoutes, type ChatRouteDeps } from './routes/chat';
import { evidenceRoutes, type EvidenceRouteDeps } from './routes/evidence';
import { healthRoutes, type HealthRoutesDeps } from './routes/health';
import { invocationRoutes, type InvocationRouteDeps } from './routes/invocations';
import { keyRoutes, type KeyRoutesDeps } from './routes/keys';
import { listingRoutes, type ListingRouteDeps } from './routes/listings';
import { publishingRoutes, type PublishingRouteDeps } from './routes/publishing';
import { usageRoutes, type UsageRouteDeps } from './routes/usage';

/** What all routes together need; `api/main.ts` hands it to `createApp`. */
export type AllRoutesDeps = HealthRoutesDeps &
  AccountRoutesDeps &
  KeyRoutesDeps &
  BillingRoutesDeps &
  DisputeRouteDeps &
  InvocationRouteDeps &
  EvidenceRouteDeps &
  UsageRouteDeps &
  ChatRouteDeps &
  ListingRouteDeps &
  PublishingRouteDeps;

/** Every route file of the API, one line each. */
export const allRoutes: readonly BindRoutes<AllRoutesDeps>[] = [
  healthRoutes,
  accountRoutes,
  keyRoutes,
  billingRoutes,
  disputeRoutes,
  invocationRoutes,
  evidenceRoutes,
  usageRoutes,
  chatRoutes,
  listingRoutes,
  publishingRoutes,
];
