/** The pages that are loaded when they are visited. */
type Loader = () => Promise<Record<string, unknown>>;

interface PageEntry {
  path: string;
  load: Loader;
  /** The name under which its module exports it. */
  name: string;
}

const page = (path: string, load: Loader, name: string): PageEntry => ({ path, load, name });

export const PAGES: readonly PageEntry[] = [
  page('/agents/$agentId', () => import('./pages/agent'), 'AgentPage'),
  page('/agents/$agentId/try', () => import('./pages/try-agent'), 'TryAgentPage'),
  page('/compare', () => import('./pages/compare'), 'ComparePage'),
  page('/favourites', () => import('./pages/favourites'), 'FavouritesPage'),
  page('/developers/$developerId', () => import('./pages/public-developer'), 'PublicDeveloperPage'),
  page('/login', () => import('./pages/login'), 'LoginPage'),
  page('/signup', () => import('./pages/signup'), 'SignupPage'),
  page('/welcome', () => import('./pages/welcome'), 'WelcomePage'),
  page('/confirm-email', () => import('./pages/confirm-email'), 'ConfirmEmailPage'),
  page('/confirm-deletion', () => import('./pages/confirm-deletion'), 'ConfirmDeletionPage'),
  page('/invitation', () => import('./pages/invitation'), 'InvitationPage'),
  page('/forgot-password', () => import('./pages/forgot-password'), 'ForgotPasswordPage'),
  page('/reset-password', () => import('./pages/reset-password'), 'ResetPasswordPage'),
  page('/enter', () => import('./pages/enter'), 'EnterPage'),
  page('/calls', () => import('./pages/calls'), 'CallsPage'),
  page('/calls/$invocationId', () => import('./pages/call'), 'CallPage'),
  page('/wallet', () => import('./pages/wallet'), 'WalletPage'),
  page('/keys', () => import('./pages/keys'), 'KeysPage'),
  page('/disputes', () => import('./pages/disputes'), 'DisputesPage'),
  page('/disputes/$disputeId', () => import('./pages/dispute'), 'DisputePage'),
  page('/webhooks', () => import('./pages/webhooks'), 'WebhooksPage'),
  page('/webhooks/$webhookId', () => import('./pages/webhook'), 'WebhookPage'),
  page('/notices', () => import('./pages/notices'), 'NoticesPage'),
  page('/organisations', () => import('./pages/organisations'), 'OrganisationsPage'),
  page('/organisations/$orgId', () => import('./pages/organisation'), 'OrganisationPage'),
  page('/access', () => import('./pages/access'), 'AccessPage'),
  page('/account', () => import('./pages/account'), 'AccountPage'),
  page('/developer', () => import('./pages/developer'), 'DeveloperPage'),
  page('/developer/agents', () => import('./pages/own-agents'), 'OwnAgentsPage'),
  page('/developer/agents/$agentId', () => import('./pages/own-agent'), 'OwnAgentPage'),
  page('/developer/agents/$agentId/versions/$version', () => import('./pages/own-version'), 'OwnVersionPage'),
  page('/developer/agents/$agentId/calls', () => import('./pages/own-agent-calls'), 'OwnAgentCallsPage'),
  page('/developer/agents/$agentId/edit', () => import('./pages/edit-agent'), 'EditAgentPage'),
  page('/developer/agents/$agentId/preview', () => import('./pages/preview-agent'), 'PreviewAgentPage'),
  page('/developer/register', () => import('./pages/register-agent'), 'RegisterAgentPage'),
  page('/developer/publish', () => import('./pages/publish'), 'PublishPage'),
  page('/developer/payouts/$payoutId', () => import('./pages/payout'), 'PayoutPage'),
  page('/developer/slashes/$slashId', () => import('./pages/slash'), 'SlashPage'),
  page('/developer/earnings', () => import('./pages/earnings'), 'EarningsPage'),
  page('/operator', () => import('./pages/operator'), 'OperatorPage'),
  page('/operator/accounts/$userId', () => import('./pages/operator-account'), 'OperatorAccountPage'),
  page('/operator/calls/$invocationId', () => import('./pages/operator-call'), 'OperatorCallPage'),
  page('/operator/agents/$agentId', () => import('./pages/operator-agent'), 'OperatorAgentPage'),
  page('/operator/figures', () => import('./pages/operator-figures'), 'OperatorFiguresPage'),
  page('/operator/accounts', () => import('./pages/operator-everything'), 'OperatorAccountsPage'),
  page('/operator/agents', () => import('./pages/operator-everything'), 'OperatorAgentsPage'),
  page('/operator/calls', () => import('./pages/operator-everything'), 'OperatorCallsPage'),
  page('/operator/disputes', () => import('./pages/operator-everything'), 'OperatorDisputesPage'),
  page('/operator/disputes/$disputeId', () => import('./pages/operator-dispute'), 'OperatorDisputePage'),
  page('/operator/slashes', () => import('./pages/operator-everything'), 'OperatorSlashesPage'),
  page('/operator/slashes/$slashId', () => import('./pages/operator-slash'), 'OperatorSlashPage'),
  page('/status', () => import('./pages/status'), 'StatusPage'),
  page('/operator/payments', () => import('./pages/operator-payments'), 'OperatorPaymentsPage'),
  page('/operator/payouts', () => import('./pages/operator-payouts'), 'OperatorPayoutsPage'),
  page('/operator/ledger', () => import('./pages/operator-lists'), 'OperatorLedgerPage'),
  page('/operator/audit', () => import('./pages/operator-lists'), 'OperatorAuditPage'),
  page('/platform', () => import('./pages/platform'), 'PlatformPage'),
  page('/developer/bond', () => import('./pages/bond'), 'BondPage'),
];
