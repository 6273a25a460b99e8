import type { ApiScope } from '../../domain/accounts/api-key';
import type { MemberRole } from '../../domain/accounts/roles';
import { unitsFromDatabase } from '../../domain/ledger/money';
import { onlyRow, type Db } from '../db';
import {
  LIMIT_COLUMNS,
  limitValues,
  type RawLimits,
  type SpendingLimits,
  type StoredLimits,
  toLimits,
} from './key-limits';
import type { UserRow } from './users';

export interface ApiKeyRow {
  keyId: string;
  name: string;
  scopes: ApiScope[];
  /** The last four characters of the newest secret. */
  hint: string;
  limits: SpendingLimits;
  spentUnits: number;
  expiresAt: Date | null;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** The key that made this one. */
  parentKeyId: string | null;
  /** The member who made the key of an organisation; null for a key of the account itself. */
  createdBy: string | null;
}

interface RawKey extends RawLimits {
  key_id: string;
  name: string;
  scopes: ApiScope[];
  hint: string;
  spent_units: string;
  expires_at: Date | null;
  created_at: Date;
  last_used_at: Date | null;
  parent_key_id: string | null;
  created_by: string | null;
}

/** Left out for a new key, of which it is 0. */
const USED = 'api_key_window_used(k, greatest(now(), k.window_began_at))';
const COLUMNS = `k.key_id, k.name, k.scopes, k.hint, k.spent_units, k.expires_at, k.created_at, k.last_used_at, k.parent_key_id, k.created_by,
  ${LIMIT_COLUMNS}`;

/** The owner of a key, with the fields that a request needs, and the key's own rights. */
export type KeyCallerRow = Pick<
  UserRow,
  'user_id' | 'role' | 'developer_id' | 'registration_paid_at' | 'email_confirmed_at' | 'authenticator_since'
> & {
  key_id: string;
  scopes: ApiScope[];
  /** True if the account keeps inputs and outputs of its calls. */
  keeps_bodies: boolean;
  created_by: string | null;
  is_organisation: boolean;
  /** The role of the member who made the key of an organisation. */
  member_role: MemberRole | null;
  /** True if no use was recorded within the last minute. */
  use_is_news: boolean;
};

/** Finds the caller of a valid key by the hash of its secret. Deleted and expired keys and secrets are not found. */
export async function findKeyCaller(db: Db, sha256: Buffer): Promise<KeyCallerRow | undefined> {
  const { rows } = await db.query<KeyCallerRow>({
    name: 'api-key-with-user',
    text: `SELECT k.key_id, k.scopes, u.user_id, u.role, u.developer_id, u.registration_paid_at,
                  u.email_confirmed_at, u.authenticator_since, u.keep_days > 0 AS keeps_bodies, k.created_by, u.kind = 'organisation' AS is_organisation, m.role AS member_role,
                  coalesce(k.last_used_at < now() - interval '1 minute', true) AS use_is_news
           FROM api_key_secrets s JOIN api_keys k USING (key_id) JOIN users u USING (user_id)
                LEFT JOIN organisation_members m ON m.org_id = k.user_id AND m.user_id = k.created_by
           WHERE s.sha256 = $1 AND (k.created_by IS NULL OR m.role IS NOT NULL) AND coalesce(s.ends_at > now(), true) AND k.deleted_at IS NULL
             AND coalesce(k.expires_at > now(), true) AND (k.parent_key_id IS NULL OR EXISTS (
               SELECT FROM api_keys p WHERE p.key_id = k.parent_key_id AND p.deleted_at IS NULL
                 AND coalesce(p.expires_at > now(), true)))`,
    values: [sha256],
  });
  return rows[0];
}

/** Narrows keys to those that a key, or a member of an organisation, made. */
export interface KeyMakers {
  parentId?: string | undefined;
  createdBy?: string | undefined;
}

export interface NewApiKey {
  keyId: string;
  userId: string;
  name: string;
  scopes: readonly ApiScope[];
  hint: string;
  limits: StoredLimits;
  expiresAt: Date | null;
  parentKeyId: string | null;
  createdBy: string | null;
}

export async function insertKey(tx: Db, key: NewApiKey): Promise<ApiKeyRow> {
  const result = await tx.query<RawKey>(
    `INSERT INTO api_keys AS k (key_id, user_id, name, scopes, hint, expires_at, parent_key_id, created_by, credit_cap_units, cap_window, call_cap_units,
       least_trust, only_agents)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING ${COLUMNS.replace(USED, '0')}`,
    [
      key.keyId,
      key.userId,
      key.name,
      key.scopes,
      key.hint,
      key.expiresAt,
      key.parentKeyId,
      key.createdBy,
      ...limitValues(key.limits),
    ],
  );
  return toKey(onlyRow(result));
}

export async function insertSecret(tx: Db, sha256: Buffer, keyId: string): Promise<void> {
  await tx.query('INSERT INTO api_key_secrets (sha256, key_id) VALUES ($1, $2)', [sha256, keyId]);
}

/** Counts an account's keys and locks the account, so that concurrent creations of keys wait for this transaction. */
export async function countKeysForUpdate(tx: Db, userId: string): Promise<number> {
  await tx.query('SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE', [userId]);
  const { rows } = await tx.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM api_keys WHERE user_id = $1 AND kind = 'key' AND deleted_at IS NULL
      AND parent_key_id IS NULL`,
    [userId],
  );
  return rows[0]?.n ?? 0;
}

/** Counts the live keys that a key has made. */
export async function countChildren(tx: Db, keyId: string): Promise<number> {
  const { rows } = await tx.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM api_keys WHERE parent_key_id = $1 AND deleted_at IS NULL',
    [keyId],
  );
  return rows[0]?.n ?? 0;
}

/**
 * Locks an account's key until the transaction ends. `parentId`: only one that this key made; `createdBy`: only one
 * that this member made. Returns undefined if it does not exist or is deleted.
 */
export async function lockKey(
  tx: Db,
  userId: string,
  keyId: string,
  { parentId, createdBy }: KeyMakers = {},
): Promise<{ isExpired: boolean } | undefined> {
  const { rows } = await tx.query<{ is_expired: boolean }>(
    `SELECT coalesce(expires_at <= now(), false) AS is_expired FROM api_keys
      WHERE key_id = $1 AND user_id = $2 AND kind = 'key' AND deleted_at IS NULL
        AND ($3::text IS NULL OR parent_key_id = $3) AND ($4::text IS NULL OR created_by = $4) FOR NO KEY UPDATE`,
    [keyId, userId, parentId ?? null, createdBy ?? null],
  );
  return rows[0] && { isExpired: rows[0].is_expired };
}

/** Deletes the secrets of a key, and of the keys that it made. */
export async function deleteSecrets(tx: Db, keyId: string): Promise<void> {
  await tx.query(
    `DELETE FROM api_key_secrets WHERE key_id = $1 OR key_id IN (SELECT key_id FROM api_keys WHERE parent_key_id = $1)`,
    [keyId],
  );
}

/** Ends all secrets of a key after `graceSeconds`, or earlier if they end earlier. Returns how many are still valid. */
export async function endSecrets(tx: Db, keyId: string, graceSeconds: number): Promise<number> {
  await tx.query('DELETE FROM api_key_secrets WHERE key_id = $1 AND ends_at <= now()', [keyId]);
  const { rowCount } = await tx.query(
    `UPDATE api_key_secrets SET ends_at = least(ends_at, now() + $2 * interval '1 second') WHERE key_id = $1`,
    [keyId, graceSeconds],
  );
  return rowCount ?? 0;
}

export async function updateHint(tx: Db, keyId: string, hint: string): Promise<ApiKeyRow> {
  return toKey(
    onlyRow(
      await tx.query<RawKey>(`UPDATE api_keys k SET hint = $2 WHERE key_id = $1 RETURNING ${COLUMNS}`, [
        keyId,
        hint,
      ]),
    ),
  );
}

/** Deletes a key, and the keys that it made. */
export async function markDeleted(tx: Db, keyId: string): Promise<void> {
  await tx.query(
    'UPDATE api_keys SET deleted_at = now() WHERE (key_id = $1 OR parent_key_id = $1) AND deleted_at IS NULL',
    [keyId],
  );
}

/**
 * Changes name and limits of an account's key, if a cap over its lifetime is not below `leastUnits`: what the key has
 * spent, and what its calls in flight may cost. Undefined without such a key.
 */
export async function changeKey(
  db: Db,
  userId: string,
  keyId: string,
  { name, ...limits }: { name?: string | undefined } & Partial<StoredLimits>,
): Promise<{ leastUnits: number; changed: boolean } | undefined> {
  const change = {
    name,
    credit_cap_units: limits.creditCapUnits,
    cap_window: limits.capWindow,
    call_cap_units: limits.callCapUnits,
    least_trust: limits.leastTrust,
    only_agents: limits.onlyAgents,
  };
  const { rows } = await db.query<{ least_units: string; changed: boolean }>(
    'SELECT least_units, changed FROM api_key_change($1, $2, $3)',
    [userId, keyId, JSON.stringify(change)],
  );
  const row = rows[0];
  return row && { leastUnits: unitsFromDatabase(row.least_units), changed: row.changed };
}

/** Reads an account's key. */
export async function readKey(
  db: Db,
  userId: string,
  keyId: string,
  createdBy?: string,
): Promise<ApiKeyRow | undefined> {
  const { rows } = await db.query<RawKey>(
    `SELECT ${COLUMNS} FROM api_keys k WHERE key_id = $1 AND user_id = $2 AND kind = 'key' AND deleted_at IS NULL
      AND ($3::text IS NULL OR created_by = $3)`,
    [keyId, userId, createdBy ?? null],
  );
  return rows[0] && toKey(rows[0]);
}

/**
 * Lists the keys of an account, newest first, with the total. `beforeId`: only keys before this id; `parentId`,
 * `createdBy`: only keys that this key, or this member, made.
 */
export async function listKeys(
  db: Db,
  userId: string,
  page: { limit: number; beforeId?: string | undefined } & KeyMakers,
): Promise<{ rows: ApiKeyRow[]; total: number }> {
  const { rows } = await db.query<RawKey>(
    `SELECT ${COLUMNS} FROM api_keys k
      WHERE user_id = $1 AND kind = 'key' AND deleted_at IS NULL AND ($2::text IS NULL OR key_id < $2)
        AND ($4::text IS NULL OR parent_key_id = $4) AND ($5::text IS NULL OR created_by = $5)
      ORDER BY key_id DESC LIMIT $3`,
    [userId, page.beforeId ?? null, page.limit, page.parentId ?? null, page.createdBy ?? null],
  );
  const total = await db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM api_keys
      WHERE user_id = $1 AND kind = 'key' AND deleted_at IS NULL AND ($2::text IS NULL OR parent_key_id = $2)
         AND ($3::text IS NULL OR created_by = $3)`,
    [userId, page.parentId ?? null, page.createdBy ?? null],
  );
  return { rows: rows.map(toKey), total: total.rows[0]?.n ?? 0 };
}

function toKey(row: RawKey): ApiKeyRow {
  return {
    keyId: row.key_id,
    name: row.name,
    scopes: row.scopes,
    hint: row.hint,
    limits: toLimits(row),
    spentUnits: unitsFromDatabase(row.spent_units),
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    parentKeyId: row.parent_key_id,
    createdBy: row.created_by,
  };
}

/** Deletes the key that a secret opens, if there is one. */
export async function deleteKeyBySecret(tx: Db, sha256: Buffer): Promise<void> {
  const { rows } = await tx.query<{ key_id: string }>(
    `SELECT k.key_id FROM api_keys k JOIN api_key_secrets s USING (key_id)
      WHERE s.sha256 = $1 AND k.kind = 'key' AND k.deleted_at IS NULL FOR UPDATE OF k`,
    [sha256],
  );
  const keyId = rows[0]?.key_id;
  if (keyId === undefined) return;
  await deleteSecrets(tx, keyId);
  await markDeleted(tx, keyId);
}
