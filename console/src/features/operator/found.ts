import type { Answer } from '../../client/http';

export type Found = Answer<'/v1/operator/lookup', 'get'>['items'][number];

/** The page with the money of what was found. */
export function addressOfFound({ kind, id, user_id: user, invocation_id: call }: Found): string {
  if (kind === 'agent') return `/operator/agents/${id}`;
  if (kind === 'dispute') return `/operator/disputes/${id}`;
  return call === null ? `/operator/accounts/${user ?? id}` : `/operator/calls/${call}`;
}
