/**
 * The life of a call as a table (specification, "Invocation and escrow"; contract, "Invocation"). The database
 * checks the same moves again: a final status never changes, except that a dispute follows a success.
 */
export type InvocationStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'disputed';

export const INVOCATION_TRANSITIONS = {
  pending: { running: 'holdCredits', failed: 'accept undone, hold refused or lease sweep' },
  running: { succeeded: 'settle', failed: 'refund or lease sweep', disputed: 'dispute in progress' },
  succeeded: { disputed: 'dispute won by the buyer' },
  failed: {},
  disputed: {},
} as const satisfies Record<InvocationStatus, Partial<Record<InvocationStatus, string>>>;

export function isFinal(status: InvocationStatus): boolean {
  return status !== 'pending' && status !== 'running';
}

export function mayMove(from: InvocationStatus, to: InvocationStatus): boolean {
  return Object.hasOwn(INVOCATION_TRANSITIONS[from], to);
}
