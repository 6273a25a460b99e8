/** Automatic top-ups (ADR 0307). */
import type { FieldProblem } from '../errors';

export const AUTO_TOPUP_STOPS = ['failed', 'method_ended'] as const;
/** Why automatic top-ups stopped: three failed one after the other, or the saved method can no longer pay. */
export type AutoTopupStop = (typeof AUTO_TOPUP_STOPS)[number];

/** Most credits that an automatic top-up buys, and that a month takes. */
export const MOST_AUTO_CREDITS = 10_000_000;
export const MOST_AUTO_PER_DAY = 24;

/** The problem of a month that allows less than one top-up; none otherwise. */
export function monthProblems(buyCredits: number, mostOfMonth: number): FieldProblem[] {
  if (mostOfMonth >= buyCredits) return [];
  const msg = `must be >= ${buyCredits}, the credits of one top-up`;
  return [{ loc: ['body', 'max_per_month'], msg, type: 'minimum' }];
}
