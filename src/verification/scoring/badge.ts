/** The badge that score, findings and right answers allow. */
import type { Rubric, RubricCoverage } from '../../domain/verification/rubric';
import { type Badge, BADGES, type JudgedFinding } from '../../domain/verification/trust';

/** `right`: right answers, which the coverage of the rubric asks for; undefined for a rubric without it. */
export function badgeOf(
  score: number,
  findings: readonly JudgedFinding[],
  rubric: Rubric,
  right: number | undefined,
): Badge | null {
  if (findings.some(({ severity }) => severity === 'critical')) return null;
  const { coverage } = rubric;
  const high = findings.filter(({ severity }) => severity === 'high');
  if (high.some(({ fingerprint }) => coverage?.no_badge_with.some((rule) => isOf(fingerprint, rule))))
    return null;
  const reached = BADGES.filter((badge) => score >= rubric.badges[badge]).length - 1;
  const caps = [
    ...(high.length > 0 ? [BADGES.indexOf(rubric.badge_with_high_finding)] : []),
    ...(coverage && right !== undefined ? [indexOf(badgeByAnswers(right, coverage))] : []),
  ];
  return BADGES[Math.min(reached, ...caps)] ?? null;
}

const isOf = (fingerprint: string, rule: string) => fingerprint.startsWith(`${rule}:`);
const indexOf = (badge: Badge | null) => (badge === null ? -1 : BADGES.indexOf(badge));

/** The highest badge that so many right answers allow; null if they are too few for any. */
function badgeByAnswers(right: number, { answers }: RubricCoverage): Badge | null {
  return BADGES.filter((badge) => right >= answers[badge]).at(-1) ?? null;
}
