import type { Severity } from '../../domain/verification/trust';
import type { Db } from '../db';
import { countRows } from '../list-total';

/** Waivers of findings (`migrations/0014_verification.sql`). */
export interface WaiverRow {
  waiverId: string;
  agentId: string;
  findingId: string;
  severity: Severity;
  category: string;
  description: string;
  reason: string;
  grantedBy: string;
  grantedAt: Date;
  expiresAt: Date;
  /** When it was revoked or expired; null while it holds. */
  endedAt: Date | null;
  endedBy: string | null;
  endReason: string | null;
}

export interface NewWaiver {
  waiverId: string;
  agentId: string;
  findingId: string;
  reason: string;
  grantedBy: string;
  days: number;
}

const SELECT = `SELECT w.waiver_id AS "waiverId", w.agent_id AS "agentId", w.finding_id AS "findingId",
    f.severity, f.category, f.description, w.reason, w.granted_by AS "grantedBy", w.granted_at AS "grantedAt",
    w.expires_at AS "expiresAt", w.ended_at AS "endedAt", w.ended_by AS "endedBy", w.end_reason AS "endReason"
  FROM finding_waivers w JOIN findings f USING (finding_id)`;

/**
 * Waives a finding as it was last seen: its fingerprint and its mark. Returns false if a waiver of the same already
 * holds.
 */
export async function insertWaiver(tx: Db, waiver: NewWaiver): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO finding_waivers (waiver_id, agent_id, finding_id, fingerprint, mark, reason, granted_by, expires_at)
     SELECT $1, agent_id, finding_id, fingerprint, mark, $4, $5, now() + $6 * interval '1 day'
       FROM findings WHERE finding_id = $3 AND agent_id = $2
     ON CONFLICT (agent_id, fingerprint, mark) WHERE ended_at IS NULL DO NOTHING`,
    [waiver.waiverId, waiver.agentId, waiver.findingId, waiver.reason, waiver.grantedBy, waiver.days],
  );
  return rowCount === 1;
}

export async function readWaiver(db: Db, waiverId: string): Promise<WaiverRow | undefined> {
  const { rows } = await db.query<WaiverRow>(`${SELECT} WHERE w.waiver_id = $1`, [waiverId]);
  return rows[0];
}

/** Lists waivers, newest first, with the total. `holding`: only those that hold, or only those that ended. */
export async function listWaivers(
  db: Db,
  page: {
    agentId?: string | undefined;
    holding?: boolean | undefined;
    limit: number;
    beforeId?: string | undefined;
  },
): Promise<{ rows: WaiverRow[]; total: number }> {
  const filter = `($2::boolean IS NULL OR (w.ended_at IS NULL) = $2)`;
  const key = page.agentId === undefined ? '$1::text IS NULL' : 'w.agent_id = $1';
  const values = [page.agentId ?? null, page.holding ?? null];
  const { rows } = await db.query<WaiverRow>(
    `${SELECT} WHERE ${key} AND ${filter} AND ($3::text IS NULL OR w.waiver_id < $3)
      ORDER BY w.waiver_id DESC LIMIT $4`,
    [...values, page.beforeId ?? null, page.limit],
  );
  const list = { from: 'finding_waivers w', key, filter, order: 'w.waiver_id DESC' };
  return { rows, total: await countRows(db, list, values) };
}

interface HeldWaiver {
  waiver_id: string;
  fingerprint: string;
  mark: string;
  reason: string;
  expires_at: string;
}

const HELD = `SELECT waiver_id, fingerprint, mark, reason,
  to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS expires_at FROM finding_waivers`;

/** The waivers that hold now, oldest first. */
export async function readWaiversInEffect(db: Db, agentId: string): Promise<HeldWaiver[]> {
  const { rows } = await db.query<HeldWaiver>(
    `${HELD} WHERE agent_id = $1 AND ended_at IS NULL AND expires_at > now() ORDER BY waiver_id`,
    [agentId],
  );
  return rows;
}

/** The waivers with these ids, whether they hold or not. */
export async function readWaiversById(db: Db, waiverIds: readonly string[]): Promise<HeldWaiver[]> {
  if (waiverIds.length === 0) return [];
  const { rows } = await db.query<HeldWaiver>(`${HELD} WHERE waiver_id = ANY ($1) ORDER BY waiver_id`, [
    waiverIds,
  ]);
  return rows;
}

/** Ends a waiver. Returns false if it has ended before. */
export async function revokeWaiver(
  tx: Db,
  waiverId: string,
  end: { by: string; reason: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE finding_waivers SET ended_at = now(), ended_by = $2, end_reason = $3, asked_at = NULL
      WHERE waiver_id = $1 AND ended_at IS NULL`,
    [waiverId, end.by, end.reason],
  );
  return rowCount === 1;
}

/** Ends the waivers that have expired, `most` at a time. Returns their ids. */
export async function expireWaivers(tx: Db, most: number): Promise<string[]> {
  const { rows } = await tx.query<{ waiver_id: string }>(
    `UPDATE finding_waivers SET ended_at = now(), asked_at = NULL WHERE waiver_id IN (
       SELECT waiver_id FROM finding_waivers WHERE ended_at IS NULL AND expires_at <= now()
        ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING waiver_id`,
    [most],
  );
  return rows.map((row) => row.waiver_id);
}

/** Lists agents with a waiver that began or ended since a run was requested, and the version to name. */
export async function listUnaskedWaivers(
  db: Db,
  { agentId, most }: { agentId?: string | undefined; most: number },
): Promise<{ agentId: string; versionId: string }[]> {
  const { rows } = await db.query<{ agentId: string; versionId: string }>(
    `SELECT w.agent_id AS "agentId", coalesce(a.serving_version_id, v.version_id) AS "versionId"
       FROM (SELECT DISTINCT agent_id FROM (SELECT agent_id FROM finding_waivers WHERE asked_at IS NULL
              AND ($2::text IS NULL OR agent_id = $2) ORDER BY waiver_id LIMIT $1) u) w
       JOIN agents a USING (agent_id)
       JOIN LATERAL (SELECT version_id FROM agent_versions v WHERE v.agent_id = w.agent_id
              ORDER BY major DESC, minor DESC, patch DESC LIMIT 1) v ON true`,
    [most, agentId ?? null],
  );
  return rows;
}

export async function markWaiversAsked(db: Db, agentId: string): Promise<void> {
  await db.query('UPDATE finding_waivers SET asked_at = now() WHERE agent_id = $1 AND asked_at IS NULL', [
    agentId,
  ]);
}
