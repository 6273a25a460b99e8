import type { Db } from '../db';

/** The stored credential of an agent's endpoint. Its value is sealed; the context contains agent and header. */
export interface SealedCredential {
  /** Lower-case name of the header that carries it. */
  header: string;
  sealed: Buffer;
}

/** An agent, and the origin of its endpoint. */
export interface CredentialPlace {
  agentId: string;
  origin: string;
}

/** Returns the credential that was given for this endpoint's origin. */
export async function readCredential(
  db: Db,
  { agentId, origin }: CredentialPlace,
): Promise<SealedCredential | undefined> {
  const { rows } = await db.query<{ header: string; sealed: Buffer }>({
    name: 'upstream-credential',
    text: 'SELECT header, sealed FROM upstream_credentials WHERE agent_id = $1 AND origin = $2',
    values: [agentId, origin],
  });
  return rows[0];
}

export async function writeCredential(
  tx: Db,
  { agentId, origin }: CredentialPlace,
  credential: SealedCredential & { keyVersion: number },
): Promise<void> {
  await tx.query(
    `INSERT INTO upstream_credentials (agent_id, origin, header, sealed, key_version) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (agent_id, origin) DO UPDATE SET header = excluded.header, sealed = excluded.sealed,
       key_version = excluded.key_version, set_at = now()`,
    [agentId, origin, credential.header, credential.sealed, credential.keyVersion],
  );
}

export async function deleteCredential(tx: Db, { agentId, origin }: CredentialPlace): Promise<void> {
  await tx.query('DELETE FROM upstream_credentials WHERE agent_id = $1 AND origin = $2', [agentId, origin]);
}

/** Deletes the credentials of an agent for all other origins. */
export async function deleteOtherCredentials(
  tx: Db,
  agentId: string,
  origins: readonly string[],
): Promise<void> {
  await tx.query('DELETE FROM upstream_credentials WHERE agent_id = $1 AND origin <> ALL ($2::text[])', [
    agentId,
    origins,
  ]);
}

/** Returns those of the given agents that have a credential for the endpoint of their newest version. */
export async function agentsWithCredential(db: Db, agentIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ agent_id: string }>(
    `SELECT c.agent_id FROM upstream_credentials c WHERE c.agent_id = ANY($1) AND c.origin =
       (SELECT substring(v.endpoint_url FROM '^https://[^/]+') FROM agent_versions v WHERE v.agent_id = c.agent_id
         ORDER BY v.major DESC, v.minor DESC, v.patch DESC LIMIT 1)`,
    [agentIds],
  );
  return new Set(rows.map((row) => row.agent_id));
}
