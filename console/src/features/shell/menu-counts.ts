import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import type { Profile } from '../../client/session';

/** How many things wait for an answer of the account, by the page on which it is given. */
export function useMenuCounts(profile: Profile | null | undefined): Readonly<Record<string, number>> {
  const enabled = profile?.role === 'developer';
  const disputes = useQuery({
    ...get('/v1/billing/disputes', { query: { role: 'developer', status: 'open', limit: 1 } }),
    enabled,
  });
  const slashes = useQuery({
    ...get('/v1/billing/developer/slashes', { query: { status: 'applied', limit: 1 } }),
    enabled,
  });
  return {
    '/disputes': countOf(disputes.data),
    '/developer/bond': countOf(slashes.data),
  };
}

/** A list that is too long to be counted has at least what was read of it. */
const countOf = (page: { items: unknown[]; total?: number } | undefined): number =>
  page?.total ?? page?.items.length ?? 0;
