/** How the score of an agent rises: what took points, what was not examined, and what each badge needs. */
import { type BondTier, TIER_MINIMUM_UNITS } from '../bonds/bond';
import type { Rubric } from './rubric';
import { type Badge, BADGES, type Judgement, type Stage, STAGES } from './trust';

/**
 * `finding`: it takes points, or limits the badge. `gap`: not examined. `unearned`: answers that did not conform at
 * once.
 */
export type ScoreStepKind = 'finding' | 'gap' | 'unearned';

export interface ScoreStep {
  kind: ScoreStepKind;
  /** Null for a gap, which may concern several stages. */
  stage: Stage | null;
  /** Points that the step can bring; 0 for a finding that only limits the badge. */
  points: number;
  what: string;
  remedy: string;
  /** Of a finding. */
  fingerprint: string | null;
}

type Judged = Pick<Judgement, 'stages' | 'ceiling'>;

const MILLI = 1_000;
/** Thousandths of a point. */
const LEAST = 50;
const UNEARNED = {
  what: 'Some probes were not answered correctly at the first try.',
  remedy: 'Answer every valid input at the first try, as the output schema says.',
};

/** What the owner can do, the most points first. A waived finding costs nothing. */
export function scoreSteps({ stages, ceiling }: Judged): ScoreStep[] {
  const findings = STAGES.flatMap((stage) =>
    stages[stage].findings
      .filter(({ waiver, severity, points_lost: lost }) => waiver === null && (lost > 0 || limits(severity)))
      .map(({ points_lost: points, description: what, remediation: remedy, fingerprint }) => ({
        kind: 'finding' as const,
        stage,
        points,
        what,
        remedy,
        fingerprint,
      })),
  );
  const unearned = STAGES.map((stage) => ({ stage, points: unearnedIn(stages[stage].checks) }))
    .filter(({ points }) => points > 0)
    .map((step) => ({ kind: 'unearned' as const, fingerprint: null, ...step, ...UNEARNED }));
  const gaps = ceiling.reasons.map(({ points, why, remedy }) => ({
    kind: 'gap' as const,
    stage: null,
    points,
    what: sentence(why),
    remedy,
    fingerprint: null,
  }));
  return [...findings, ...unearned, ...gaps].sort((a, b) => b.points - a.points);
}

const limits = (severity: string) => severity === 'critical' || severity === 'high';

/** Points of checks that were examined and not earned, beside what findings take. */
function unearnedIn(checks: Judged['stages'][Stage]['checks']): number {
  const lost = Object.values(checks).map(({ coverage, points, max }) =>
    Math.round((coverage * max - points) * MILLI),
  );
  // Coverage is rounded to a thousandth, so a few thousandths of a point may be missing.
  return lost.filter((thousandths) => thousandths > LEAST).reduce((sum, one) => sum + one, 0) / MILLI;
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** One line of the scale of badges. */
export interface BadgeStep {
  badge: Badge;
  leastScore: number;
  leastBondUnits: number;
  /** What the agent lacks; 0 for nothing. */
  missingScore: number;
  missingBondUnits: number;
}

/** The scale of badges, the lowest first, with what an agent lacks for each. The tiers of bonds have the same names. */
export function badgeScale(
  { badges }: Pick<Rubric, 'badges'>,
  { score, bondUnits }: { score: number | null; bondUnits: number },
): BadgeStep[] {
  return BADGES.map((badge) => {
    const leastScore = badges[badge];
    const leastBondUnits = TIER_MINIMUM_UNITS[badge satisfies BondTier];
    return {
      badge,
      leastScore,
      leastBondUnits,
      missingScore: Math.max(0, leastScore - (score ?? 0)),
      missingBondUnits: Math.max(0, leastBondUnits - bondUnits),
    };
  });
}
