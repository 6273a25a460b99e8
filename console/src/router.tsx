import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { NotFoundPage } from './pages/not-found';
import { RootLayout } from './pages/root-layout';
import { SearchPage } from './pages/search';
import { readFor } from './reads';

const root = createRootRoute({ component: RootLayout, notFoundComponent: NotFoundPage });

export interface Search {
  q?: string;
  category?: string;
  badge?: string;
  sort?: string;
  max_price?: number;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const search = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: SearchPage,
  validateSearch: (input: Record<string, unknown>): Search => {
    const price = Number(input['max_price']);
    const values = {
      q: text(input['q']),
      category: text(input['category']),
      badge: text(input['badge']),
      sort: text(input['sort']),
      max_price: Number.isFinite(price) && price > 0 ? price : undefined,
    };
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  },
});

type Loader = Parameters<typeof lazyRouteComponent>[0];
/** A page whose code is loaded when it is visited, and what it reads first at the same time. */
function page<P extends string>(path: P, load: Loader, name: string) {
  const loader = ({ params }: { params: Record<string, string> }) => readFor(path, params);
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name), loader });
}

const routes = [
  search,
  page('/agents/$agentId', () => import('./pages/agent'), 'AgentPage'),
  page('/agents/$agentId/try', () => import('./pages/try-agent'), 'TryAgentPage'),
  page('/login', () => import('./pages/login'), 'LoginPage'),
  page('/signup', () => import('./pages/signup'), 'SignupPage'),
  page('/enter', () => import('./pages/enter'), 'EnterPage'),
  page('/calls', () => import('./pages/calls'), 'CallsPage'),
  page('/calls/$invocationId', () => import('./pages/call'), 'CallPage'),
  page('/wallet', () => import('./pages/wallet'), 'WalletPage'),
  page('/keys', () => import('./pages/keys'), 'KeysPage'),
  page('/disputes', () => import('./pages/disputes'), 'DisputesPage'),
  page('/disputes/$disputeId', () => import('./pages/dispute'), 'DisputePage'),
  page('/webhooks', () => import('./pages/webhooks'), 'WebhooksPage'),
  page('/webhooks/$webhookId', () => import('./pages/webhook'), 'WebhookPage'),
  page('/account', () => import('./pages/account'), 'AccountPage'),
  page('/developer', () => import('./pages/developer'), 'DeveloperPage'),
  page('/developer/agents', () => import('./pages/own-agents'), 'OwnAgentsPage'),
  page('/developer/agents/$agentId', () => import('./pages/own-agent'), 'OwnAgentPage'),
  page('/developer/agents/$agentId/versions/$version', () => import('./pages/own-version'), 'OwnVersionPage'),
  page('/developer/agents/$agentId/calls', () => import('./pages/own-agent-calls'), 'OwnAgentCallsPage'),
  page('/developer/publish', () => import('./pages/publish'), 'PublishPage'),
  page('/developer/payouts/$payoutId', () => import('./pages/payout'), 'PayoutPage'),
  page('/developer/slashes/$slashId', () => import('./pages/slash'), 'SlashPage'),
  page('/developer/earnings', () => import('./pages/earnings'), 'EarningsPage'),
  page('/operator', () => import('./pages/operator'), 'OperatorPage'),
  page('/operator/accounts/$userId', () => import('./pages/operator-account'), 'OperatorAccountPage'),
  page('/operator/calls/$invocationId', () => import('./pages/operator-call'), 'OperatorCallPage'),
  page('/operator/agents/$agentId', () => import('./pages/operator-agent'), 'OperatorAgentPage'),
  page('/operator/payments', () => import('./pages/operator-payments'), 'OperatorPaymentsPage'),
  page('/operator/payouts', () => import('./pages/operator-lists'), 'OperatorPayoutsPage'),
  page('/operator/ledger', () => import('./pages/operator-lists'), 'OperatorLedgerPage'),
  page('/operator/audit', () => import('./pages/operator-lists'), 'OperatorAuditPage'),
  page('/platform', () => import('./pages/platform'), 'PlatformPage'),
  page('/developer/bond', () => import('./pages/bond'), 'BondPage'),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([...routes]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});
