/** Limits of the pieces that the agent of a job calls back before its end (ADR 0319). */
export const MOST_PIECE_BYTES = 64 * 1024;
/** All pieces of a job. Milestones have room beside the pieces. */
export const MOST_PIECES = 1_000;
export const MOST_BYTES_OF_PIECES = 10 * 1024 * 1024;
