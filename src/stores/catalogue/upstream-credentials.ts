import type { Db } from '../db';

/** The stored credential of an agent. Its value is sealed; the context contains agent and header. */
export interface SealedCredential {
  /** Lower-case name of the header that carries it. */
  header: string;
  sealed: Buffer;
}

export async function readCredential(db: Db, agentId: string): Promise<SealedCredential | undefined> {
  const { rows } = await db.query<{ header: string; sealed: Buffer }>({
    name: 'upstream-credential',
    text: 'SELECT header, sealed FROM upstream_credentials WHERE agent_id = $1',
    values: [agentId],
  });
  return rows[0];
}

export async function writeCredential(
  tx: Db,
  agentId: string,
  credential: SealedCredential & { keyVersion: number },
): Promise<void> {
  await tx.query(
    `INSERT INTO upstream_credentials (agent_id, header, sealed, key_version) VALUES ($1, $2, $3, $4)
     ON CONFLICT (agent_id) DO UPDATE SET header = excluded.header, sealed = excluded.sealed,
       key_version = excluded.key_version, set_at = now()`,
    [agentId, credential.header, credential.sealed, credential.keyVersion],
  );
}

export async function deleteCredential(tx: Db, agentId: string): Promise<void> {
  await tx.query('DELETE FROM upstream_credentials WHERE agent_id = $1', [agentId]);
}

/** Returns those of the given agents that have a credential. */
export async function agentsWithCredential(db: Db, agentIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ agent_id: string }>(
    'SELECT agent_id FROM upstream_credentials WHERE agent_id = ANY($1)',
    [agentIds],
  );
  return new Set(rows.map((row) => row.agent_id));
}
