import type { ApiClient } from './api-client';
import type { DemoPeople } from './demo-accounts';
import type { DemoAgent } from './demo-agents';

interface List {
  items: unknown[];
}

const PAYOUT_METHOD = {
  method: 'ach',
  details: {
    account_holder_name: 'Demo Developer',
    routing_number: '021000021',
    account_number: '123456789',
    account_type: 'checking',
  },
};
const TAX_FORM = { kind: 'w8ben', legal_name: 'Demo Developer', country: 'GB', tax_id: 'QQ123456C' };
const SCOPES = ['agents:invoke', 'agents:read'];

/** Gives the accounts what the history uses: API keys, webhooks, and how the developer is paid. Safe to repeat. */
export async function ensureBelongings(
  { clients, users }: DemoPeople,
  agents: readonly DemoAgent[],
): Promise<void> {
  const url = `${agents.find(({ slug }) => slug === 'unit-converter')?.url ?? ''}/events`;
  await Promise.all([
    (async () => {
      await ensureKey(clients.buyer, { name: 'Production server', scopes: SCOPES, credit_cap: 20_000 });
      await ensureWebhook(clients.buyer, { url, types: ['invocation.failed', 'dispute.resolved'] });
    })(),
    ensureKey(clients.team, { name: 'Nightly pipeline', scopes: SCOPES }),
    // This one waits for an operator.
    clients.studio.call('PUT', '/v1/billing/developer/tax-form', { ...TAX_FORM, legal_name: 'Demo Studio' }),
    (async () => {
      await clients.developer.call('PUT', '/v1/billing/developer/payout-method', PAYOUT_METHOD);
      await clients.developer.call('PUT', '/v1/billing/developer/tax-form', TAX_FORM);
      const decision = { decision: 'accepted', reason: 'The form is complete.' };
      await clients.operator.call('POST', `/v1/operator/tax-forms/${users.developer}/review`, decision);
      const types = ['dispute.opened', 'payout.completed', 'bond.slashed', 'slash.finalized'];
      await ensureWebhook(clients.developer, { url, types });
    })(),
  ]);
}

async function ensureKey(client: ApiClient, key: object): Promise<void> {
  const { items } = await client.call<List>('GET', '/v1/keys');
  if (items.length === 0) await client.call('POST', '/v1/keys', key);
}

async function ensureWebhook(client: ApiClient, webhook: object): Promise<void> {
  const { items } = await client.call<List>('GET', '/v1/webhooks');
  if (items.length === 0) await client.call('POST', '/v1/webhooks', webhook);
}
