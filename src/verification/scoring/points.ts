/** Points that checks earn, in thousandths, so that every sum is exact. */
import type { CheckCoverage } from '../../domain/evidence/evidence-facts';
import type { CHECKS } from '../../domain/verification/rubric';
import type { Stage } from '../../domain/verification/trust';

export const THOUSAND = 1_000;

/** Coverage of a check. `earned` limits the items that earn points; default: all inspected items. */
export type Looked = CheckCoverage & { earned?: number };
export type Coverages = { [S in Stage]: Record<(typeof CHECKS)[S][number], Looked> };

/** Earned thousandths of points, rounded down; 0 when nothing was inspected. */
export function earnedThousandths(points: number, { wanted, looked, earned = looked }: Looked): number {
  return shareOf(points, wanted, Math.min(looked, earned));
}

/** A check with nothing to inspect is complete: no points are lost for what does not exist. */
export function shareOf(points: number, wanted: number, part: number): number {
  if (wanted <= 0) return points * THOUSAND;
  if (part <= 0) return 0;
  return Math.floor((points * THOUSAND * Math.min(part, wanted)) / wanted);
}
