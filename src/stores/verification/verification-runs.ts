import type { EvidenceStage } from '../../domain/verification/probe-facts';
import type { Db } from '../db';

export type RunState = 'running' | 'passed' | 'failed' | 'faulted';

export interface RunRow {
  runId: string;
  agentId: string;
  versionId: string;
  reason: string;
  state: RunState;
  summary: string | null;
  startedAt: Date;
  finishedAt: Date | null;
}

interface RawRun {
  run_id: string;
  agent_id: string;
  version_id: string;
  reason: string;
  state: RunState;
  summary: string | null;
  started_at: Date;
  finished_at: Date | null;
}

export async function insertRun(
  tx: Db,
  run: Pick<RunRow, 'runId' | 'agentId' | 'versionId' | 'reason'>,
): Promise<void> {
  await tx.query(
    'INSERT INTO verification_runs (run_id, agent_id, version_id, reason) VALUES ($1, $2, $3, $4)',
    [run.runId, run.agentId, run.versionId, run.reason],
  );
}

export async function readRun(db: Db, runId: string): Promise<RunRow | undefined> {
  const result = await db.query<RawRun>(
    'SELECT run_id, agent_id, version_id, reason, state, summary, started_at, finished_at FROM verification_runs WHERE run_id = $1',
    [runId],
  );
  return result.rows[0] && toRun(result.rows[0]);
}

export interface LatestRun {
  runId: string;
  version: string;
  state: RunState;
  startedAt: Date;
  finishedAt: Date | null;
  summary: string | null;
  /** The endpoint of its version. */
  endpointUrl: string;
  /** When the evidence of each stage was stored. */
  storedAt: Partial<Record<EvidenceStage, Date>>;
}

/** The newest run of an agent, over all its versions; undefined before the first. */
export async function readLatestRun(db: Db, agentId: string): Promise<LatestRun | undefined> {
  const { rows } = await db.query<
    Pick<RawRun, 'run_id' | 'state' | 'summary' | 'started_at' | 'finished_at'> & {
      version: string;
      endpoint_url: string;
      stored_at: Partial<Record<EvidenceStage, string>> | null;
    }
  >(
    `SELECT r.run_id, v.version, v.endpoint_url, r.state, r.summary, r.started_at, r.finished_at,
            (SELECT jsonb_object_agg(e.stage, e.stored_at) FROM verification_evidence e WHERE e.run_id = r.run_id)
              AS stored_at
       FROM verification_runs r JOIN agent_versions v USING (version_id)
      WHERE r.agent_id = $1 ORDER BY r.sequence DESC LIMIT 1`,
    [agentId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const stored = Object.entries(row.stored_at ?? {}).map(([stage, at]) => [stage, new Date(at)]);
  return {
    runId: row.run_id,
    version: row.version,
    state: row.state,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    summary: row.summary,
    endpointUrl: row.endpoint_url,
    storedAt: Object.fromEntries(stored) as LatestRun['storedAt'],
  };
}

export async function finishRun(
  tx: Db,
  runId: string,
  state: Exclude<RunState, 'running'>,
  summary: string,
): Promise<void> {
  await tx.query(
    `UPDATE verification_runs SET state = $2, summary = $3, finished_at = now() WHERE run_id = $1 AND state = 'running'`,
    [runId, state, summary],
  );
}

function toRun(row: RawRun): RunRow {
  return {
    runId: row.run_id,
    agentId: row.agent_id,
    versionId: row.version_id,
    reason: row.reason,
    state: row.state,
    summary: row.summary,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
