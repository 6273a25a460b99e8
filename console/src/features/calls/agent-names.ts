import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';

const DAYS_LISTED = 365;
const DAY_MS = 86_400_000;

/** The agents that the account has paid within a year, by their names. */
export function useAgentNames() {
  const since = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS_LISTED * DAY_MS).toISOString();
  const spend = useQuery({ ...get('/v1/billing/spend', { query: { since } }), staleTime: 60_000 });
  return (spend.data?.agents ?? []).map((one) => ({
    value: one.agent_id,
    label: one.display_name ?? one.agent_id,
  }));
}
