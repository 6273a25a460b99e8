import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import type { Profile } from '../../client/session';
import { belongingsNamed, type Hit } from './find-anything';

const NEWEST = { query: { limit: 100 } } as const;

/** The hundred newest calls and disputes of the account and its agents, by a part of an id or the name of the agent. */
export function useBelongings(text: string, profile: Profile | null | undefined, isAsked: boolean): Hit[] {
  const isOperator = profile?.role === 'operator';
  const isOwn = isAsked && Boolean(profile) && !isOperator;
  const calls = useQuery({ ...get('/v1/invocations', NEWEST), enabled: isOwn });
  const disputes = useQuery({ ...get('/v1/billing/disputes', NEWEST), enabled: isOwn });
  const agents = useQuery({
    ...get('/v1/developer/agents', NEWEST),
    enabled: isOwn && profile?.role === 'developer',
  });
  const all = useQuery({ ...get('/v1/operator/calls', NEWEST), enabled: isAsked && isOperator });
  if (!isAsked) return [];
  return belongingsNamed(text, [
    ...(agents.data?.items ?? []).map((one) => ({
      id: one.agent_id,
      about: one.display_name ?? one.agent_id,
      to: `/developer/agents/${one.agent_id}`,
      kind: 'Own agent',
    })),
    ...(calls.data?.items ?? []).map((one) => ({
      id: one.invocation_id,
      about: one.agent_name,
      to: `/calls/${one.invocation_id}`,
      kind: 'Call',
    })),
    ...(disputes.data?.items ?? []).map((one) => ({
      id: one.dispute_id,
      about: one.agent_id,
      to: `/disputes/${one.dispute_id}`,
      kind: 'Dispute',
    })),
    ...(all.data?.items ?? []).map((one) => ({
      id: one.invocation_id,
      about: one.agent_id,
      to: `/operator/calls/${one.invocation_id}`,
      kind: 'Call',
    })),
  ]);
}
