/** What agents call back about probes (`migrations/0076_probe_jobs.sql`, ADR 0317). The outcomes are those of calls. */
import type { Milestone } from '../../domain/catalogue/capabilities';
import { type Db, onlyRow } from '../db';
import type { Added, CalledBack, Heard, JobEnd, Notified } from './job-callbacks';
import type { PieceAdded } from './job-pieces';

/** An agent may repeat a callback for so long and learn that the call is over. */
const KEPT_DAYS = 31;

/**
 * Makes the row of a probe that is about to be sent, or empties it for another attempt. Deletes some that are old, and
 * ends some whose process was killed: no probe takes a day.
 */
export async function beginProbeJob(
  db: Db,
  invocationId: string,
  { agentId, versionId }: { agentId: string; versionId: string },
): Promise<void> {
  await db.query({
    name: 'probe-job-begin',
    text: `WITH old AS (
             DELETE FROM probe_jobs WHERE invocation_id IN (
               SELECT o.invocation_id FROM probe_jobs o WHERE o.began_at < now() - interval '${KEPT_DAYS} days'
               ORDER BY o.began_at LIMIT 10 FOR UPDATE SKIP LOCKED)),
           lost AS (
             UPDATE probe_jobs SET over_at = now(), end_body = NULL WHERE invocation_id IN (
               SELECT o.invocation_id FROM probe_jobs o
                WHERE o.over_at IS NULL AND o.began_at BETWEEN now() - interval '${KEPT_DAYS} days' AND now() - interval '1 day'
                ORDER BY o.began_at LIMIT 10 FOR UPDATE SKIP LOCKED))
           INSERT INTO probe_jobs (invocation_id, agent_id, version_id) VALUES ($1, $2, $3)
           ON CONFLICT (invocation_id) DO UPDATE SET over_at = NULL, end_kind = NULL, end_webhook = NULL, end_body = NULL,
             taken_at = NULL, reached = '{}'`,
    values: [invocationId, agentId, versionId],
  });
}

/** Notes that the 202 of the agent was read. */
export async function acceptProbeJob(db: Db, invocationId: string): Promise<void> {
  await db.query({
    name: 'probe-job-accept',
    text: 'UPDATE probe_jobs SET taken_at = now() WHERE invocation_id = $1',
    values: [invocationId],
  });
}

/** Reads what checks a callback about a probe; undefined if there is no such probe. */
export async function readProbeCalledBack(db: Db, invocationId: string): Promise<CalledBack | undefined> {
  const { rows } = await db.query<CalledBack>({
    name: 'probe-job-called-back',
    text: `SELECT a.agent_id AS "agentId", a.developer_user_id AS "developerUserId",
                  a.signing_secret AS "sealedSigningSecret"
             FROM probe_jobs p JOIN agents a USING (agent_id) WHERE p.invocation_id = $1`,
    values: [invocationId],
  });
  return rows[0];
}

/** Reads the probe that an agent notifies about; undefined if there is no such probe. */
export async function readProbeNotified(db: Db, invocationId: string): Promise<Notified | undefined> {
  const { rows } = await db.query<Notified>({
    name: 'probe-job-notified',
    text: `SELECT a.developer_user_id AS "developerUserId",
                  CASE WHEN p.over_at IS NULL THEN 'early' ELSE 'over' END AS state
             FROM probe_jobs p JOIN agents a USING (agent_id) WHERE p.invocation_id = $1`,
    values: [invocationId],
  });
  return rows[0];
}

/** Reads the milestones of the version that a probe calls; undefined if there is no such probe. */
export async function readProbeMilestones(db: Db, invocationId: string): Promise<Milestone[] | undefined> {
  const { rows } = await db.query<{ milestones: Milestone[] | null }>({
    name: 'probe-job-milestones',
    text: `SELECT manifest_json(v.manifest) #> '{capabilities,jobs,milestones}' AS milestones
             FROM probe_jobs p LEFT JOIN agent_versions v USING (version_id) WHERE p.invocation_id = $1`,
    values: [invocationId],
  });
  const [row] = rows;
  return row && (row.milestones ?? []);
}

/** Notes a piece of the answer to a probe, or a milestone. The piece is not kept. */
export async function addProbePiece(
  db: Db,
  invocationId: string,
  { webhookId, milestone }: { webhookId: string; milestone: string | null },
): Promise<Exclude<PieceAdded, 'full'>> {
  const { rows } = await db.query<{ outcome: Exclude<PieceAdded, 'full'> }>({
    name: 'probe-job-piece',
    text: `WITH found AS (SELECT * FROM probe_jobs WHERE invocation_id = $1 FOR NO KEY UPDATE),
           told AS (
             SELECT f.*, CASE WHEN f.heard_webhook = $2 OR f.reached ->> $3 = $2 THEN 'repeated'
               WHEN f.over_at IS NOT NULL OR f.end_kind IS NOT NULL THEN 'over'
               WHEN f.taken_at IS NULL AND f.version_id IS NOT NULL THEN 'early'
               WHEN f.reached ? $3 THEN 'reached' ELSE 'added' END AS outcome FROM found f),
           changed AS (
             UPDATE probe_jobs p SET heard_at = now(), heard_webhook = $2, reports = p.reports + 1,
                 reached = CASE WHEN $3::text IS NULL THEN p.reached ELSE p.reached || jsonb_build_object($3, $2::text) END
               FROM told t WHERE p.invocation_id = t.invocation_id AND t.outcome = 'added')
           SELECT outcome FROM told`,
    values: [invocationId, webhookId, milestone],
  });
  return rows[0]?.outcome ?? 'unknown';
}

/** Notes a report of an agent about a probe. */
export async function noteProbeHeard(
  db: Db,
  invocationId: string,
  { webhookId, progress }: { webhookId: string; progress: number },
): Promise<Heard> {
  const { rows } = await db.query<{ outcome: Heard }>({
    name: 'probe-job-heard',
    text: `WITH found AS (SELECT * FROM probe_jobs WHERE invocation_id = $1 FOR NO KEY UPDATE),
           told AS (
             SELECT f.*, CASE WHEN f.over_at IS NOT NULL OR f.end_kind IS NOT NULL THEN 'over'
               WHEN f.heard_webhook = $2 THEN 'repeated' ELSE 'heard' END AS outcome FROM found f),
           changed AS (
             UPDATE probe_jobs p SET heard_at = now(), heard_webhook = $2, reports = p.reports + 1,
                 backwards = p.backwards + coalesce($3::real < p.progress, false)::integer, progress = greatest(p.progress, $3::real)
               FROM told t WHERE p.invocation_id = t.invocation_id AND t.outcome = 'heard')
           SELECT outcome FROM told`,
    values: [invocationId, webhookId, progress],
  });
  return rows[0]?.outcome ?? 'unknown';
}

/** Keeps the end that is called back about a probe. Only the first one counts, and none once the probe is over. */
export async function addProbeEnd(db: Db, invocationId: string, end: JobEnd): Promise<Added> {
  const { rows } = await db.query<{ outcome: Added }>({
    name: 'probe-job-end',
    text: `WITH found AS (SELECT * FROM probe_jobs WHERE invocation_id = $1 FOR NO KEY UPDATE),
           told AS (
             SELECT f.*, CASE WHEN f.over_at IS NOT NULL THEN 'over' WHEN f.end_kind IS NULL THEN 'added'
               WHEN f.end_webhook = $2 THEN 'repeated' ELSE 'over' END AS outcome FROM found f),
           changed AS (
             UPDATE probe_jobs p SET heard_at = now(), end_webhook = $2, end_kind = $3, end_body = $4
               FROM told t WHERE p.invocation_id = t.invocation_id AND t.outcome = 'added'),
           late AS (
             UPDATE probe_jobs p SET late = p.late + 1
               FROM told t WHERE p.invocation_id = t.invocation_id AND t.over_at IS NOT NULL)
           SELECT outcome FROM told`,
    values: [invocationId, end.webhookId, end.kind, end.sealedBody],
  });
  return rows[0]?.outcome ?? 'unknown';
}

/** Counts a callback about a probe that no secret of the agent had signed. Does nothing for other calls. */
export async function noteProbeUnsigned(db: Db, invocationId: string): Promise<void> {
  await db.query({
    name: 'probe-job-unsigned',
    text: 'UPDATE probe_jobs SET unsigned = unsigned + 1 WHERE invocation_id = $1',
    values: [invocationId],
  });
}

export interface ProbeJobRow {
  heardAt: Date | null;
  end: { kind: 'answer' | 'failure'; sealedBody: Buffer } | null;
  late: number;
}

export async function readProbeJob(db: Db, invocationId: string): Promise<ProbeJobRow> {
  const row = onlyRow(
    await db.query<{
      heard_at: Date | null;
      end_kind: 'answer' | 'failure' | null;
      end_body: Buffer | null;
      late: number;
    }>({
      name: 'probe-job-read',
      text: 'SELECT heard_at, end_kind, end_body, late FROM probe_jobs WHERE invocation_id = $1',
      values: [invocationId],
    }),
  );
  const { end_kind: kind, end_body: sealedBody } = row;
  return { heardAt: row.heard_at, end: kind && sealedBody ? { kind, sealedBody } : null, late: row.late };
}

export interface ProbeJobCounts {
  reports: number;
  backwards: number;
  unsigned: number;
}

/** Ends a probe: what is called back from now on is refused, as for a call that is over. */
export async function endProbeJob(db: Db, invocationId: string): Promise<ProbeJobCounts> {
  return onlyRow(
    await db.query<ProbeJobCounts>({
      name: 'probe-job-over',
      text: `UPDATE probe_jobs SET over_at = coalesce(over_at, now()), end_body = NULL WHERE invocation_id = $1
             RETURNING reports, backwards, unsigned`,
      values: [invocationId],
    }),
  );
}
