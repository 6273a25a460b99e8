/**
 * The ceiling of an agent: the score that it would have without any finding. It is below 100 when something could not
 * be examined (docs/verification-scores.md, "The ceiling").
 */
import type { GapCode } from '../../domain/evidence/evidence-facts';
import { type Badge, type Ceiling, STAGES } from '../../domain/verification/trust';
import { GAP_TEXTS } from '../../domain/verification/gap-texts';
import type { Rubric } from '../../domain/verification/rubric';
import { type Coverages, type Looked, shareOf, THOUSAND } from './points';

/** Points of a check that has no coverage and no reason: its calls were not answered. */
const NO_REASON: GapCode = 'not_answered';

export function ceilingOf(
  coverages: Coverages,
  rubric: Rubric,
  badgeOf: (score: number) => Badge | null,
): Ceiling {
  const lost = new Map<GapCode, number>();
  let score = 0;
  for (const stage of STAGES) {
    let reachable = 0;
    const checks: Record<string, Looked> = coverages[stage];
    for (const [name, points] of Object.entries<number>(rubric.checks[stage])) {
      const { wanted = 1, looked = 0, gaps = [] } = checks[name] ?? {};
      const earned = shareOf(points, wanted, looked);
      reachable += earned;
      const code = [...gaps].sort((a, b) => b.count - a.count)[0]?.code ?? NO_REASON;
      const missing = points * THOUSAND - earned;
      if (missing > 0) lost.set(code, (lost.get(code) ?? 0) + missing);
    }
    score += Math.floor(reachable / THOUSAND);
  }
  const reasons = [...lost]
    .sort(([a, most], [b, least]) => least - most || (a < b ? -1 : 1))
    .map(([code, points]) => ({ code, points: points / THOUSAND, ...GAP_TEXTS[code] }));
  return { score, badge: badgeOf(score), reasons };
}

/**
 * Sentences on the reason that costs most; none if every point can be reached. For an agent without a badge they say
 * what adds most, at most three things.
 */
export function ceilingText({ score, reasons }: Ceiling, lowestBadge: number | null): string[] {
  const [first] = reasons;
  if (first === undefined) return [];
  if (lowestBadge === null) return [`At most ${score} of 100 can be reached: ${first.why} ${first.remedy}`];
  const steps = reasons.slice(0, MOST_STEPS).map(({ remedy, points }) => `${remedy} (${points} points)`);
  return [
    `At most ${score} of 100 can be reached, and a badge needs ${lowestBadge}. What adds most:`,
    ...steps,
  ];
}

const MOST_STEPS = 3;
