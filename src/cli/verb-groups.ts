import type { AddVerbs } from './command-line';
import type { ROLES } from './terminal/roles';

export interface VerbGroup {
  role: keyof typeof ROLES;
  /** The command words after `market` that the group adds or extends. */
  names: readonly string[];
  load: () => Promise<AddVerbs>;
  /** The verbs of the group read the whole program, so every group is loaded with it. */
  needsAll?: true;
}

/** The verbs that need no more than the API of a marketplace. The installable package has these. */
export const API_GROUPS: readonly VerbGroup[] = [
  {
    role: 'account',
    names: ['register'],
    load: async () => (await import('./verbs/register.js')).registerVerbs,
  },
  {
    role: 'account',
    names: ['login', 'logout', 'whoami'],
    load: async () => (await import('./verbs/account.js')).accountVerbs,
  },
  {
    role: 'account',
    names: ['security', 'email', 'password', 'sessions', 'totp'],
    load: async () => (await import('./verbs/account-security.js')).accountSecurityVerbs,
  },
  {
    role: 'account',
    names: ['api-keys'],
    load: async () => (await import('./verbs/api-keys.js')).apiKeyVerbs,
  },
  {
    role: 'account',
    names: ['keeping'],
    load: async () => (await import('./verbs/keeping.js')).keepingVerbs,
  },
  {
    role: 'account',
    names: ['account'],
    load: async () => (await import('./verbs/leaving.js')).leavingVerbs,
  },
  {
    role: 'account',
    names: ['orgs'],
    load: async () => (await import('./verbs/organisations.js')).organisationVerbs,
  },
  {
    role: 'account',
    names: ['time-zone'],
    load: async () => (await import('./verbs/time-zone.js')).timeZoneVerbs,
  },
  {
    role: 'account',
    names: ['grants'],
    load: async () => (await import('./verbs/grants.js')).grantVerbs,
  },
  {
    role: 'account',
    names: ['mandates'],
    load: async () => (await import('./verbs/mandates.js')).mandateVerbs,
  },
  {
    role: 'account',
    names: ['mandates'],
    load: async () => (await import('./verbs/mandate-keys.js')).mandateKeyVerbs,
  },
  { role: 'account', names: ['notices'], load: async () => (await import('./verbs/notices.js')).noticeVerbs },
  { role: 'buy', names: ['listings'], load: async () => (await import('./verbs/listings.js')).listingVerbs },
  {
    role: 'buy',
    names: ['favourites'],
    load: async () => (await import('./verbs/favourites.js')).favouriteVerbs,
  },
  { role: 'buy', names: ['reviews'], load: async () => (await import('./verbs/reviews.js')).reviewVerbs },
  { role: 'buy', names: ['trust'], load: async () => (await import('./verbs/trust.js')).trustVerbs },
  { role: 'buy', names: ['figures'], load: async () => (await import('./verbs/figures.js')).figureVerbs },
  { role: 'buy', names: ['invoke'], load: async () => (await import('./verbs/invoke.js')).invokeVerbs },
  { role: 'buy', names: ['quote'], load: async () => (await import('./verbs/quote.js')).quoteVerbs },
  { role: 'buy', names: ['chat'], load: async () => (await import('./verbs/chat.js')).chatVerbs },
  { role: 'buy', names: ['connect'], load: async () => (await import('./verbs/connect.js')).connectVerbs },
  { role: 'buy', names: ['balance'], load: async () => (await import('./verbs/balance.js')).balanceVerbs },
  { role: 'buy', names: ['budgets'], load: async () => (await import('./verbs/budgets.js')).budgetVerbs },
  { role: 'buy', names: ['spend'], load: async () => (await import('./verbs/spend.js')).spendVerbs },
  {
    role: 'buy',
    names: ['ledger'],
    load: async () => (await import('./verbs/ledger-entries.js')).ledgerEntryVerbs,
  },
  {
    role: 'buy',
    names: ['topup', 'invoices'],
    load: async () => (await import('./verbs/credits.js')).creditVerbs,
  },
  {
    role: 'buy',
    names: ['statements'],
    load: async () => (await import('./verbs/credits.js')).statementVerbs,
  },
  {
    role: 'buy',
    names: ['payment-methods', 'auto-topup'],
    load: async () => (await import('./verbs/auto-topup.js')).autoTopupVerbs,
  },
  {
    role: 'buy',
    names: ['proof', 'log'],
    load: async () => (await import('./verbs/proof.js')).proofVerbs,
  },
  { role: 'buy', names: ['billing'], load: async () => (await import('./verbs/billing.js')).billingVerbs },
  {
    role: 'buy',
    names: ['invocations'],
    load: async () => (await import('./verbs/invocations.js')).invocationVerbs,
  },
  { role: 'buy', names: ['disputes'], load: async () => (await import('./verbs/disputes.js')).disputeVerbs },
  {
    role: 'sell',
    names: ['pay-registration'],
    load: async () => (await import('./verbs/credits.js')).registrationFeeVerbs,
  },
  { role: 'sell', names: ['init'], load: async () => (await import('./verbs/init.js')).initVerbs },
  { role: 'sell', names: ['dev'], load: async () => (await import('./verbs/dev.js')).devVerbs },
  {
    role: 'sell',
    names: ['validate'],
    load: async () => (await import('./verbs/validate.js')).validateVerbs,
  },
  {
    role: 'sell',
    names: ['verify'],
    load: async () => (await import('./verbs/verify-folder.js')).folderVerbs,
  },
  { role: 'sell', names: ['publish'], load: async () => (await import('./verbs/publish.js')).publishVerbs },
  {
    role: 'sell',
    names: ['agents'],
    load: async () => (await import('./verbs/own-agents.js')).ownAgentVerbs,
  },
  {
    role: 'sell',
    names: ['agents'],
    load: async () => (await import('./verbs/own-versions.js')).ownVersionVerbs,
  },
  {
    role: 'sell',
    names: ['agents'],
    load: async () => (await import('./verbs/agent-visibility.js')).agentVisibilityVerbs,
  },
  {
    role: 'account',
    names: ['access'],
    load: async () => (await import('./verbs/agent-visibility.js')).accessVerbs,
  },
  {
    role: 'sell',
    names: ['agents'],
    load: async () => (await import('./verbs/registrations.js')).registrationVerbs,
  },
  {
    role: 'sell',
    names: ['findings', 'verification'],
    load: async () => (await import('./verbs/contests.js')).contestVerbs,
  },
  { role: 'sell', names: ['bond'], load: async () => (await import('./verbs/bond.js')).bondVerbs },
  { role: 'sell', names: ['slashes'], load: async () => (await import('./verbs/slashes.js')).slashVerbs },
  { role: 'sell', names: ['payouts'], load: async () => (await import('./verbs/payouts.js')).payoutVerbs },
  {
    role: 'sell',
    names: ['payout-method', 'tax-form'],
    load: async () => (await import('./verbs/payout-method.js')).payoutMethodVerbs,
  },
  { role: 'programs', names: ['api'], load: async () => (await import('./verbs/api.js')).apiVerbs },
  {
    role: 'programs',
    names: ['webhooks'],
    load: async () => (await import('./verbs/webhooks.js')).webhookVerbs,
  },
  {
    role: 'programs',
    names: ['webhooks'],
    load: async () => (await import('./verbs/listen.js')).listenVerbs,
  },
  { role: 'programs', names: ['logs'], load: async () => (await import('./verbs/logs.js')).logVerbs },
  { role: 'programs', names: ['tasks'], load: async () => (await import('./verbs/tasks.js')).taskVerbs },
  { role: 'programs', names: ['open'], load: async () => (await import('./verbs/open.js')).openVerbs },
  {
    role: 'programs',
    names: ['completion'],
    load: async () => (await import('./verbs/completion.js')).completionVerbs,
    needsAll: true,
  },
  {
    role: 'programs',
    names: ['complete'],
    load: async () => (await import('./verbs/complete.js')).completeVerbs,
  },
  {
    role: 'operate',
    names: ['operator'],
    load: async () => (await import('./verbs/operator.js')).operatorVerbs,
  },
  {
    role: 'operate',
    names: ['agents', 'wallets', 'operator'],
    load: async () => (await import('./verbs/standing.js')).standingVerbs,
  },
  {
    role: 'operate',
    names: ['payments', 'x402-payments'],
    load: async () => (await import('./verbs/payments.js')).paymentVerbs,
  },
  { role: 'operate', names: ['fx'], load: async () => (await import('./verbs/fx.js')).fxVerbs },
  { role: 'operate', names: ['tax'], load: async () => (await import('./verbs/tax.js')).taxVerbs },
];
