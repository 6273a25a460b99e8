/** Evidence of runs by stage, and re-probes between runs (migrations/0830). */
import { EVIDENCE_STAGES, type EvidenceStage, type RunEvidence } from '../../domain/verification/probe-facts';
import type { VersionDocument } from '../../domain/catalogue/manifest';
import type { Db } from '../db';

/** Keeps the first evidence of a stage; a repetition changes nothing. */
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

/** All that a run gathered; undefined while a stage is missing. */
export async function readRunEvidence(db: Db, runId: string): Promise<RunEvidence | undefined> {
  const { rows } = await db.query<{ stage: EvidenceStage; evidence: string }>(
    'SELECT stage, evidence FROM verification_evidence WHERE run_id = $1',
    [runId],
  );
  const found = new Map(rows.map(({ stage, evidence }) => [stage, JSON.parse(evidence) as unknown]));
  if (!EVIDENCE_STAGES.every((stage) => found.has(stage))) return undefined;
  return Object.fromEntries(found) as unknown as RunEvidence;
}

/** The manifest of a version, or what its registration derived. */
export async function readDocument(db: Db, versionId: string): Promise<VersionDocument | undefined> {
  const { rows } = await db.query<{ manifest: string }>(
    'SELECT manifest FROM agent_versions WHERE version_id = $1',
    [versionId],
  );
  return rows[0] && (JSON.parse(rows[0].manifest) as VersionDocument);
}

export interface ReprobeRow {
  /** Of the call that was made; a repetition of the step stores it once. */
  reprobeId: string;
  agentId: string;
  versionId: string;
  code: string;
  /** False: the agent could not be reached, which says nothing of how it behaves. */
  reached: boolean;
}

export async function insertReprobe(db: Db, row: ReprobeRow): Promise<void> {
  await db.query(
    `INSERT INTO verification_reprobes (reprobe_id, agent_id, version_id, code, reached)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [row.reprobeId, row.agentId, row.versionId, row.code, row.reached],
  );
}

/** Gives the run the re-probes of its version that no run has taken yet; all that it has, oldest first. */
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
