/**
 * No call is open for longer, in days: a job may take its agent seven, and wait for its buyer besides. Statements that
 * read calls by the time of their ids reach so far back.
 */
export const LONGEST_CALL_DAYS = 31;
