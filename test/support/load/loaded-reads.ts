/** Read requests to a market with a long history, with the most rows that their statements may read. */
import { lowestIdAt } from '../../../src/kit/ids/ids';
import { LOADED_AGENT } from './loaded-rows';

/** Rows that one statement of a page reads at most. */
export const PAGE = 3_000;

export type Reader = 'buyer' | 'developer' | 'operator';

/** Who reads a path. */
export function readerOf(path: string, roles: readonly string[] | undefined): Reader {
  if (roles?.includes('operator')) return 'operator';
  return /developer|agents/.test(path) ? 'developer' : 'buyer';
}

/** The path with the ids of rows that exist, and ids that nothing has for the others. */
export function pathOf(path: string, ids: Record<string, string>): string {
  return path
    .replace('{invocation_id}/pieces', '{job_id}/pieces')
    .replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? `none_${'0'.repeat(32)}`);
}

/** Every list with what its statements read at most; `filters` are further queries of it. */
export const LISTS: Record<string, { mostRows?: number; filters?: string[]; filtered?: number }> = {
  listKeys: {},
  listFavourites: {},
  listExports: {},
  listOrganisations: {},
  listMembers: {},
  listInvitations: {},
  listOrganisationLog: {},
  listDeletions: { filters: ['status=requested'] },
  listJobPieces: {},
  listNotices: {},
  listSessions: {},
  listFreeCalls: {},
  // The newest line of each account that it shows.
  listLedger: { filters: ['entry_type=topup', 'since=2020-01-01'] },
  listInvoices: {},
  listInvoiceNotes: {},
  listBudgets: {},
  listPaymentMethods: {},
  listDeveloperTransactions: { mostRows: 6_000, filters: ['entry_type=payout'] },
  listDisputes: { filters: ['role=buyer', 'status=open'] },
  listOperatorDisputes: { filters: ['status=open'] },
  listDeveloperNotices: {},
  listSlashes: { filters: ['status=applied'] },
  listOperatorSlashes: { filters: ['status=applied'] },
  listOperatorPayments: { filters: ['state=quarantined'] },
  listOperatorReversals: { filters: ['owed=true'] },
  listX402Payments: {
    filters: ['state=held', `address=0x${'12'.repeat(20)}`, 'day=2026-11-02', 'state=expired&day=2026-11-02'],
  },
  listAccountMovements: {},
  listOperatorAccounts: { filters: ['role=operator', 'role=buyer', 'frozen=true'] },
  listAccountKeys: {},
  listOperatorCalls: {
    filters: ['status=failed', 'status=disputed', `agent_id=${LOADED_AGENT}`, 'agent_id=agt_none_v1'],
  },
  listOperatorAgents: { filters: ['status=suspended'] },
  listOperatorActions: { filters: ['action=fee.change'] },
  listLedgerDigests: {},
  getMarketLog: {},
  listPayouts: { filters: ['status=paid'] },
  listPayoutLines: {},
  listEarnings: {},
  listOperatorPayouts: { filters: ['status=paid', 'status=failed', 'monday=2026-11-02'] },
  listExchangeRates: {},
  listRateFetches: {},
  listOwnAgents: {},
  listAudience: {},
  listAccessRequests: { filters: ['state=pending'] },
  listWaitingAccessRequests: {},
  listOwnAccessRequests: {},
  listSharedAgents: {},
  listOwnVersions: {},
  listAgentCalls: { filters: ['status=failed', 'status=succeeded'] },
  listTaxForms: {},
  listAgentNotices: {},
  listListings: { filters: ['sort=popular', 'chat=true', 'q=loaded', 'q=laoded', 'developer_id=dev_none'] },
  listModels: {},
  listTrustReports: {},
  listToolChanges: {},
  listFindings: { filters: ['status=open'] },
  listAgentFindings: { filters: ['status=open'] },
  listContests: { filters: ['status=open'] },
  listWaivers: {},
  listReviews: {},
  listReviewFeedback: {},
  listReceivedReviews: {},
  listRubrics: {},
  listInvocations: {
    filters: [
      'status=failed',
      'status=disputed',
      `agent_id=${LOADED_AGENT}`,
      `key_id=key_${'0'.repeat(32)}`,
      'tag=project=none',
      'since=2020-01-01T00:00:00Z',
      'until=2020-01-01T00:00:00Z',
    ],
  },
  listMandateKeys: {},
  listOauthGrants: {},
  listMandates: {},
  listWebhooks: {},
  listWebhookDeliveries: { filters: ['status=failed', 'status=pending'], filtered: PAGE },
};
/**
 * Every other GET with what its statements read at most (default: `PAGE`); or why it is not measured. It is measured
 * also where the answer is an error, because the rows of a loaded market are no whole agents. The session takes up to
 * 300.
 */
export const READS: Record<string, number | string> = {
  health: 300,
  readiness: 1_000,
  openapi: 300,
  me: 300,
  // It counts unread notices up to 1,000.
  getWaiting: PAGE,
  getSecurity: 300,
  getMarketplace: 300,
  getModel: 300,
  getBalance: 1_000,
  getBillingDetails: 300,
  getTopUpQuote: 300,
  getAutoTopup: 300,
  getInvoicePdf: 300,
  getInvoiceXml: 300,
  getInvoiceNotePdf: 300,
  getInvoiceNoteXml: 300,
  getAccountStatement: PAGE,
  getAccountStatementCsv: PAGE,
  getAccountStatementPdf: PAGE,
  getTaxSettings: 300,
  downloadExport: 300,
  getOrganisation: 300,
  getMemberBudget: 300,
  getOrganisationRules: 300,
  getOrganisationLogCsv: 300,
  listIdentityProviders: 300,
  beginSso: 300,
  finishSso: 300,
  getDeletion: PAGE,
  getDeveloperBalance: PAGE,
  getDispute: 300,
  getPayerAccount: 300,
  getOperatorDispute: 300,
  getBond: 300,
  getAgentCall: 300,
  getKeeping: 300,
  getBalanceAlert: 300,
  getMailSettings: 300,
  getBodies: 300,
  getOwnScore: 1_000,
  getSales: 1_000,
  getSpend: 1_000,
  getSpendCsv: 1_000,
  getSlash: 300,
  getOperatorSlash: 300,
  getOperatorPayment: 300,
  getX402Payment: 300,
  getOperatorAgent: PAGE,
  getOperatorAccount: PAGE,
  lookUp: 1_000,
  getOperatorCall: 1_000,
  getStatus: 1_000,
  getPayoutWeek: PAGE,
  // It counts the calls in progress, like the metrics.
  getMarketFigures: 40_000,
  // It counts each queue up to 10,000, like the metrics.
  getPlatform: 40_000,
  getPayout: PAGE,
  getPayoutStatementCsv: PAGE,
  getPayoutStatementPdf: PAGE,
  getPayoutMethod: 300,
  getTaxForm: 300,
  getPayoutFile: 300,
  getOwnAgent: 1_000,
  previewAgent: 1_000,
  getOwnVersion: 1_000,
  getVisibility: 300,
  getRegistration: 1_000,
  listRegistryServers: PAGE,
  listRegistryVersions: 300,
  getRegistryServer: 300,
  getAiCatalog: PAGE,
  getAiCatalogPage: PAGE,
  getMarketRegistration: 300,
  getAgentRegistration: 1_000,
  getDidDocument: 300,
  getSitemap: PAGE,
  getPagesSitemap: 300,
  // Pages of 5,000 agents.
  getFirstAgentsSitemap: 5_300,
  getAgentsSitemap: 5_300,
  getListing: 1_000,
  getListingBySlug: 1_000,
  getListingFigures: 16_000,
  // It counts the newest 1,000 disputes of the developer.
  getDeveloper: PAGE,
  getTrustReport: 1_000,
  getAgentTools: 1_000,
  getBadge: 1_000,
  followListings: 'a stream: its timer is measured',
  getContest: 300,
  getReview: 300,
  getReviewSummary: 1_000,
  getRubric: 300,
  getInvocation: 300,
  getMandateJwks: 300,
  getMandate: 300,
  getJwks: 300,
  // The bucket of the owner's accounts has 1,024 owners.
  getBalanceProof: 16_000,
  getRequestKeys: 300,
  getUsage: PAGE,
  getAnalytics: PAGE,
  oauthServerMetadata: 300,
  openidConfiguration: 300,
  oauthKeys: 300,
  oauthResourceMetadata: 300,
  oauthA2aMetadata: 300,
  oauthMarketMetadata: 300,
  oauthAuthorize: 1_000,
  oauthDevice: 1_000,
  getAgentTermsSchema: 300,
  getAgentCard: 1_000,
  getAgentCardAtBase: 1_000,
  getAgentCardOfOldClients: 1_000,
  pollTask: 300,
  a2aListTasks: PAGE,
  a2aExtendedCard: 1_000,
  a2aSubscribe: 'a stream: its timer is measured',
  a2aListPush: 300,
  a2aGetPush: 300,
  getWebhook: 300,
  streamEvents: 'a stream: its timer is measured',
};

const DAY_MS = 86_400_000;

/** Further queries of some of them. */
export const QUERIES: Record<string, string> = {
  listRegistryServers: 'search=none&updated_since=2020-01-01T00:00:00Z',
  getTopUpQuote: 'amountPaise=1000&currency=EUR',
  lookUp: `q=${lowestIdAt('inv', Date.now() - DAY_MS)}`,
  getUsage: `since=${new Date(Date.now() - 30 * DAY_MS).toISOString()}`,
};

export const AGENT_IDS = { agent_id: LOADED_AGENT, version: '1.0.0' };
