import type { ListingChange } from '../../services/catalogue/listing-watch';
import type { Finding } from '../../services/verification/trust-reports';

export function findingView(row: Finding) {
  return {
    finding_id: row.findingId,
    severity: row.severity,
    category: row.category,
    description: row.description,
    remediation: row.remediation,
    status: row.status,
    stage: row.stage,
    first_seen_at: row.firstSeenAt.toISOString(),
    serves: row.line === 'serving',
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
