import type { BindRoutes } from './binding/route';
import { a2aRoutes, type A2aRouteDeps } from './routes/a2a';
import { accountSecurityRoutes, type AccountSecurityRouteDeps } from './routes/account-security';
import { accountRoutes, type AccountRoutesDeps } from './routes/accounts';
import { aiCatalogRoutes, type AiCatalogRouteDeps } from './routes/ai-catalog';
import { billingRoutes, type BillingRoutesDeps } from './routes/billing';
import { bondRoutes, type BondRouteDeps } from './routes/bonds';
import { contestRoutes, type ContestRouteDeps } from './routes/contests';
import { disputeRoutes, type DisputeRouteDeps } from './routes/disputes';
import { callbackRoutes, type CallbackRouteDeps } from './routes/callbacks';
import { chatRoutes, type ChatRouteDeps } from './routes/chat';
import { completionRoutes, type CompletionRouteDeps } from './routes/completions';
import { x402Routes, type X402RouteDeps } from './routes/x402';
import { exchangeRateRoutes, type ExchangeRateRouteDeps } from './routes/exchange-rates';
import { reviewRoutes, type ReviewRouteDeps } from './routes/reviews';
import { evidenceRoutes, type EvidenceRouteDeps } from './routes/evidence';
import { favouriteRoutes, type FavouriteRouteDeps } from './routes/favourites';
import { organisationSpendingRoutes } from './routes/organisation-spending';
import { organisationRoutes, type OrganisationRouteDeps } from './routes/organisations';
import { healthRoutes, type HealthRoutesDeps } from './routes/health';
import { identityProviderRoutes, type IdentityProviderRouteDeps } from './routes/identity-providers';
import { singleSignOnRoutes, type SingleSignOnRouteDeps } from './routes/single-sign-on';
import { invocationInputRoutes, type InvocationInputRouteDeps } from './routes/invocation-input';
import { invocationRoutes, type InvocationRouteDeps } from './routes/invocations';
import { leavingRoutes, type LeavingRouteDeps } from './routes/leaving';
import { keptBodyRoutes, type KeptBodyRouteDeps } from './routes/kept-bodies';
import { keyRoutes, type KeyRoutesDeps } from './routes/keys';
import { quoteRoutes, type QuoteRouteDeps } from './routes/quotes';
import { listingRoutes, type ListingRouteDeps } from './routes/listings';
import { marketplaceRoutes, type MarketplaceRouteDeps } from './routes/marketplace';
import { marketLogRoutes, type MarketLogRouteDeps } from './routes/market-log';
import { mcpRoutes, type McpRouteDeps } from './routes/mcp';
import { mcpRegistryRoutes, type McpRegistryRouteDeps } from './routes/mcp-registry';
import { accessRequestRoutes, type AccessRequestRouteDeps } from './routes/access-requests';
import { accountNoticeRoutes, type AccountNoticeRouteDeps } from './routes/account-notices';
import { noticeRoutes, type NoticeRouteDeps } from './routes/notices';
import { mandateRoutes, type MandateRouteDeps } from './routes/mandates';
import { oauthRoutes, type OauthRouteDeps } from './routes/oauth';
import { operatorOverviewRoutes, type OperatorOverviewRouteDeps } from './routes/operator-overview';
import { operatorRoutes, type OperatorRouteDeps } from './routes/operators';
import { paymentRoutes, type PaymentRouteDeps } from './routes/payments';
import { operatorPayoutRoutes, type OperatorPayoutRouteDeps } from './routes/operator-payouts';
import { payoutRoutes, type PayoutRouteDeps } from './routes/payouts';
import { publishingRoutes, type PublishingRouteDeps } from './routes/publishing';
import { registrationRoutes, type RegistrationRouteDeps } from './routes/registrations';
import { rubricRoutes, type RubricRouteDeps } from './routes/rubrics';
import { sitemapRoutes, type SitemapRouteDeps } from './routes/sitemaps';
import { statusRoutes, type StatusRouteDeps } from './routes/status';
import { toolListRoutes, type ToolListRouteDeps } from './routes/tool-lists';
import { trustRoutes, type TrustRouteDeps } from './routes/trust';
import { slashRoutes, type SlashRouteDeps } from './routes/slashes';
import { useRoutes, type UseRouteDeps } from './routes/use';
import { autoTopupRoutes, type AutoTopupRouteDeps } from './routes/auto-topups';
import { budgetRoutes, type BudgetRouteDeps } from './routes/budgets';
import { invoiceRoutes, type InvoiceRouteDeps } from './routes/invoices';
import { spendRoutes, type SpendRouteDeps } from './routes/spend';
import { usageRoutes, type UsageRouteDeps } from './routes/usage';
import { eventRoutes, type EventRouteDeps } from './routes/events';
import { visibilityRoutes, type VisibilityRouteDeps } from './routes/visibility';
import { webhookRoutes, type WebhookRouteDeps } from './routes/webhooks';

/** The dependencies of all routes. `api/main.ts` passes them to `createApp`. */
export type AllRoutesDeps = HealthRoutesDeps &
  StatusRouteDeps &
  MarketplaceRouteDeps &
  AccountRoutesDeps &
  AccountSecurityRouteDeps &
  KeyRoutesDeps &
  FavouriteRouteDeps &
  IdentityProviderRouteDeps &
  SingleSignOnRouteDeps &
  OrganisationRouteDeps &
  BillingRoutesDeps &
  DisputeRouteDeps &
  BondRouteDeps &
  SlashRouteDeps &
  PaymentRouteDeps &
  OperatorRouteDeps &
  OperatorOverviewRouteDeps &
  InvocationInputRouteDeps &
  InvocationRouteDeps &
  QuoteRouteDeps &
  CallbackRouteDeps &
  KeptBodyRouteDeps &
  LeavingRouteDeps &
  MandateRouteDeps &
  EvidenceRouteDeps &
  ReviewRouteDeps &
  MarketLogRouteDeps &
  UseRouteDeps &
  UsageRouteDeps &
  InvoiceRouteDeps &
  SpendRouteDeps &
  BudgetRouteDeps &
  AutoTopupRouteDeps &
  ChatRouteDeps &
  CompletionRouteDeps &
  ListingRouteDeps &
  TrustRouteDeps &
  ToolListRouteDeps &
  ContestRouteDeps &
  RubricRouteDeps &
  McpRouteDeps &
  McpRegistryRouteDeps &
  AiCatalogRouteDeps &
  SitemapRouteDeps &
  OauthRouteDeps &
  A2aRouteDeps &
  NoticeRouteDeps &
  AccountNoticeRouteDeps &
  WebhookRouteDeps &
  EventRouteDeps &
  PayoutRouteDeps &
  OperatorPayoutRouteDeps &
  ExchangeRateRouteDeps &
  X402RouteDeps &
  PublishingRouteDeps &
  VisibilityRouteDeps &
  AccessRequestRouteDeps &
  RegistrationRouteDeps;

/** All route files of the API. */
export const allRoutes: readonly BindRoutes<AllRoutesDeps>[] = [
  healthRoutes,
  statusRoutes,
  marketplaceRoutes,
  accountRoutes,
  accountSecurityRoutes,
  keyRoutes,
  favouriteRoutes,
  identityProviderRoutes,
  singleSignOnRoutes,
  organisationRoutes,
  organisationSpendingRoutes,
  billingRoutes,
  disputeRoutes,
  bondRoutes,
  slashRoutes,
  paymentRoutes,
  operatorRoutes,
  operatorOverviewRoutes,
  invocationInputRoutes,
  invocationRoutes,
  quoteRoutes,
  callbackRoutes,
  keptBodyRoutes,
  leavingRoutes,
  mandateRoutes,
  evidenceRoutes,
  reviewRoutes,
  marketLogRoutes,
  useRoutes,
  usageRoutes,
  invoiceRoutes,
  spendRoutes,
  budgetRoutes,
  autoTopupRoutes,
  chatRoutes,
  completionRoutes,
  listingRoutes,
  trustRoutes,
  toolListRoutes,
  contestRoutes,
  rubricRoutes,
  mcpRoutes,
  mcpRegistryRoutes,
  aiCatalogRoutes,
  sitemapRoutes,
  oauthRoutes,
  a2aRoutes,
  payoutRoutes,
  operatorPayoutRoutes,
  exchangeRateRoutes,
  x402Routes,
  publishingRoutes,
  visibilityRoutes,
  accessRequestRoutes,
  registrationRoutes,
  noticeRoutes,
  accountNoticeRoutes,
  webhookRoutes,
  eventRoutes,
];
