/** Finding states as a table: from → to, and by whom. The database enforces the same transitions. */
export type FindingStatus = 'open' | 'acknowledged' | 'resolved';

export const FINDING_TRANSITIONS = {
  open: { acknowledged: 'owner', resolved: 'run' },
  acknowledged: { resolved: 'run' },
  resolved: { open: 'run' },
} as const satisfies Record<FindingStatus, Partial<Record<FindingStatus, 'owner' | 'run'>>>;

/**
 * True when the owner may make this transition: only to `acknowledged`. A finding is resolved by a run that
 * no longer detects it.
 */
export function mayOwnerMove(from: FindingStatus, to: FindingStatus): boolean {
  return (FINDING_TRANSITIONS[from] as Partial<Record<FindingStatus, string>>)[to] === 'owner';
}
