import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Answer } from '../../client/http';
import { get } from '../../client/queries';
import { byUrgency, type Decision } from './decision';
import { ofDispute, ofSlash } from './decisions-of-cases';
import { ofPayment, ofPayout, ofTaxForm } from './decisions-of-money';
import { ofContest, ofWaiver } from './decisions-of-waivers';

/** How often everything is read again, and how often the counts of the platform, which say that something is new. */
const EVERY = { refetchInterval: 60_000 } as const;
const COUNTS = { refetchInterval: 10_000 } as const;
const MOST = 50;
/** A waiver is a decision when it ends this soon. */
const WAIVER_ENDS_MS = 14 * 86_400_000;

/** How many cases, quarantined payments and payouts there are: changes when a decision may be waiting. */
function countsOf({ queues }: Answer<'/v1/operator/platform', 'get'>): string {
  const { cases, payments_quarantined: payments, payouts } = queues;
  const all = [...cases, ...payouts].map(({ status, count }) => `${status} ${count}`);
  return [...all.sort(), payments.count].join();
}

/**
 * Everything that waits for an operator, the nearest deadline first; the newest 50 of each kind. The stream of events has
 * the events of one account alone, so this page asks, while it can be seen: one cheap request for the counts, and the
 * lists when a count changes or a minute has passed.
 */
export function useDecisions() {
  const client = useQueryClient();
  const lists = useQueries({
    queries: [
      { ...get('/v1/operator/disputes', { query: { status: 'contested', limit: MOST } }), ...EVERY },
      { ...get('/v1/operator/slashes', { query: { status: 'contested', limit: MOST } }), ...EVERY },
      { ...get('/v1/operator/slashes', { query: { status: 'applied', limit: MOST } }), ...EVERY },
      { ...get('/v1/operator/contests', { query: { status: 'open', limit: MOST } }), ...EVERY },
      { ...get('/v1/operator/waivers', { query: { holding: 'true', limit: 100 } }), ...EVERY },
      { ...get('/v1/operator/payments', { query: { state: 'quarantined', limit: MOST } }), ...EVERY },
      { ...get('/v1/operator/payouts', { query: { status: 'failed', limit: MOST } }), ...EVERY },
      { ...get('/v1/operator/tax-forms', { query: { limit: MOST } }), ...EVERY },
    ],
  });
  const counts = useQuery({ ...get('/v1/operator/platform'), ...COUNTS, select: countsOf }).data;
  const known = useRef(counts);
  useEffect(() => {
    if (known.current !== undefined && known.current !== counts)
      void client.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          typeof path === 'string' && path.startsWith('/v1/operator/') && path !== '/v1/operator/platform',
      });
    known.current = counts;
  }, [counts, client]);
  const [disputes, slashes, applied, contests, waivers, payments, payouts, forms] = lists;
  const soon = new Date(Date.now() + WAIVER_ENDS_MS).toISOString();
  const decisions: Decision[] = [
    ...(disputes.data?.items ?? []).map(ofDispute),
    ...[...(slashes.data?.items ?? []), ...(applied.data?.items ?? [])].map(ofSlash),
    ...(contests.data?.items ?? []).map(ofContest),
    ...(waivers.data?.items ?? []).filter(({ expires_at: end }) => end < soon).map(ofWaiver),
    ...(payments.data?.items ?? []).map(ofPayment),
    ...(payouts.data?.items ?? []).map(ofPayout),
    ...(forms.data?.items ?? []).map(ofTaxForm),
  ].sort(byUrgency);
  return {
    decisions,
    hasMore: lists.some(({ data }) => data?.next_cursor !== null && data !== undefined),
    isPending: lists.some((query) => query.isPending),
    failed: lists.find((query) => query.isError && query.data === undefined),
  };
}
