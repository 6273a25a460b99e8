/**
 * The life of a slash as a table: from → to, and by whom (specification, "Bond slashing"; contract, "Bonds and
 * slashing"); checked again by the database (migration 0910).
 */
export const SLASH_STATUSES = ['applied', 'contested', 'final', 'overturned'] as const;
export type SlashStatus = (typeof SLASH_STATUSES)[number];

/** What ended a slash. */
export const SLASH_RESOLUTIONS = ['developer_silent', 'operator'] as const;
export type SlashResolution = (typeof SLASH_RESOLUTIONS)[number];

const SLASH_TRANSITIONS = {
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

/** Why an operator may not decide like this now; undefined when it is allowed. */
export function rulingProblem(status: SlashStatus, decision: SlashDecision): string | undefined {
  if (isSlashDecided(status)) return `the slash is ${status}`;
  if (decision === 'upheld' && status === 'applied')
    return 'the developer may still answer; without an answer the slash becomes final by itself';
  return undefined;
}

/** True when nothing can change the slash any more. */
export function isSlashDecided(status: SlashStatus): boolean {
  return Object.keys(SLASH_TRANSITIONS[status]).length === 0;
}

/**
 * What the workflow `slash/<id>` and its callers tell each other. All of it is stored in Temporal's history: ids, codes
 * and times only; what people wrote stands in the database.
 */
export interface SlashInput {
  slashId: string;
  /** The status when the workflow starts: later ones when an earlier run was lost. */
  status: SlashStatus;
  /** Until when the developer may answer, in milliseconds since the epoch; fixed when the slash was applied. */
  counterByMs: number;
  /** Until when the bond must be topped up because of this slash; null without a shortfall. */
  topUpByMs: number | null;
}

/** The developer's counter-argument; `textId` names it. */
export interface SlashCounter {
  textId: string;
}

/** The operator's decision; `textId` names the reason. */
export interface SlashRuling {
  decision: SlashDecision;
  textId: string;
  operatorUserId: string;
}

/** What became of a slash by a move. */
export interface SlashMoved {
  status: SlashStatus;
  topUpByMs: number | null;
}

/** How the time to top up ended. */
export type TopUpOutcome = 'delisted' | 'topped_up';

/** How a slash ended, bond and all: the result of the workflow. */
export type SlashResult = 'overturned' | 'final' | 'final_delisted';

/** Where a slash stands, for operators who look at the workflow. */
export interface SlashState extends SlashMoved {
  /** A move is being written. */
  moving: boolean;
  counterByMs: number;
}
