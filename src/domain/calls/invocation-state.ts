/**
 * Invocation states as a table (specification, "Invocation and escrow"; contract, "Invocation"). The database
 * enforces the same transitions. A final status never changes, except that a dispute can follow a charge: that of a
 * success, or of a failed job that reached milestones.
 */
export type InvocationStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'disputed';

export const INVOCATION_TRANSITIONS = {
  pending: { running: 'holdCredits', failed: 'accept undone, hold refused or lease sweep' },
  running: { succeeded: 'settle', failed: 'refund or lease sweep', disputed: 'dispute in progress' },
  succeeded: { disputed: 'dispute won by the buyer' },
  failed: { disputed: 'dispute about milestones won by the buyer' },
  disputed: {},
} as const satisfies Record<InvocationStatus, Partial<Record<InvocationStatus, string>>>;

/** True when the invocation is no longer in progress. */
export function isFinal(status: InvocationStatus): boolean {
  return status !== 'pending' && status !== 'running';
}

/** True when the table allows this transition. */
export function mayMove(from: InvocationStatus, to: InvocationStatus): boolean {
  return Object.hasOwn(INVOCATION_TRANSITIONS[from], to);
}
