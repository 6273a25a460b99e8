/**
 * Slash states as a table: from → to, and by whom (specification, "Bond slashing"; contract, "Bonds and
 * slashing"). The database enforces the same transitions.
 */
export const SLASH_STATUSES = ['applied', 'contested', 'final', 'overturned'] as const;
export type SlashStatus = (typeof SLASH_STATUSES)[number];

/** How a slash was decided. `developer_silent`: the developer did not contest it before the deadline. */
export const SLASH_RESOLUTIONS = ['developer_silent', 'operator'] as const;
export type SlashResolution = (typeof SLASH_RESOLUTIONS)[number];

/** Who gets the amount of a slash that an operator applies: the buyers of its calls, or the platform, as a penalty. */
export const ORDERED_REFUNDS = ['affected', 'none'] as const;
/** The same of any slash: that of a broken warranty goes to the buyers of its month. */
export const SLASH_REFUNDS = [...ORDERED_REFUNDS, 'warranty'] as const;
export type SlashRefund = (typeof SLASH_REFUNDS)[number];

export const SLASH_TRANSITIONS = {
  applied: {
    contested: 'developer',
    final: 'the end of the time for a counter-argument',
    overturned: 'operator',
  },
  contested: { final: 'operator', overturned: 'operator' },
  final: {},
  overturned: {},
} as const satisfies Record<SlashStatus, Partial<Record<SlashStatus, string>>>;

export type SlashDecision = 'upheld' | 'overturned';

/** Explains why an operator cannot make this decision now; returns undefined when the decision is allowed. */
export function rulingProblem(status: SlashStatus, decision: SlashDecision): string | undefined {
  if (isSlashDecided(status)) return `the slash is ${status}`;
  if (decision === 'upheld' && status === 'applied')
    return 'the developer can still contest it; without a counter-argument the slash becomes final automatically';
  return undefined;
}

/** True when the status is final. */
export function isSlashDecided(status: SlashStatus): boolean {
  return Object.keys(SLASH_TRANSITIONS[status]).length === 0;
}

/**
 * Messages between the workflow `slash/<id>` and its callers. They are stored in Temporal's history, so they
 * hold only ids, codes and times. Texts that people write are stored in the database and referenced by id.
 */
export interface SlashInput {
  slashId: string;
  /**
   * Status when the workflow starts; not `applied` when the workflow is restarted after an earlier run was
   * lost.
   */
  status: SlashStatus;
  /**
   * Deadline for the developer's counter-argument, in epoch milliseconds; fixed when the slash is applied.
   */
  counterByMs: number;
  /** Deadline for topping up the bond, in epoch milliseconds; null when the slash caused no shortfall. */
  topUpByMs: number | null;
  /** The same times in ISO form, for people who read the history. */
  counterBy?: string;
  topUpBy?: string | null;
}

/** The developer's counter-argument; `textId` references its text. */
export interface SlashCounter {
  textId: string;
}

/** The operator's decision; `textId` references the reason. */
export interface SlashRuling {
  decision: SlashDecision;
  textId: string;
  operatorUserId: string;
}

/** The slash after a transition. */
export interface SlashMoved {
  status: SlashStatus;
  topUpByMs: number | null;
}

/** Outcome of the top-up period. */
export type TopUpOutcome = 'delisted' | 'topped_up';

/** Result of the workflow: the decision, and whether the agents were delisted for a bond shortfall. */
export type SlashResult = 'overturned' | 'final' | 'final_delisted';

/** Answer of the workflow's state query, for operators. */
export interface SlashState extends SlashMoved {
  /** True while a transition is being written to the database. */
  moving: boolean;
  counterByMs: number;
}
