/** Agent states as a table: from → to, and by whom. The database enforces the same transitions. */
export type AgentStatus = 'active' | 'suspended' | 'retired';

export const AGENT_TRANSITIONS = {
  active: { suspended: 'operator', retired: 'owner' },
  suspended: { active: 'operator', retired: 'owner' },
  retired: {},
} as const satisfies Record<AgentStatus, Partial<Record<AgentStatus, string>>>;

/** True when the table allows this transition. */
export function mayAgentMove(from: AgentStatus, to: AgentStatus): boolean {
  return Object.hasOwn(AGENT_TRANSITIONS[from], to);
}

/** Why search does not show an agent (contract, visibility). */
export type HiddenReason =
  'critical_finding' | 'bond_shortfall' | 'registration_unpaid' | 'not_verified' | 'retired' | 'suspended';

export const HIDDEN_MESSAGES: Record<HiddenReason, string> = {
  critical_finding: 'The latest verification has a critical finding.',
  bond_shortfall:
    'The bond is below the minimum of its tier. After the deadline, search excludes the agent until the bond is topped up.',
  registration_unpaid: 'The seller registration fee is not paid.',
  not_verified: 'No version has passed verification yet.',
  retired: 'You have retired this agent.',
  suspended: 'An operator has suspended this agent.',
};

/** Whom an agent is shown to (docs/private-agents.md). */
export const VISIBILITIES = ['public', 'unlisted', 'private'] as const;

/**
 * `public`: listed, and for everybody. `unlisted`: in no list, for everybody who knows its id. `private`: for its owner
 * and its audience alone; for all others the agent does not exist.
 */
export type AgentVisibility = (typeof VISIBILITIES)[number];

/** Accounts and organisations in the audience of an agent, at most. */
export const MOST_IN_AUDIENCE = 1_000;

/** The account that reads an agent: its own id or that of its organisation; undefined for a visitor. */
export type Viewer = string | undefined;

/** What became of a request for access to a private agent. */
export const ACCESS_REQUEST_STATES = ['pending', 'granted', 'refused'] as const;
export type AccessRequestState = (typeof ACCESS_REQUEST_STATES)[number];
