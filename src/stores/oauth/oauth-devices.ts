import type { ApiScope } from '../../domain/accounts/api-key';
import { unitsFromDatabase } from '../../domain/ledger/money';
import type { Db } from '../db';

export interface NewDeviceLogin {
  deviceSha256: Buffer;
  userCode: string;
  clientId: string;
  scopes: readonly ApiScope[];
  /** Where the request came from, as the page shows it. */
  network: string;
  lifetimeSeconds: number;
  pollSeconds: number;
}

/** A login that waits for a person. */
export interface PendingDeviceLogin {
  scopes: ApiScope[];
  network: string;
  createdAt: Date;
}

/** A login as its device sees it. */
export interface PolledDeviceLogin {
  clientId: string;
  scopes: ApiScope[];
  state: 'pending' | 'approved' | 'denied';
  /** The account that gets the key. */
  userId: string | null;
  /** The member who approved for an organisation, and its name; null for a personal account. */
  approvedBy: string | null;
  organisation: string | null;
  /** The address of the person. */
  email: string | null;
  creditCapUnits: number | null;
  isExpired: boolean;
  /** The device asked again before its pause was over. */
  isEarly: boolean;
}

/** Stores a login. Returns false if its user code is in use. Deletes the oldest logins above `most`, at most 100. */
export async function insertDeviceLogin(tx: Db, login: NewDeviceLogin, most: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO oauth_devices (device_sha256, user_code, client_id, scopes, network, poll_seconds, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 second') ON CONFLICT (user_code) DO NOTHING`,
    [
      login.deviceSha256,
      login.userCode,
      login.clientId,
      login.scopes,
      login.network,
      login.pollSeconds,
      login.lifetimeSeconds,
    ],
  );
  await tx.query(
    `DELETE FROM oauth_devices WHERE device_sha256 IN (
       SELECT device_sha256 FROM oauth_devices ORDER BY expires_at DESC OFFSET $1 LIMIT 100)`,
    [most],
  );
  return rowCount === 1;
}

export async function findPendingDeviceLogin(
  db: Db,
  userCode: string,
): Promise<PendingDeviceLogin | undefined> {
  const { rows } = await db.query<{ scopes: ApiScope[]; network: string; created_at: Date }>(
    `SELECT scopes, network, created_at FROM oauth_devices
      WHERE user_code = $1 AND state = 'pending' AND expires_at > now()`,
    [userCode],
  );
  const row = rows[0];
  return row && { scopes: row.scopes, network: row.network, createdAt: row.created_at };
}

/**
 * Records what the person decided. Returns where the device asked from; undefined if the login is decided already, or
 * has expired.
 */
export async function decideDeviceLogin(
  db: Db,
  userCode: string,
  decision: {
    state: 'approved' | 'denied';
    userId: string;
    approvedBy: string | null;
    creditCapUnits: number | null;
  },
): Promise<string | undefined> {
  const { rows } = await db.query<{ network: string }>(
    `UPDATE oauth_devices SET state = $2, user_id = $3, credit_cap_units = $4, approved_by = $5
      WHERE user_code = $1 AND state = 'pending' AND expires_at > now() RETURNING network`,
    [userCode, decision.state, decision.userId, decision.creditCapUnits, decision.approvedBy],
  );
  return rows[0]?.network;
}

/** Locks a login for its device until the transaction ends. */
export async function lockDeviceLogin(tx: Db, sha256: Buffer): Promise<PolledDeviceLogin | undefined> {
  const { rows } = await tx.query<RawPolled>(
    `SELECT d.client_id, d.scopes, d.state, d.user_id, d.approved_by, p.email, o.display_name AS organisation,
            d.credit_cap_units, d.expires_at <= now() AS is_expired,
            coalesce(d.polled_at > clock_timestamp() - d.poll_seconds * interval '1 second', false) AS is_early
       FROM oauth_devices d LEFT JOIN users p ON p.user_id = coalesce(d.approved_by, d.user_id)
            LEFT JOIN users o ON o.user_id = d.user_id AND d.approved_by IS NOT NULL
      WHERE d.device_sha256 = $1 FOR UPDATE OF d`,
    [sha256],
  );
  const row = rows[0];
  return (
    row && {
      clientId: row.client_id,
      scopes: row.scopes,
      state: row.state,
      userId: row.user_id,
      approvedBy: row.approved_by,
      organisation: row.organisation,
      email: row.email,
      creditCapUnits: row.credit_cap_units === null ? null : unitsFromDatabase(row.credit_cap_units),
      isExpired: row.is_expired,
      isEarly: row.is_early,
    }
  );
}

interface RawPolled {
  client_id: string;
  scopes: ApiScope[];
  state: 'pending' | 'approved' | 'denied';
  user_id: string | null;
  approved_by: string | null;
  organisation: string | null;
  email: string | null;
  credit_cap_units: string | null;
  is_expired: boolean;
  is_early: boolean;
}

/** Notes a poll, and lengthens the pause of the device by `slowerSeconds`. */
export async function noteDevicePoll(tx: Db, sha256: Buffer, slowerSeconds: number): Promise<void> {
  await tx.query(
    `UPDATE oauth_devices SET polled_at = clock_timestamp(), poll_seconds = least(poll_seconds + $2, 300)
      WHERE device_sha256 = $1`,
    [sha256, slowerSeconds],
  );
}

export async function deleteDeviceLogin(tx: Db, sha256: Buffer): Promise<void> {
  await tx.query('DELETE FROM oauth_devices WHERE device_sha256 = $1', [sha256]);
}

/** Deletes up to `limit` expired logins. Returns how many. */
export async function purgeDeviceLogins(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM oauth_devices WHERE device_sha256 IN (
       SELECT device_sha256 FROM oauth_devices WHERE expires_at < now() - interval '1 hour' LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}
