import { useQueries } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { byUrgency, type Decision } from './decision';
import { ofContest, ofDispute, ofSlash } from './decisions-of-cases';
import { ofPayment, ofPayout } from './decisions-of-money';

const every = { refetchInterval: 15_000 };

/** Everything that waits for an operator, the nearest deadline first. The newest 50 of each kind. */
export function useDecisions() {
  const [disputes, slashes, contests, payments, payouts] = useQueries({
    queries: [
      { ...get('/v1/operator/disputes', { query: { status: 'contested', limit: 50 } }), ...every },
      { ...get('/v1/operator/slashes', { query: { status: 'contested', limit: 50 } }), ...every },
      { ...get('/v1/operator/contests', { query: { status: 'open', limit: 50 } }), ...every },
      { ...get('/v1/operator/payments', { query: { state: 'quarantined', limit: 50 } }), ...every },
      { ...get('/v1/operator/payouts', { query: { status: 'failed', limit: 50 } }), ...every },
    ],
  });
  const all = [disputes, slashes, contests, payments, payouts];
  const decisions: Decision[] = [
    ...(disputes.data?.items ?? []).map(ofDispute),
    ...(slashes.data?.items ?? []).map(ofSlash),
    ...(contests.data?.items ?? []).map(ofContest),
    ...(payments.data?.items ?? []).map(ofPayment),
    ...(payouts.data?.items ?? []).map(ofPayout),
  ].sort(byUrgency);
  return {
    decisions,
    isPending: all.some((query) => query.isPending),
    failed: all.find((query) => query.isError && query.data === undefined),
  };
}
