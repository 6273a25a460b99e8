/** The life of an agent as a table: from → to, and by whom; checked again by the database (migration 0200). */
export type AgentStatus = 'active' | 'suspended' | 'retired';

export const AGENT_TRANSITIONS = {
  active: { suspended: 'operator', retired: 'owner' },
  suspended: { active: 'operator', retired: 'owner' },
  retired: {},
} as const satisfies Record<AgentStatus, Partial<Record<AgentStatus, string>>>;

export function mayAgentMove(from: AgentStatus, to: AgentStatus): boolean {
  return Object.hasOwn(AGENT_TRANSITIONS[from], to);
}

/** Why an agent is not found by search (contract, visibility). */
export type HiddenReason =
  'critical_finding' | 'bond_shortfall' | 'registration_unpaid' | 'not_verified' | 'retired' | 'suspended';

export const HIDDEN_MESSAGES: Record<HiddenReason, string> = {
  critical_finding: 'The newest verification has a critical finding.',
  bond_shortfall:
    'The bond is below the minimum of its tier; after the deadline search does not find the agents.',
  registration_unpaid: 'The seller registration fee is not paid.',
  not_verified: 'No version has passed verification yet.',
  retired: 'You have retired this agent.',
  suspended: 'An operator has suspended this agent.',
};
