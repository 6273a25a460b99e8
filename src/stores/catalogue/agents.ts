import type { AgentStatus, AgentVisibility, Viewer } from '../../domain/catalogue/agent-state';
import { type Db, onlyRow } from '../db';
import { countRows } from '../list-total';
import { shownTo } from '../shown-to';

/** Origin of an agent: published by a manifest, or registered by its endpoint (`http` or `mcp`). */
export type AgentKind = 'manifest' | 'http' | 'mcp' | 'a2a';

/** An agent: one major version of a slug. */
export interface AgentRow {
  agentId: string;
  slug: string;
  major: number;
  developerUserId: string;
  kind: AgentKind;
  status: AgentStatus;
  visibility: AgentVisibility;
  /** Sealed; the context is `signingSecretContext(agentId)`. */
  sealedSigningSecret: Buffer;
  servingVersionId: string | null;
  listed: boolean;
  badge: string | null;
  trustScore: number | null;
  createdAt: Date;
  updatedAt: Date;
}

interface RawAgent {
  agent_id: string;
  slug: string;
  major: number;
  developer_user_id: string;
  kind: AgentKind;
  status: AgentStatus;
  visibility: AgentVisibility;
  signing_secret: Buffer;
  serving_version_id: string | null;
  listed: boolean;
  badge: string | null;
  trust_score: number | null;
  created_at: Date;
  updated_at: Date;
}

export interface ClaimedSlug {
  owner: string;
  /** The kind of the slug's agents, which all majors share; null if the slug has no agents. */
  kind: AgentKind | null;
}

/**
 * Claims `slug` for the developer if it is free. Locks the slug until the transaction ends, so that versions of one
 * slug are published one after another.
 */
export async function claimSlug(tx: Db, slug: string, developerUserId: string): Promise<ClaimedSlug> {
  const result = await tx.query<ClaimedSlug>('SELECT owner, kind FROM slug_claim($1, $2)', [
    slug,
    developerUserId,
  ]);
  return onlyRow(result);
}

/**
 * Inserts an agent. A further major version of a slug begins with the visibility and the audience of the one before, so
 * that a private agent does not become public by it.
 */
export async function insertAgent(
  tx: Db,
  agent: Pick<AgentRow, 'agentId' | 'slug' | 'major' | 'developerUserId' | 'sealedSigningSecret'> & {
    /** Default: `manifest`. */
    kind?: AgentKind;
  },
): Promise<void> {
  const { agentId, slug, major, developerUserId, kind = 'manifest', sealedSigningSecret } = agent;
  await tx.query(
    `WITH before AS (
       SELECT agent_id, visibility FROM agents WHERE slug = $2 AND developer_user_id = $4 ORDER BY major DESC LIMIT 1),
     made AS (
       INSERT INTO agents (agent_id, slug, major, developer_user_id, kind, signing_secret, visibility)
       VALUES ($1, $2, $3, $4, $5, $6, coalesce((SELECT visibility FROM before), 'public')))
     INSERT INTO agent_audience (agent_id, owner_id, named_as)
     SELECT $1, s.owner_id, s.named_as FROM before JOIN agent_audience s USING (agent_id)`,
    [agentId, slug, major, developerUserId, kind, sealedSigningSecret],
  );
}

export async function readAgent(db: Db, agentId: string): Promise<AgentRow | undefined> {
  const result = await db.query<RawAgent>('SELECT * FROM agents WHERE agent_id = $1', [agentId]);
  return result.rows[0] && toAgent(result.rows[0]);
}

/** Reads an agent in any status, if it is shown to the viewer. */
export async function readShownAgent(db: Db, agentId: string, viewer: Viewer): Promise<AgentRow | undefined> {
  const { rows } = await db.query<RawAgent>(
    `SELECT a.* FROM agents a WHERE a.agent_id = $1 AND ${shownTo('$2')}`,
    [agentId, viewer ?? null],
  );
  return rows[0] && toAgent(rows[0]);
}

/** The highest major version of a slug, in any status. */
export async function readHighestAgentOf(db: Db, slug: string): Promise<AgentRow | undefined> {
  const result = await db.query<RawAgent>(
    'SELECT * FROM agents WHERE slug = $1 ORDER BY major DESC LIMIT 1',
    [slug],
  );
  return result.rows[0] && toAgent(result.rows[0]);
}

/** Reads and locks an agent. Every change of its status or serving version must lock it first. */
export async function lockAgent(tx: Db, agentId: string): Promise<AgentRow | undefined> {
  const result = await tx.query<RawAgent>('SELECT * FROM agents WHERE agent_id = $1 FOR UPDATE', [agentId]);
  return result.rows[0] && toAgent(result.rows[0]);
}

/** Lists a developer's agents, newest first, with the total. `before`: creation time (µs since the epoch) and id. */
export async function listAgentsOf(
  db: Db,
  developerUserId: string,
  page: { limit: number; before?: readonly string[] | undefined },
): Promise<{ rows: (AgentRow & { position: string })[]; total: number }> {
  const result = await db.query<RawAgent & { position: string }>(
    `SELECT *, (extract(epoch FROM created_at) * 1000000)::bigint::text AS position FROM agents
      WHERE developer_user_id = $1
        AND ($2::bigint IS NULL OR ((extract(epoch FROM created_at) * 1000000)::bigint, agent_id) < ($2::bigint, $3))
      ORDER BY (extract(epoch FROM created_at) * 1000000)::bigint DESC, agent_id DESC LIMIT $4`,
    [developerUserId, page.before?.[0] ?? null, page.before?.[1] ?? null, page.limit],
  );
  const list = { from: 'agents', key: 'developer_user_id = $1', order: 'agent_id' };
  return {
    rows: result.rows.map((row) => ({ ...toAgent(row), position: row.position })),
    total: await countRows(db, list, [developerUserId]),
  };
}

/** Sets the status, and with it the listing status: search does not find an agent that is retired or suspended. */
export async function setAgentStatus(tx: Db, agentId: string, status: AgentStatus): Promise<void> {
  await tx.query('UPDATE agents SET status = $2, updated_at = now() WHERE agent_id = $1', [agentId, status]);
  await refreshStanding(tx, agentId);
}

/** Replaces the sealed signing secrets. */
export async function setSigningSecret(tx: Db, agentId: string, sealed: Buffer): Promise<void> {
  await tx.query('UPDATE agents SET signing_secret = $2, updated_at = now() WHERE agent_id = $1', [
    agentId,
    sealed,
  ]);
}

/** Sets the version that serves. The listing status follows by `refreshStanding`. */
export async function setServingVersion(tx: Db, agentId: string, versionId: string): Promise<void> {
  await tx.query('UPDATE agents SET serving_version_id = $2, updated_at = now() WHERE agent_id = $1', [
    agentId,
    versionId,
  ]);
}

/**
 * Derives score, badge and listing status of an agent from its newest report, its status and the developer's bond
 * (`migrations/functions/catalogue/agent_standing_refresh.sql`). Call it in the transaction that changes one of them.
 * Changes are published to listings and webhooks.
 */
export async function refreshStanding(tx: Db, agentId: string): Promise<void> {
  await tx.query('SELECT agent_standing_refresh($1)', [agentId]);
}

function toAgent(row: RawAgent): AgentRow {
  return {
    agentId: row.agent_id,
    slug: row.slug,
    major: row.major,
    developerUserId: row.developer_user_id,
    kind: row.kind,
    status: row.status,
    visibility: row.visibility,
    sealedSigningSecret: row.signing_secret,
    servingVersionId: row.serving_version_id,
    listed: row.listed,
    badge: row.badge,
    trustScore: row.trust_score,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Whether search and lists show an agent. */
export async function readIsListed(db: Db, agentId: string): Promise<boolean> {
  const { rows } = await db.query<{ listed: boolean }>({
    name: 'agent-is-listed',
    text: 'SELECT listed FROM agents WHERE agent_id = $1',
    values: [agentId],
  });
  return rows[0]?.listed === true;
}
