/** Type of the failure by which the workflow of a dispute or a slash refuses a move: the case has moved on. */
export const CASE_MOVED_ON = 'invalid_state';
