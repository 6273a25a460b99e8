/** Visibility of agents, and the accounts that see a private one (`migrations/0150_agent_visibility.sql`). */
import type { AgentVisibility } from '../../../domain/catalogue/agent-state';
import type { Db } from '../../db';
import { countRows } from '../../list-total';
import { type ListingRow, type RawListing, RECORD, toListing } from '../listings';

/** Sets whom an agent is shown to, and with it whether search lists it. The caller holds the lock of the agent. */
export async function setVisibility(tx: Db, agentId: string, visibility: AgentVisibility): Promise<void> {
  await tx.query('SELECT agent_standing_write($1, $2)', [agentId, visibility]);
}

/** An account in an audience. */
export interface AudienceRow {
  ownerId: string;
  /** The id by which it was added: that of the account or organisation, or of its developer. */
  namedAs: string;
  addedAt: Date;
}

/** A name of an account: its id, or the id of its developer. */
export interface KnownOwner {
  ownerId: string;
  namedAs: string;
}

/** The accounts among these ids (`usr_…`, `org_…` or `dev_…`), each by the id that names it. */
export async function findOwners(db: Db, names: readonly string[]): Promise<KnownOwner[]> {
  const { rows } = await db.query<KnownOwner>(
    `SELECT u.user_id AS "ownerId", n.name AS "namedAs" FROM unnest($1::text[]) n(name)
       JOIN users u ON u.user_id = n.name OR u.developer_id = n.name WHERE u.kind <> 'payer'`,
    [names],
  );
  return rows;
}

/** `part`: only ids that contain it. */
export async function countAudience(db: Db, agentId: string, part = ''): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM agent_audience WHERE agent_id = $1 AND strpos(named_as, $2) > 0',
    [agentId, part.toLowerCase()],
  );
  return rows[0]?.n ?? 0;
}

/** Adds accounts that are not in the audience yet. */
export async function addToAudience(tx: Db, agentId: string, owners: readonly KnownOwner[]): Promise<void> {
  await tx.query(
    `INSERT INTO agent_audience (agent_id, owner_id, named_as)
     SELECT $1, o.owner_id, o.named_as FROM unnest($2::text[], $3::text[]) o(owner_id, named_as)
     ON CONFLICT (agent_id, owner_id) DO NOTHING`,
    [agentId, owners.map(({ ownerId }) => ownerId), owners.map(({ namedAs }) => namedAs)],
  );
}

/** Removes an account by its own id or the one by which it was added. False if it is not in the audience. */
export async function removeFromAudience(tx: Db, agentId: string, name: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'DELETE FROM agent_audience WHERE agent_id = $1 AND (owner_id = $2 OR named_as = $2)',
    [agentId, name],
  );
  return (rowCount ?? 0) > 0;
}

export interface AudiencePage {
  limit: number;
  afterId?: string | undefined;
  /** Only ids that contain it, in any case. */
  part?: string | undefined;
}

/** Lists an audience by the ids of its accounts. */
export async function listAudience(
  db: Db,
  agentId: string,
  { limit, afterId, part }: AudiencePage,
): Promise<{ rows: AudienceRow[]; total: number }> {
  const { rows } = await db.query<AudienceRow>(
    `SELECT owner_id AS "ownerId", named_as AS "namedAs", added_at AS "addedAt" FROM agent_audience
      WHERE agent_id = $1 AND ($2::text IS NULL OR owner_id > $2) AND strpos(named_as, $4) > 0
      ORDER BY owner_id LIMIT $3`,
    [agentId, afterId ?? null, limit, part?.toLowerCase() ?? ''],
  );
  return { rows, total: await countAudience(db, agentId, part) };
}

/** Lists the live private agents of others that are shown to an account, by their ids. */
export async function listShared(
  db: Db,
  ownerId: string,
  page: { limit: number; afterId?: string | undefined },
): Promise<{ rows: ListingRow[]; total: number }> {
  const from = `agent_audience x JOIN agents a USING (agent_id)
       JOIN agent_versions v ON v.version_id = a.serving_version_id
       LEFT JOIN agent_stats s ON s.agent_id = a.agent_id JOIN users u ON u.user_id = a.developer_user_id`;
  const own = `x.owner_id = $1 AND a.visibility = 'private' AND a.status = 'active'`;
  const { rows } = await db.query<RawListing>(
    `SELECT ${RECORD}, '0' AS sort_key FROM ${from} WHERE ${own} AND ($2::text IS NULL OR x.agent_id > $2)
      ORDER BY x.agent_id LIMIT $3`,
    [ownerId, page.afterId ?? null, page.limit],
  );
  return { rows: rows.map(toListing), total: await countRows(db, { from, key: own }, [ownerId]) };
}
