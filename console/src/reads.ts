import { addressOf } from './client/address';
import type { Input, Path } from './client/http';
import { lastRole } from './client/visitor';
import { DECISION_LISTS } from './features/operator/decision-lists';

type Params = Readonly<Record<string, string>>;
type Reading<P extends Path> = Omit<Input<P, 'get'>, 'signal' | 'body' | 'headers'>;

/** What a page reads: one object, the first part of a list, or all of a list. */
interface Read {
  kind: 'one' | 'list' | 'all';
  path: Path;
  input: { path?: object; query?: object };
}

const one = <P extends Path>(path: P, input: Reading<P> = {}): Read => ({
  kind: 'one',
  path,
  input: input as Read['input'],
});
const list = <P extends Path>(path: P, input: Reading<P>): Read => ({ ...one(path, input), kind: 'list' });

/** What each page reads first, by its path in the router. `search` is the query of the page's address. */
const READS: Readonly<Record<string, (params: Params, search: URLSearchParams) => readonly Read[]>> = {
  '/': (_none, search) => (search.size > 0 ? [] : [list('/v1/listings', { query: { limit: 20 } })]),
  '/agents/$agentId': ({ agentId = '' }, search) => {
    const path = { agent_id: agentId };
    const tab = search.get('tab') ?? 'overview';
    return [
      one('/v1/listings/{agent_id}', { path }),
      ...(tab === 'overview'
        ? [
            one('/v1/agents/{agent_id}/figures', { path }),
            one('/v1/agents/{agent_id}/review-summary', { path }),
            one('/v1/agents/{agent_id}/reviews', { path, query: { limit: 10 } }),
          ]
        : []),
      ...(tab === 'trust' ? [one('/v1/agents/{agent_id}/trust-report', { path })] : []),
    ];
  },
  '/agents/$agentId/try': ({ agentId = '' }) => [
    one('/v1/listings/{agent_id}', { path: { agent_id: agentId } }),
  ],
  '/favourites': () => [one('/v1/invocations', { query: { limit: 100 } })],
  '/developers/$developerId': ({ developerId = '' }) => [
    one('/v1/developers/{developer_id}', { path: { developer_id: developerId } }),
    list('/v1/listings', { query: { developer_id: developerId, limit: 20 } }),
  ],
  '/calls': (_none, search) => [
    ...(search.size > 0 ? [] : [list('/v1/invocations', { query: { limit: 25 } })]),
    one('/v1/keys', { query: { limit: 100 } }),
  ],
  '/calls/$invocationId': ({ invocationId: id = '' }) => [
    one('/v1/invocations/{invocation_id}', { path: { invocation_id: id } }),
    one('/v1/billing/ledger', { query: { invocation_id: id } }),
  ],
  '/wallet': (_none, search) => [
    one('/v1/billing/balance'),
    ...(search.size > 0 ? [] : [list('/v1/billing/ledger', { query: { view: 'net', limit: 25 } })]),
  ],
  '/keys': () => [
    list('/v1/keys', { query: { limit: 50 } }),
    list('/v1/oauth/grants', { query: { limit: 50 } }),
  ],
  '/notices': (_none, search) => (search.size > 0 ? [] : [list('/v1/notices', { query: { limit: 25 } })]),
  '/disputes': (_none, search) =>
    search.size > 0 ? [] : [list('/v1/billing/disputes', { query: { limit: 25 } })],
  '/organisations': () => [list('/v1/organisations', { query: { limit: 50 } })],
  '/organisations/$orgId': ({ orgId = '' }, search) => {
    const path = { org_id: orgId };
    const isMembers = (search.get('tab') ?? 'members') === 'members';
    return [
      one('/v1/organisations/{org_id}', { path }),
      ...(isMembers ? [list('/v1/organisations/{org_id}/members', { path, query: { limit: 50 } })] : []),
    ];
  },
  '/access': () => [
    ...(lastRole() === 'developer' ? [list('/v1/developer/access-requests', { query: { limit: 25 } })] : []),
    list('/v1/access-requests', { query: { limit: 25 } }),
  ],
  '/developer': () =>
    lastRole() === 'buyer'
      ? []
      : [
          one('/v1/billing/developer/balance'),
          one('/v1/billing/developer/payouts', { query: { status: 'paid', limit: 1 } }),
          list('/v1/billing/developer/notices', { query: { limit: 10 } }),
        ],
  '/developer/agents': () => [list('/v1/developer/agents', { query: { limit: 25 } })],
  '/developer/agents/$agentId': ({ agentId = '' }) => {
    const path = { agent_id: agentId };
    return [
      one('/v1/developer/agents/{agent_id}', { path }),
      one('/v1/developer/agents/{agent_id}/visibility', { path }),
      one('/v1/agents/{agent_id}/analytics', { path }),
      one('/v1/developer/agents/{agent_id}/notices', { path, query: { limit: 20 } }),
      list('/v1/developer/agents/{agent_id}/audience', { path, query: { limit: 25 } }),
      list('/v1/developer/agents/{agent_id}/findings', { path, query: { limit: 20 } }),
      list('/v1/developer/agents/{agent_id}/versions', { path, query: { limit: 20 } }),
    ];
  },
  '/developer/earnings': (_none, search) => [
    one('/v1/billing/developer/balance'),
    ...(search.size > 0 ? [] : [list('/v1/billing/developer/payouts', { query: { limit: 25 } })]),
  ],
  '/developer/payouts/$payoutId': ({ payoutId = '' }) => [
    one('/v1/billing/developer/payouts/{payout_id}', { path: { payout_id: payoutId } }),
  ],
  '/operator': () => [
    ...Object.values(DECISION_LISTS).map(([path, input]): Read => ({ kind: 'all', path, input })),
    one('/v1/operator/platform'),
  ],
  '/platform': () => [one('/health')],
  '/status': () => [one('/v1/status')],
  '/operator/figures': () => [one('/v1/operator/figures')],
  '/operator/agents/$agentId': ({ agentId = '' }) => {
    const path = { agent_id: agentId };
    return [
      one('/v1/operator/agents/{agent_id}', { path }),
      list('/v1/operator/agents/{agent_id}/findings', { path, query: { limit: 20 } }),
    ];
  },
};

/** What the page at `path` of the router reads first, for the addresses with these `params` and this query. */
export function readsOf(path: string, params: Params, search: string): readonly Read[] {
  return READS[path]?.(params, new URLSearchParams(search)) ?? [];
}

/** The address that a read asks for. */
export const addressOfRead = ({ path, input }: Read): string =>
  addressOf(path, { ...input.path }, { ...input.query });
