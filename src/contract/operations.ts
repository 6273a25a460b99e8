import { a2aOperations } from './a2a';
import { agentRegistrationOperations } from './agent-registration';
import { aiCatalogOperations } from './ai-catalog';
import { accessRequestOperations } from './access-requests';
import { accountSecurityOperations } from './account-security';
import { accountOperations } from './accounts';
import { accountNoticeOperations } from './account-notices';
import { autoTopupOperations } from './auto-topups';
import { billingOperations } from './billing';
import { billingDetailsOperations } from './billing-details';
import { invoiceOperations } from './invoices';
import { statementOperations } from './statements';
import { taxSettingsOperations } from './tax-settings';
import { bondOperations } from './bonds';
import { contestOperations } from './contests';
import { disputeOfferOperations } from './dispute-offer-operations';
import { disputeOperations } from './disputes';
import { callbackOperations } from './callbacks';
import { chatOperations } from './chat';
import { completionOperations } from './completions';
import { exchangeRateOperations } from './exchange-rates';
import { operatorX402Operations } from './operator-x402';
import { x402Operations } from './x402';
import { evidenceOperations } from './evidence';
import { reviewOperations } from './reviews';
import { favouriteOperations } from './favourites';
import { organisationMemberOperations } from './organisation-members';
import { organisationSpendingOperations } from './organisation-spending';
import { organisationOperations } from './organisations';
import { leavingOperations } from './leaving';
import { identityProviderOperations } from './identity-providers';
import { healthOperations } from './health';
import { invocationInputOperations } from './invocation-input';
import { invocationOperations } from './invocations';
import { jobPieceOperations } from './job-pieces';
import { keptBodyOperations } from './kept-bodies';
import { keyOperations } from './keys';
import { listingOperations } from './listings';
import { quoteOperations } from './quotes';
import { marketLogOperations } from './market-log';
import { mcpOperations } from './mcp';
import { mcpRegistryOperations } from './mcp-registry';
import { noticeOperations } from './notices';
import { mandateOperations } from './mandates';
import { oauthOperations } from './oauth';
import type { Operation } from './operation';
import { operatorAccountOperations } from './operator-accounts';
import { operatorListOperations } from './operator-lists';
import { operatorOverviewOperations } from './operator-overview';
import { operatorOperations } from './operators';
import { getOwnScore } from './own-score';
import { paymentOperations } from './payments';
import { marketplaceOperations } from './marketplace';
import { operatorPayoutOperations } from './operator-payouts';
import { payoutStatementOperations } from './payout-statements';
import { payoutOperations } from './payouts';
import { publishingOperations } from './publishing';
import { registrationOperations } from './registrations';
import { rubricOperations } from './rubrics';
import { toolListOperations } from './tool-lists';
import { trustOperations } from './trust';
import { listSharedAgents } from './shared-agents';
import { singleSignOnOperations } from './single-sign-on';
import { sitemapOperations } from './sitemaps';
import { slashOperations } from './slashes';
import { budgetOperations } from './budgets';
import { spendOperations } from './spend';
import { useOperations } from './use';
import { topupOperations } from './topups';
import { usageOperations } from './usage';
import { webhookOperations } from './webhooks';
import { eventOperations } from './events';

/**
 * All operations of the API. Serving, validation, documentation and tests all derive from this list. Each resource
 * declares its operations beside its schemas.
 */
export const operations: readonly Operation[] = [
  ...healthOperations,
  ...marketplaceOperations,
  ...accountOperations,
  ...accountSecurityOperations,
  ...singleSignOnOperations,
  ...keyOperations,
  ...favouriteOperations,
  ...identityProviderOperations,
  ...organisationOperations,
  ...organisationMemberOperations,
  ...organisationSpendingOperations,
  ...leavingOperations,
  ...accountNoticeOperations,
  ...billingOperations,
  ...topupOperations,
  ...billingDetailsOperations,
  ...invoiceOperations,
  ...statementOperations,
  ...autoTopupOperations,
  ...spendOperations,
  ...budgetOperations,
  ...disputeOperations,
  ...disputeOfferOperations,
  ...bondOperations,
  ...slashOperations,
  ...paymentOperations,
  ...operatorOperations,
  ...operatorAccountOperations,
  ...taxSettingsOperations,
  ...operatorListOperations,
  ...operatorOverviewOperations,
  ...payoutOperations,
  ...payoutStatementOperations,
  ...operatorPayoutOperations,
  ...exchangeRateOperations,
  ...x402Operations,
  ...operatorX402Operations,
  ...publishingOperations,
  ...registrationOperations,
  ...noticeOperations,
  ...listingOperations,
  listSharedAgents,
  ...accessRequestOperations,
  ...trustOperations,
  ...toolListOperations,
  getOwnScore,
  ...contestOperations,
  ...reviewOperations,
  ...rubricOperations,
  ...quoteOperations,
  ...invocationOperations,
  ...invocationInputOperations,
  ...callbackOperations,
  ...jobPieceOperations,
  ...keptBodyOperations,
  ...mandateOperations,
  ...evidenceOperations,
  ...marketLogOperations,
  ...useOperations,
  ...usageOperations,
  ...chatOperations,
  ...completionOperations,
  ...mcpOperations,
  ...mcpRegistryOperations,
  ...aiCatalogOperations,
  ...agentRegistrationOperations,
  ...sitemapOperations,
  ...oauthOperations,
  ...a2aOperations,
  ...webhookOperations,
  ...eventOperations,
];
