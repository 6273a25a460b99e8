import type { ApiScope } from '../../domain/accounts/api-key';
import type { GrantLimits } from '../../domain/accounts/oauth-grant';
import { unitsFromDatabase, unitsToCredits } from '../../domain/ledger/money';
import {
  LIMIT_COLUMNS,
  limitValues,
  type RawLimits,
  type SpendingLimits,
  type StoredLimits,
  toLimits,
} from '../accounts/key-limits';
import type { Db } from '../db';

export interface OauthGrantRow {
  grantId: string;
  clientId: string;
  clientName: string;
  redirectHost: string;
  /** Null for the market. */
  agentId: string | null;
  scopes: ApiScope[];
  limits: SpendingLimits & Pick<GrantLimits, 'pinnedAgents'>;
  spentUnits: number;
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
}

export interface NewGrant {
  grantId: string;
  keyId: string;
  userId: string;
  /** The member of an organisation who permits it, with whose membership it ends; null for a personal account. */
  createdBy: string | null;
  clientId: string;
  clientName: string;
  redirectHost: string;
  agentId: string | null;
  scopes: readonly ApiScope[];
  limits: StoredGrantLimits;
  /** The grant ends after this time, unless it is prolonged: the one in which its code must be redeemed. */
  lifeSeconds: number;
}

/** The limits of a grant as its key has them. */
export type StoredGrantLimits = StoredLimits & Pick<GrantLimits, 'pinnedAgents'>;

/** Stores a grant and the key that carries its scopes, cap, spending and expiry. */
export async function insertGrant(tx: Db, grant: NewGrant): Promise<void> {
  await tx.query(
    `INSERT INTO api_keys (key_id, user_id, kind, name, scopes, expires_at, credit_cap_units, cap_window, call_cap_units,
       least_trust, only_agents, pinned_agents, created_by)
     VALUES ($1, $2, 'oauth', $3, $4, now() + $5 * interval '1 second', $6, $7, $8, $9, $10, $11, $12)`,
    [
      grant.keyId,
      grant.userId,
      grant.clientName,
      grant.scopes,
      grant.lifeSeconds,
      ...valuesOf(grant.limits),
      grant.createdBy,
    ],
  );
  await tx.query(
    `INSERT INTO oauth_grants (grant_id, key_id, user_id, client_id, redirect_host, agent_id)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [grant.grantId, grant.keyId, grant.userId, grant.clientId, grant.redirectHost, grant.agentId],
  );
}

const valuesOf = (limits: StoredGrantLimits) => [...limitValues(limits), limits.pinnedAgents];

/**
 * Reads the limits of a live grant, and the lowest cap over its lifetime. Locks the wallet, so that no call is decided
 * meanwhile, and then the key.
 */
export async function lockLimits(
  tx: Db,
  userId: string,
  grantId: string,
): Promise<(GrantLimits & { agentId: string | null; leastUnits: number }) | undefined> {
  await tx.query('SELECT api_key_limits_lock($1)', [userId]);
  await tx.query(
    `SELECT FROM api_keys k JOIN oauth_grants g USING (key_id)
      WHERE g.grant_id = $1 AND k.user_id = $2 AND k.deleted_at IS NULL FOR NO KEY UPDATE OF k`,
    [grantId, userId],
  );
  const grant = await readGrant(tx, userId, grantId);
  if (!grant) return undefined;
  const { rows } = await tx.query<{ least_units: string }>(
    `SELECT k.spent_units + coalesce((SELECT sum(o.price_units) FROM open_calls o WHERE o.buyer_user_id = k.user_id
        AND (SELECT i.key_id FROM invocations i WHERE i.invocation_id = o.invocation_id) = k.key_id), 0) AS least_units
       FROM api_keys k JOIN oauth_grants g USING (key_id) WHERE g.grant_id = $1`,
    [grantId],
  );
  const { creditCapUnits, callCapUnits, capWindow, leastTrust, onlyAgents, pinnedAgents } = grant.limits;
  return {
    creditCap: creditsFrom(creditCapUnits),
    callCap: creditsFrom(callCapUnits),
    capWindow,
    leastTrust,
    onlyAgents,
    pinnedAgents,
    agentId: grant.agentId,
    leastUnits: unitsFromDatabase(rows[0]?.least_units ?? 0),
  };
}

export async function updateLimits(tx: Db, grantId: string, limits: StoredGrantLimits): Promise<void> {
  await tx.query(
    `UPDATE api_keys k SET credit_cap_units = $2, cap_window = $3, call_cap_units = $4, least_trust = $5,
            only_agents = $6, pinned_agents = $7
       FROM oauth_grants g WHERE g.grant_id = $1 AND k.key_id = g.key_id`,
    [grantId, ...valuesOf(limits)],
  );
}

/** Reads a live grant of an account. `createdBy`: only one that this member made. */
export async function readGrant(
  db: Db,
  userId: string,
  grantId: string,
  createdBy?: string,
): Promise<OauthGrantRow | undefined> {
  const { rows } = await db.query<RawGrant>(
    `SELECT ${GRANT} FROM api_keys k JOIN oauth_grants g USING (key_id)
      WHERE g.grant_id = $2 AND k.user_id = $1 AND k.deleted_at IS NULL AND k.expires_at > now()
        AND ($3::text IS NULL OR k.created_by = $3)`,
    [userId, grantId, createdBy ?? null],
  );
  return rows[0] && toGrant(rows[0]);
}

/** Counts an account's live grants and locks the account, so that concurrent grants wait for this transaction. */
export async function countGrantsForUpdate(tx: Db, userId: string): Promise<number> {
  await tx.query('SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE', [userId]);
  const { rows } = await tx.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM api_keys
      WHERE user_id = $1 AND kind = 'oauth' AND deleted_at IS NULL AND expires_at > now()`,
    [userId],
  );
  return rows[0]?.n ?? 0;
}

/**
 * Prolongs a live grant by `seconds`, up to `mostSeconds` after its creation. Returns false if the grant was revoked
 * or has expired. Locks the grant's key, so that a concurrent revocation comes before or after.
 */
export async function prolongGrant(
  tx: Db,
  grantId: string,
  { seconds, mostSeconds }: { seconds: number; mostSeconds: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE api_keys k
        SET expires_at = greatest(k.expires_at,
          least(now() + $2 * interval '1 second', g.created_at + $3 * interval '1 second'))
       FROM oauth_grants g
      WHERE g.grant_id = $1 AND k.key_id = g.key_id AND k.deleted_at IS NULL AND k.expires_at > now()`,
    [grantId, seconds, mostSeconds],
  );
  return rowCount === 1;
}

/** Ends a grant: deletes its key and everything issued for it. Returns false if `userId` has no such live grant. */
export async function endGrant(tx: Db, grantId: string, userId?: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE api_keys k SET deleted_at = now() FROM oauth_grants g
      WHERE g.grant_id = $1 AND k.key_id = g.key_id AND k.deleted_at IS NULL
        AND ($2::text IS NULL OR g.user_id = $2)`,
    [grantId, userId ?? null],
  );
  if (rowCount === 1) await tx.query('DELETE FROM oauth_secrets WHERE grant_id = $1', [grantId]);
  return rowCount === 1;
}

/**
 * Lists an account's live grants, newest first, with the total. `beforeId`: only grants before this one; `createdBy`:
 * only grants that this member made.
 */
export async function listGrants(
  db: Db,
  userId: string,
  page: { limit: number; beforeId?: string | undefined; createdBy?: string | undefined },
): Promise<{ rows: OauthGrantRow[]; total: number }> {
  const { rows } = await db.query<RawGrant>(
    `SELECT ${GRANT} FROM api_keys k JOIN oauth_grants g USING (key_id)
      WHERE k.user_id = $1 AND k.kind = 'oauth' AND k.deleted_at IS NULL AND k.expires_at > now()
        AND ($2::text IS NULL OR g.grant_id < $2) AND ($4::text IS NULL OR k.created_by = $4)
      ORDER BY g.grant_id DESC LIMIT $3`,
    [userId, page.beforeId ?? null, page.limit, page.createdBy ?? null],
  );
  const total = await db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM api_keys
      WHERE user_id = $1 AND kind = 'oauth' AND deleted_at IS NULL AND expires_at > now()
        AND ($2::text IS NULL OR created_by = $2)`,
    [userId, page.createdBy ?? null],
  );
  return { rows: rows.map(toGrant), total: total.rows[0]?.n ?? 0 };
}

/** Ends up to `limit` grants that have expired. Returns how many. */
export async function endExpiredGrants(tx: Db, limit: number): Promise<number> {
  const { rows } = await tx.query<{ key_id: string }>(
    `UPDATE api_keys SET deleted_at = now() WHERE key_id IN (
       SELECT key_id FROM api_keys WHERE kind = 'oauth' AND deleted_at IS NULL AND expires_at < now()
       ORDER BY expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
     RETURNING key_id`,
    [limit],
  );
  return rows.length;
}

const GRANT = `g.grant_id, g.client_id, k.name, g.redirect_host, g.agent_id, k.scopes, k.spent_units, k.pinned_agents,
  ${LIMIT_COLUMNS}, g.created_at, k.expires_at, k.last_used_at`;

interface RawGrant extends RawLimits {
  grant_id: string;
  client_id: string;
  name: string;
  redirect_host: string;
  agent_id: string | null;
  scopes: ApiScope[];
  pinned_agents: string[] | null;
  spent_units: string;
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
}

const creditsFrom = (units: number | null) => (units === null ? null : unitsToCredits(units));

function toGrant(row: RawGrant): OauthGrantRow {
  return {
    grantId: row.grant_id,
    clientId: row.client_id,
    clientName: row.name,
    redirectHost: row.redirect_host,
    agentId: row.agent_id,
    scopes: row.scopes,
    limits: { ...toLimits(row), pinnedAgents: row.pinned_agents },
    spentUnits: unitsFromDatabase(row.spent_units),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}
