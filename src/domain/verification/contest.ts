/** Contests of findings by owners, and waivers by operators (docs/verification-scores.md, "Waivers and contests"). */
export const CONTEST_STATUSES = ['open', 'accepted', 'refused'] as const;
export type ContestStatus = (typeof CONTEST_STATUSES)[number];

/** Days for which a waiver holds. */
export const WAIVER_DAYS = { least: 1, most: 365, usual: 180 } as const;

/** How often a finding can be contested. */
export const MOST_CONTESTS_OF_FINDING = 3;
/** How many contests of a developer wait for an operator at a time. */
export const MOST_OPEN_CONTESTS = 50;
