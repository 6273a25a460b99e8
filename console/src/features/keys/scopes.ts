import type { ItemOf } from '../../client/queries';

export type Scope = ItemOf<'/v1/keys'>['scopes'][number];

/** What each scope lets a key do, and a request by which its owner sees that the key works. */
export const SCOPES: Record<Scope, { label: string; check: string }> = {
  'agents:invoke': { label: 'Call agents', check: '/v1/invocations?limit=1' },
  'agents:read': { label: 'Read listings, trust reports and usage', check: '/v1/listings?limit=1' },
  'agents:publish': { label: 'Publish agents', check: '/v1/developer/agents' },
  'billing:read': { label: 'Read balances and statements', check: '/v1/billing/balance' },
  'disputes:write': { label: 'Dispute calls', check: '/v1/listings?limit=1' },
  'keys:manage': { label: 'Make narrower keys', check: '/v1/keys?limit=1' },
  'webhooks:manage': { label: 'Manage webhooks', check: '/v1/webhooks' },
};

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/** Scopes in words: "Call agents, manage webhooks". Names that the console does not know stay as they are. */
export function scopeWords(scopes: readonly string[]): string {
  const words = scopes.map(
    (scope) => (SCOPES as Partial<Record<string, { label: string }>>)[scope]?.label ?? scope,
  );
  return words
    .map((label, at) => (at === 0 ? label : label.charAt(0).toLowerCase() + label.slice(1)))
    .join(', ');
}

/** Commands of a shell that keep a new key and use it once. */
export function keySnippet(secret: string, scopes: readonly Scope[], origin: string): string {
  const [scope = 'agents:read'] = SCOPE_NAMES.filter((name) => scopes.includes(name));
  return `export MARKET_API_KEY='${secret}'
curl -s '${origin}${SCOPES[scope].check}' -H "X-API-Key: $MARKET_API_KEY"`;
}
