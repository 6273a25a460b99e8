import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Answer } from '../../client/http';
import { everything, get } from '../../client/queries';
import { eachOnce } from '../../ui/each-once';
import { byUrgency, type Decision } from './decision';
import { DECISION_LISTS } from './decision-lists';
import { ofDispute, ofSlash } from './decisions-of-cases';
import { ofPayment, ofPayout, ofTaxForm } from './decisions-of-money';
import { ofContest, ofWaiver } from './decisions-of-waivers';

/** How often everything is read again, and how often the counts of the platform, which say that something is new. */
const EVERY = { refetchInterval: 60_000 } as const;
const COUNTS = { refetchInterval: 10_000 } as const;
/** A waiver is a decision when it ends this soon. */
const WAIVER_ENDS_MS = 14 * 86_400_000;

/** How many cases, quarantined payments and payouts there are: changes when a decision may be waiting. */
function countsOf({ queues }: Answer<'/v1/operator/platform', 'get'>): string {
  const { cases, payments_quarantined: payments, payouts } = queues;
  const all = [...cases, ...payouts].map(({ status, count }) => `${status} ${count}`);
  return [...all.sort(), payments.count].join();
}

/**
 * Everything that waits for an operator, the nearest deadline first. The lists of the API are newest first, so all of
 * each list is read: what has waited longest comes last there and first here. The stream of events has the events of
 * one account alone, so this page asks, while it can be seen: one cheap request for the counts, and the lists when a
 * count changes or a minute has passed.
 */
export function useDecisions() {
  const client = useQueryClient();
  const lists = useQueries({
    queries: [
      { ...everything(...DECISION_LISTS.disputes), ...EVERY },
      { ...everything(...DECISION_LISTS.slashes), ...EVERY },
      { ...everything(...DECISION_LISTS.contests), ...EVERY },
      { ...everything(...DECISION_LISTS.waivers), ...EVERY },
      { ...everything(...DECISION_LISTS.payments), ...EVERY },
      { ...everything(...DECISION_LISTS.payouts), ...EVERY },
      { ...everything(...DECISION_LISTS.taxForms), ...EVERY },
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
  const [disputes, slashes, contests, waivers, payments, payouts, forms] = lists;
  const soon = new Date(Date.now() + WAIVER_ENDS_MS).toISOString();
  const waiting: Decision[] = [
    ...(disputes.data?.items ?? []).map(ofDispute),
    ...(slashes.data?.items ?? []).map(ofSlash),
    ...(contests.data?.items ?? []).map(ofContest),
    ...(waivers.data?.items ?? []).filter(({ expires_at: end }) => end < soon).map(ofWaiver),
    ...(payments.data?.items ?? []).map(ofPayment),
    ...(payouts.data?.items ?? []).filter(({ retriable }) => retriable === true).map(ofPayout),
    ...(forms.data?.items ?? []).map(ofTaxForm),
  ];
  return {
    decisions: eachOnce(waiting, ({ id }) => id).sort(byUrgency),
    isComplete: lists.every(({ data }) => data?.isComplete !== false),
    isPending: lists.some((query) => query.isPending),
    failed: lists.find((query) => query.isError && query.data === undefined),
  };
}
