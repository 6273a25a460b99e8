import { unitsToCredits } from '../../domain/ledger/money';
import type { ListingChange } from '../../services/catalogue/listing-watch';
import type { Finding, OwnScore } from '../../services/verification/trust-reports';

export function findingView(row: Finding) {
  return {
    finding_id: row.findingId,
    severity: row.severity,
    category: row.category,
    description: row.description,
    risk: row.risk,
    remediation: row.remediation,
    file: row.place?.path ?? null,
    line: row.place?.line ?? null,
    invocation_id: row.invocationId,
    points_lost: row.pointsLost,
    waiver: row.waiver && { reason: row.waiver.reason, expires_at: row.waiver.expiresAt.toISOString() },
    status: row.status,
    stage: row.stage,
    first_seen_at: row.firstSeenAt.toISOString(),
    serves: row.line === 'serving',
    contest: row.contest && {
      contest_id: row.contest.contestId,
      status: row.contest.status,
      statement: row.contest.statement,
      opened_at: row.contest.openedAt.toISOString(),
      decided_at: row.contest.decidedAt?.toISOString() ?? null,
      decision_reason: row.contest.decisionReason,
    },
  };
}

/** An event of the stream of listing changes. */
export function listingChangeView(change: ListingChange) {
  return {
    type: 'listing.changed',
    change_id: change.changeId,
    agent_id: change.agentId,
    slug: change.slug,
    badge: change.badge,
    trust_score: change.trustScore,
    listed: change.listed,
    at: change.at.toISOString(),
  };
}

export function ownScoreView(score: OwnScore) {
  return {
    version: score.version,
    score: score.score,
    badge: score.badge,
    earned_badge: score.earnedBadge,
    bond_credits: unitsToCredits(score.bondUnits),
    scale: score.scale.map((step) => ({
      badge: step.badge,
      least_score: step.leastScore,
      least_bond_credits: unitsToCredits(step.leastBondUnits),
      missing_score: step.missingScore,
      missing_bond_credits: unitsToCredits(step.missingBondUnits),
    })),
    steps: score.steps.map(({ kind, stage, points, what, remedy, findingId }) => ({
      kind,
      stage,
      points,
      what,
      remedy,
      finding_id: findingId,
    })),
  };
}
