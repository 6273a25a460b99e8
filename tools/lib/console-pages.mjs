import { converterOf } from './console-examples.mjs';

/** The pages of the console with their pictures: name, path in the router, and the query of the address. */
const PAGES = {
  visitor: [
    ['search', '/'],
    ['agent', '/agents/$agentId'],
    ['agent-trust', '/agents/$agentId', '?tab=trust'],
    ['agent-code', '/agents/$agentId', '?tab=code'],
    ['agent-versions', '/agents/$agentId', '?tab=versions'],
    ['compare', '/compare', '?agents=$agentId,$converterId'],
    ['public-developer', '/developers/$developerId'],
    ['login', '/login'],
    ['signup', '/signup'],
    ['enter', '/enter'],
    ['forgot-password', '/forgot-password'],
    ['reset-password', '/reset-password'],
    ['confirm-email', '/confirm-email'],
    ['confirm-deletion', '/confirm-deletion'],
    ['invitation', '/invitation'],
    ['status', '/status'],
  ],
  buyer: [
    ['favourites', '/favourites'],
    ['try', '/agents/$agentId/try'],
    ['calls', '/calls'],
    ['call', '/calls/$invocationId'],
    ['wallet', '/wallet'],
    ['keys', '/keys'],
    ['disputes', '/disputes'],
    ['dispute', '/disputes/$disputeId'],
    ['webhooks', '/webhooks'],
    ['webhook', '/webhooks/$webhookId'],
    ['access', '/access'],
    ['account', '/account'],
    ['organisations', '/organisations'],
    ['organisation', '/organisations/$orgId'],
    ['notices', '/notices'],
    ['welcome', '/welcome'],
  ],
  developer: [
    ['developer', '/developer'],
    ['developer-agents', '/developer/agents'],
    ['developer-agent', '/developer/agents/$agentId'],
    ['developer-findings', '/developer/agents/$untidyId'],
    ['developer-version', '/developer/agents/$agentId/versions/$version'],
    ['developer-calls', '/developer/agents/$agentId/calls', '?status=all'],
    ['developer-edit', '/developer/agents/$agentId/edit'],
    ['developer-preview', '/developer/agents/$agentId/preview'],
    ['developer-register', '/developer/register'],
    ['publish', '/developer/publish'],
    ['earnings', '/developer/earnings'],
    ['earnings-maturing', '/developer/earnings', '?tab=maturing'],
    ['payout', '/developer/payouts/$payoutId'],
    ['payout-refused', '/developer/payouts/$refusedId'],
    ['bond', '/developer/bond'],
    ['slash', '/developer/slashes/$slashId'],
  ],
  operator: [
    ['operator', '/operator'],
    ['operator-figures', '/operator/figures'],
    ['operator-accounts', '/operator/accounts'],
    ['operator-agents', '/operator/agents'],
    ['operator-calls', '/operator/calls'],
    ['operator-disputes', '/operator/disputes', '?status=open'],
    ['operator-dispute', '/operator/disputes/$disputeId'],
    ['operator-slashes', '/operator/slashes'],
    ['operator-slash', '/operator/slashes/$slashId'],
    ['operator-call', '/operator/calls/$invocationId'],
    ['operator-account', '/operator/accounts/$userId'],
    ['operator-agent', '/operator/agents/$agentId'],
    ['operator-payments', '/operator/payments'],
    ['operator-payouts', '/operator/payouts'],
    ['operator-ledger', '/operator/ledger'],
    ['operator-audit', '/operator/audit'],
    ['platform', '/platform'],
  ],
};

/**
 * The ids of what the pages show, by their names in the paths. `as` has a caller for each role (`callerOf`). Throws
 * unless visitors may read the shop: their pages would only ask for a log-in.
 */
export async function idsOf({ as, runtime }) {
  if (!(await fetch(`${runtime.api_url}/v1/listings`)).ok)
    throw new Error('Visitors need an account here. Start the stack with PUBLIC_READS=true.');
  const firstOf = async (role, path, field) => (await as[role]('GET', path)).items[0]?.[field];
  const { items: payouts } = await as.developer('GET', '/v1/billing/developer/payouts');
  const payoutOf = (status) => payouts.find((payout) => payout.status === status)?.payout_id;
  const invocationId = await firstOf('buyer', '/v1/billing/disputes', 'invocation_id');
  return {
    agentId: runtime.agents[0].agent_id,
    converterId: converterOf(runtime),
    developerId: (await as.developer('GET', '/v1/auth/me')).developer_id,
    untidyId: 'agt_untidy_profiler_v1',
    version: '1.0.0',
    invocationId,
    traceId: (await as.buyer('GET', `/v1/invocations/${invocationId}`)).trace_id,
    userId: (await as.buyer('GET', '/v1/auth/me')).user_id,
    disputeId: await firstOf('buyer', '/v1/billing/disputes', 'dispute_id'),
    webhookId: await firstOf('buyer', '/v1/webhooks', 'webhook_id'),
    slashId: await firstOf('developer', '/v1/billing/developer/slashes', 'slash_id'),
    payoutId: payoutOf('paid'),
    orgId: await organisationOf(as.buyer),
    refusedId: payoutOf('failed') ?? payoutOf('returned'),
  };
}

/** An organisation of the account, with an invitation and an identity provider. It is founded once. */
async function organisationOf(call) {
  const { items } = await call('GET', '/v1/organisations');
  if (items.length > 0) return items[0].org_id;
  const { org_id: id } = await call('POST', '/v1/organisations', { name: 'Analytical Engines' });
  const path = `/v1/organisations/${id}`;
  await call('POST', `${path}/invitations`, { email: 'grace@analytical.example', role: 'developer' });
  const { provider_id: provider } = await call('POST', `${path}/identity-providers`, {
    name: 'Analytical login',
    issuer: 'https://login.analytical.example',
    client_id: 'market',
    client_secret: 'of-the-demonstration',
  });
  await call('PUT', `${path}/identity-providers/${provider}/domains/analytical.example`);
  return id;
}

/** A path of the router with its ids. */
export const fill = (path, ids) => path.replaceAll(/\$(\w+)/g, (_all, name) => ids[name]);

/** The pages of each role, with the addresses below `/console`. */
export function pagesWith(ids) {
  const withAddress = ([name, route, query = '']) => [name, fill(route, ids) + fill(query, ids)];
  return Object.entries(PAGES).map(([role, pages]) => [role, pages.map(withAddress)]);
}
