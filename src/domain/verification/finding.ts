/** The life of a finding as a table: from → to, and by whom; checked again by the database (migration 0820). */
export type FindingStatus = 'open' | 'acknowledged' | 'resolved';

export const FINDING_TRANSITIONS = {
  open: { acknowledged: 'owner', resolved: 'run' },
  acknowledged: { resolved: 'run' },
  resolved: { open: 'run' },
} as const satisfies Record<FindingStatus, Partial<Record<FindingStatus, 'owner' | 'run'>>>;

/** Whether the owner may move a finding: to `acknowledged` only. What resolves it is a run that finds it no longer. */
export function mayOwnerMove(from: FindingStatus, to: FindingStatus): boolean {
  return (FINDING_TRANSITIONS[from] as Partial<Record<FindingStatus, string>>)[to] === 'owner';
}
