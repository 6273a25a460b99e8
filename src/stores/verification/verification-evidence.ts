/** Evidence of verification runs by stage, and re-probes between runs (`migrations/0014_verification.sql`). */
import { EVIDENCE_STAGES, type EvidenceStage, type RunEvidence } from '../../domain/verification/probe-facts';
import { joinShares } from '../../domain/verification/live-shares';
import type { VersionDocument } from '../../domain/catalogue/manifest';
import type { Db } from '../db';

/** Stores the evidence of a stage. If it exists already, the first evidence is kept. */
export async function storeStageEvidence<S extends EvidenceStage>(
  db: Db,
  runId: string,
  stage: S,
  evidence: RunEvidence[S],
): Promise<void> {
  await db.query(
    `INSERT INTO verification_evidence (run_id, stage, evidence) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    [runId, stage, JSON.stringify(evidence)],
  );
}

export async function hasStageEvidence(db: Db, runId: string, stage: EvidenceStage): Promise<boolean> {
  const { rows } = await db.query('SELECT 1 FROM verification_evidence WHERE run_id = $1 AND stage = $2', [
    runId,
    stage,
  ]);
  return rows.length > 0;
}

/** Reads all evidence of a run, that of the stages at the endpoint joined; undefined while a stage is missing. */
export async function readRunEvidence(db: Db, runId: string): Promise<RunEvidence | undefined> {
  const { rows } = await db.query<{ stage: EvidenceStage; evidence: string }>(
    'SELECT stage, evidence FROM verification_evidence WHERE run_id = $1',
    [runId],
  );
  const found = new Map(rows.map(({ stage, evidence }) => [stage, JSON.parse(evidence) as unknown]));
  if (!EVIDENCE_STAGES.every((stage) => found.has(stage))) return undefined;
  return joinShares(Object.fromEntries(found) as unknown as RunEvidence);
}

/** The manifest of a version, or the document derived from a registration. */
export async function readDocument(db: Db, versionId: string): Promise<VersionDocument | undefined> {
  const { rows } = await db.query<{ manifest: string }>(
    'SELECT manifest FROM agent_versions WHERE version_id = $1',
    [versionId],
  );
  return rows[0] && (JSON.parse(rows[0].manifest) as VersionDocument);
}

export interface ReprobeRow {
  /** Id of the probing call. A repeated step stores it once. */
  reprobeId: string;
  agentId: string;
  versionId: string;
  code: string;
  /** False if the agent could not be reached, which is not evidence of its behaviour. */
  reached: boolean;
}

export async function insertReprobe(db: Db, row: ReprobeRow): Promise<void> {
  await db.query(
    `INSERT INTO verification_reprobes (reprobe_id, agent_id, version_id, code, reached)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [row.reprobeId, row.agentId, row.versionId, row.code, row.reached],
  );
}

/** How many re-probes of an agent count. */
const MOST_REPROBES = 100;

/** Assigns the agent's unassigned re-probes to a run. Returns the agent's latest re-probes, oldest first. */
export async function claimReprobes(
  tx: Db,
  runId: string,
  agentId: string,
): Promise<{ code: string; reached: boolean }[]> {
  await tx.query('UPDATE verification_reprobes SET run_id = $1 WHERE agent_id = $2 AND run_id IS NULL', [
    runId,
    agentId,
  ]);
  return readReprobes(tx, agentId);
}

/** Returns the agent's latest re-probes, oldest first. */
export async function readReprobes(db: Db, agentId: string): Promise<{ code: string; reached: boolean }[]> {
  const { rows } = await db.query<{ code: string; reached: boolean }>(
    'SELECT code, reached FROM verification_reprobes WHERE agent_id = $1 ORDER BY sequence DESC LIMIT $2',
    [agentId, MOST_REPROBES],
  );
  return rows.reverse();
}

/**
 * Counts the clean re-probes since an agent's findings of some rules were last seen, for the findings of the last year;
 * by rule.
 */
export async function readCleanLooks(
  db: Db,
  agentId: string,
  rules: readonly string[],
): Promise<{ rule: string; clean: number }[]> {
  const { rows } = await db.query<{ rule: string; clean: string }>(
    `SELECT s.rule, (SELECT count(*) FROM verification_reprobes p
                      WHERE p.agent_id = $1 AND p.reached AND p.code = 'conforms' AND p.made_at > s.seen_at) AS clean
       FROM (SELECT split_part(f.fingerprint, ':', 1) AS rule, max(r.verified_at) AS seen_at
               FROM findings f JOIN trust_reports r ON r.run_id = f.last_run_id
              WHERE f.agent_id = $1 AND split_part(f.fingerprint, ':', 1) = ANY ($2)
                AND r.verified_at > now() - interval '1 year' GROUP BY 1) s ORDER BY s.rule`,
    [agentId, rules],
  );
  return rows.map(({ rule, clean }) => ({ rule, clean: Number(clean) }));
}

/** The evidence of the newest report of an agent's serving versions; undefined if there is none. */
export async function readServingEvidence(db: Db, agentId: string): Promise<RunEvidence | undefined> {
  const { rows } = await db.query<{ run_id: string }>(
    'SELECT run_id FROM trust_reports WHERE agent_id = $1 AND counts ORDER BY sequence DESC LIMIT 1',
    [agentId],
  );
  return rows[0] && readRunEvidence(db, rows[0].run_id);
}
