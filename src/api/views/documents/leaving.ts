import type { Deletion } from '../../../services/leaving/deletions';
import type { AccountExport } from '../../../services/leaving/exports';

export function exportView(found: AccountExport) {
  return {
    export_id: found.exportId,
    status: found.state,
    requested_at: found.requestedAt.toISOString(),
    snapshot_at: found.snapshotAt?.toISOString() ?? null,
    expires_at: found.expiresAt?.toISOString() ?? null,
    bytes: found.bytes,
    rows: found.rows,
    sha256: found.sha256,
  };
}

export function deletionView(found: Deletion) {
  return {
    deletion_id: found.deletionId,
    user_id: found.userId,
    status: found.state,
    forfeit_credits: found.forfeits,
    requested_at: found.requestedAt.toISOString(),
    confirm_from: found.confirmFrom.toISOString(),
    confirmed_at: found.confirmedAt?.toISOString() ?? null,
    blocked_by: found.blockedBy,
    ended_at: found.endedAt?.toISOString() ?? null,
    gone_by: found.goneBy?.toISOString() ?? null,
  };
}
