/**
 * Failure type with which a dispute or slash workflow refuses an update because the case has already changed
 * state.
 */
export const CASE_MOVED_ON = 'invalid_state';
