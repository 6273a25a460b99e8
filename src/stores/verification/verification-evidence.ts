/** Evidence of verification runs by stage, and re-probes between runs (`migrations/0014_verification.js`). */
import { EVIDENCE_STAGES, type EvidenceStage, type RunEvidence } from '../../domain/verification/probe-facts';
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

/** Reads all evidence of a run; undefined while a stage is missing. */
export async function readRunEvidence(db: Db, runId: string): Promise<RunEvidence | undefined> {
  const { rows } = await db.query<{ stage: EvidenceStage; evidence: string }>(
    'SELECT stage, evidence FROM verification_evidence WHERE run_id = $1',
    [runId],
  );
  const found = new Map(rows.map(({ stage, evidence }) => [stage, JSON.parse(evidence) as unknown]));
  if (!EVIDENCE_STAGES.every((stage) => found.has(stage))) return undefined;
  return Object.fromEntries(found) as unknown as RunEvidence;
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

/** Assigns the version's unassigned re-probes to a run. Returns all re-probes of the run, oldest first. */
export async function takeReprobes(
  tx: Db,
  runId: string,
  versionId: string,
): Promise<{ code: string; reached: boolean }[]> {
  await tx.query('UPDATE verification_reprobes SET run_id = $1 WHERE version_id = $2 AND run_id IS NULL', [
    runId,
    versionId,
  ]);
  const { rows } = await tx.query<{ code: string; reached: boolean }>(
    'SELECT code, reached FROM verification_reprobes WHERE run_id = $1 ORDER BY sequence',
    [runId],
  );
  return rows;
}
