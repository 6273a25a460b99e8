/**
 * Version states as a table: from → to, and by whom (contract, "Publishing and the agent's life"). The
 * database refuses every other transition.
 */
export type VersionState =
  'draft' | 'submitted' | 'verifying' | 'verified' | 'live' | 'superseded' | 'rejected';

export const VERSION_TRANSITIONS = {
  draft: { submitted: 'owner submits', superseded: 'owner publishes its number again, or deletes it' },
  submitted: { verifying: 'a run starts', superseded: 'owner submits a newer version, or retires the agent' },
  verifying: {
    verified: 'a run without critical finding',
    rejected: 'a run with a critical finding',
    superseded: 'owner submitted a newer version meanwhile, or retired the agent',
  },
  verified: {
    live: 'verification, in the same transaction',
    superseded: 'owner submitted a newer version meanwhile',
  },
  live: { superseded: 'a newer version goes live' },
  rejected: {
    submitted: 'owner requests another verification',
    superseded: 'owner publishes its number again',
  },
  superseded: {},
} as const satisfies Record<VersionState, Partial<Record<VersionState, string>>>;

/** True when the table allows this transition. */
export function mayVersionMove(from: VersionState, to: VersionState): boolean {
  return Object.hasOwn(VERSION_TRANSITIONS[from], to);
}
