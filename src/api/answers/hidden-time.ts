import type { ErrorCode } from '../../domain/errors';

/** A 404 is answered so many ms after its request arrived, and up to `more` later. */
const HIDDEN_MS = { least: 10, more: 10 };

/**
 * How long an answer waits, in ms. A private agent is looked up in its audience and a missing one is not, so the time
 * of a 404 would show which of them it is. The moment of the answer is drawn at random, and does not depend on when
 * the work was done (ADR 0406).
 */
export function hiddenWaitMs(code: ErrorCode, arrivedAt: number): number {
  if (code !== 'not_found') return 0;
  const due = arrivedAt + HIDDEN_MS.least + Math.random() * HIDDEN_MS.more;
  return Math.max(0, due - performance.now());
}
