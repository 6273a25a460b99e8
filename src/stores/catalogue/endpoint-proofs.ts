import type { ProofMethod } from '../../domain/catalogue/ownership';
import type { Db } from '../db';

export interface EndpointProof {
  method: ProofMethod;
  provenAt: Date;
  /** When it was last found. */
  checkedAt: Date;
  /** How long ago that was. */
  ageDays: number;
}

/** The proof that the owner of an agent controls this origin; undefined if none was found. */
export async function readProof(db: Db, agentId: string, origin: string): Promise<EndpointProof | undefined> {
  const { rows } = await db.query<EndpointProof>(
    `SELECT method, proven_at AS "provenAt", checked_at AS "checkedAt",
            extract(epoch FROM now() - checked_at)::float8 / 86400 AS "ageDays"
       FROM endpoint_proofs WHERE agent_id = $1 AND origin = $2`,
    [agentId, origin],
  );
  return rows[0];
}

/** Stores a proof that was found, or that it was found again. */
export async function putProof(
  db: Db,
  proof: { agentId: string; origin: string; method: ProofMethod },
): Promise<void> {
  await db.query(
    `INSERT INTO endpoint_proofs AS p (agent_id, origin, method) VALUES ($1, $2, $3)
     ON CONFLICT (agent_id, origin) DO UPDATE SET method = excluded.method, checked_at = now()`,
    [proof.agentId, proof.origin, proof.method],
  );
}

/** Ends a proof that is no longer found. */
export async function deleteProof(db: Db, agentId: string, origin: string): Promise<void> {
  await db.query('DELETE FROM endpoint_proofs WHERE agent_id = $1 AND origin = $2', [agentId, origin]);
}

/** The public id of an agent's developer, which its host may name as its owner; null for an account without one. */
export async function readOwnerId(db: Db, agentId: string): Promise<string | null> {
  const { rows } = await db.query<{ developer_id: string | null }>(
    'SELECT u.developer_id FROM agents a JOIN users u ON u.user_id = a.developer_user_id WHERE a.agent_id = $1',
    [agentId],
  );
  return rows[0]?.developer_id ?? null;
}

export interface FirstRun {
  runId: string;
  agentId: string;
  origin: string;
  host: string;
  developerUserId: string;
}

/**
 * Claims the one run of an agent at an origin that needs no proof. Returns true for that run, however often it asks. A
 * developer gets one such run a day at a host, over all agents. Serializes the developer's claims of the host.
 */
export async function claimFirstRun(tx: Db, run: FirstRun): Promise<boolean> {
  const { runId, agentId, origin, host, developerUserId } = run;
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('first-runs/' || $1 || '/' || $2, 0))`, [
    developerUserId,
    host,
  ]);
  const { rows } = await tx.query<{ is_first: boolean }>(
    `WITH claimed AS (
       INSERT INTO first_runs (run_id, agent_id, origin, host, developer_user_id)
       SELECT $1, $2, $3, $4, $5
        WHERE NOT EXISTS (SELECT FROM first_runs WHERE developer_user_id = $5 AND host = $4
                             AND began_at > now() - interval '1 day')
       ON CONFLICT DO NOTHING RETURNING run_id)
     SELECT EXISTS (SELECT FROM claimed) OR EXISTS (SELECT FROM first_runs WHERE run_id = $1) AS is_first`,
    [runId, agentId, origin, host, developerUserId],
  );
  return rows[0]?.is_first ?? false;
}
