interface Found {
  kind: string;
  id: string;
  user_id: string | null;
  invocation_id: string | null;
}

/** The page with the money of what was found. */
export function addressOfFound({ kind, id, user_id: user, invocation_id: call }: Found): string {
  if (kind === 'agent') return `/operator/agents/${id}`;
  if (kind === 'slash') return `/operator/slashes/${id}`;
  if (kind === 'dispute') return `/operator/disputes/${id}`;
  return call === null ? `/operator/accounts/${user ?? id}` : `/operator/calls/${call}`;
}
