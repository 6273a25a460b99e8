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
