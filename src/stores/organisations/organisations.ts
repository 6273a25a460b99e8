/** Organisations, their members and invitations (`migrations/0142_organisations.sql`). */
import type { MemberRole } from '../../domain/accounts/roles';
import { type Db, onlyRow } from '../db';

export interface OrganisationRow {
  orgId: string;
  name: string;
  developerId: string | null;
  requireSecondFactor: boolean;
  timeZone: string;
  createdAt: Date;
}

export interface InvitationRow {
  invitationId: string;
  orgId: string;
  email: string;
  role: MemberRole;
  invitedBy: string;
  createdAt: Date;
  expiresAt: Date;
}

const ORGANISATION = `o.org_id AS "orgId", u.display_name AS name, u.developer_id AS "developerId",
  o.require_second_factor AS "requireSecondFactor", u.time_zone AS "timeZone", o.created_at AS "createdAt"`;
const INVITATION = `i.invitation_id AS "invitationId", i.org_id AS "orgId", i.email, i.role, i.invited_by AS "invitedBy", i.created_at AS "createdAt",
  i.expires_at AS "expiresAt"`;

/** Inserts the owner of kind organisation and its settings. */
export async function insertOrganisation(
  tx: Db,
  { orgId, name, person }: { orgId: string; name: string; person: string },
): Promise<void> {
  await tx.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role, kind, email_confirmed_at)
     VALUES ($1, $1, '', $2, 'buyer', 'organisation', now())`,
    [orgId, name],
  );
  await tx.query(
    `INSERT INTO organisations (org_id, contact_email, created_by)
     SELECT $1, u.email, u.user_id FROM users u WHERE u.user_id = $2`,
    [orgId, person],
  );
}

/** How many organisations a person is an owner of. */
export async function countOwned(tx: Db, userId: string): Promise<number> {
  const { rows } = await tx.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM organisation_members m JOIN organisations o USING (org_id)
      WHERE m.user_id = $1 AND m.role = 'owner' AND o.ended_at IS NULL`,
    [userId],
  );
  return rows[0]?.n ?? 0;
}

/** Locks an organisation, so that one change of its members follows the other. False if it is unknown or has ended. */
export async function lockOrganisation(tx: Db, orgId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'SELECT FROM organisations WHERE org_id = $1 AND ended_at IS NULL FOR NO KEY UPDATE',
    [orgId],
  );
  return rowCount === 1;
}

/** Ends an organisation with its memberships and invitations, and the sessions that its identity providers began. */
export async function endOrganisation(tx: Db, orgId: string): Promise<void> {
  await tx.query('UPDATE organisations SET ended_at = coalesce(ended_at, now()) WHERE org_id = $1', [orgId]);
  await tx.query('DELETE FROM organisation_members WHERE org_id = $1', [orgId]);
  await tx.query('DELETE FROM organisation_invitations WHERE org_id = $1', [orgId]);
  await tx.query(
    `DELETE FROM sessions WHERE sess ->> 'provider' = ANY (ARRAY(
       SELECT provider_id FROM identity_providers WHERE org_id = $1))`,
    [orgId],
  );
}

/**
 * The address that confirms the deletion of an organisation: of the owner who asked for it, or of another one if that
 * person is none any more. Undefined without an open deletion.
 */
export async function findDeletionAddress(db: Db, orgId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ email: string }>(
    `SELECT u.email FROM account_deletions d JOIN organisation_members m ON m.org_id = d.user_id AND m.role = 'owner'
       JOIN users u ON u.user_id = m.user_id
      WHERE d.user_id = $1 AND d.state = 'confirmable' AND u.closed_at IS NULL
      ORDER BY m.user_id = d.requested_by DESC, m.user_id LIMIT 1`,
    [orgId],
  );
  return rows[0]?.email;
}

/** The organisations of a person, also those that have ended, in the order in which they are locked. */
export async function listMemberships(tx: Db, userId: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    'SELECT org_id AS id FROM organisation_members WHERE user_id = $1 ORDER BY org_id',
    [userId],
  );
  return rows.map(({ id }) => id);
}

/** The role of a person in an organisation that has not ended; undefined for others. */
export async function readRole(db: Db, orgId: string, userId: string): Promise<MemberRole | undefined> {
  const { rows } = await db.query<{ role: MemberRole }>(
    `SELECT m.role FROM organisation_members m JOIN organisations o USING (org_id)
      WHERE m.org_id = $1 AND m.user_id = $2 AND o.ended_at IS NULL`,
    [orgId, userId],
  );
  return rows[0]?.role;
}

export async function readOrganisation(db: Db, orgId: string): Promise<OrganisationRow | undefined> {
  const { rows } = await db.query<OrganisationRow>(
    `SELECT ${ORGANISATION} FROM organisations o JOIN users u ON u.user_id = o.org_id
      WHERE o.org_id = $1 AND o.ended_at IS NULL`,
    [orgId],
  );
  return rows[0];
}

/** The organisations of a person with the role there, by id. */
export async function listOrganisations(
  db: Db,
  userId: string,
  page: { limit: number; beforeId: string | undefined },
): Promise<{ rows: (OrganisationRow & { role: MemberRole })[]; total: number }> {
  const { rows } = await db.query<OrganisationRow & { role: MemberRole }>(
    `SELECT ${ORGANISATION}, m.role FROM organisation_members m JOIN organisations o USING (org_id)
       JOIN users u ON u.user_id = m.org_id
      WHERE m.user_id = $1 AND o.ended_at IS NULL AND ($2::text IS NULL OR m.org_id < $2)
      ORDER BY m.org_id DESC LIMIT $3`,
    [userId, page.beforeId ?? null, page.limit],
  );
  // One lookup for each membership: a join would read all organisations.
  const { rows: counted } = await db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM organisation_members m
      WHERE m.user_id = $1 AND (SELECT o.ended_at FROM organisations o WHERE o.org_id = m.org_id) IS NULL`,
    [userId],
  );
  return { rows, total: counted[0]?.n ?? 0 };
}

export async function setRequireSecondFactor(tx: Db, orgId: string, isRequired: boolean): Promise<void> {
  await tx.query('UPDATE organisations SET require_second_factor = $2 WHERE org_id = $1', [
    orgId,
    isRequired,
  ]);
}

export interface NewInvitation {
  invitationId: string;
  orgId: string;
  email: string;
  role: MemberRole;
  invitedBy: string;
  validMs: number;
}

/** Inserts an invitation. A second one for an address is a unique violation of `organisation_invitations_email`. */
export async function insertInvitation(tx: Db, invitation: NewInvitation): Promise<InvitationRow> {
  const { invitationId, orgId, email, role, invitedBy, validMs } = invitation;
  return onlyRow(
    await tx.query<InvitationRow>(
      `INSERT INTO organisation_invitations AS i (invitation_id, org_id, email, role, invited_by, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 ms') RETURNING ${INVITATION}`,
      [invitationId, orgId, email, role, invitedBy, validMs],
    ),
  );
}

/** Deletes the invitation of an address that has expired, so that it can be invited again. */
export async function revokeExpired(tx: Db, orgId: string, email: string): Promise<void> {
  await tx.query(
    'DELETE FROM organisation_invitations WHERE org_id = $1 AND lower(email) = lower($2) AND expires_at <= now()',
    [orgId, email],
  );
}

/** Deletes an invitation. Returns false if there is none. */
export async function revokeInvitation(tx: Db, orgId: string, invitationId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'DELETE FROM organisation_invitations WHERE org_id = $1 AND invitation_id = $2',
    [orgId, invitationId],
  );
  return rowCount === 1;
}

/** The open invitations of an organisation, the newest first. */
export async function listInvitations(
  db: Db,
  orgId: string,
  page: { limit: number; beforeId: string | undefined },
): Promise<{ rows: InvitationRow[]; total: number }> {
  const { rows } = await db.query<InvitationRow>(
    `SELECT ${INVITATION} FROM organisation_invitations i
      WHERE i.org_id = $1 AND ($2::text IS NULL OR i.invitation_id < $2)
      ORDER BY i.invitation_id DESC LIMIT $3`,
    [orgId, page.beforeId ?? null, page.limit],
  );
  const { rows: counted } = await db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM organisation_invitations i WHERE i.org_id = $1`,
    [orgId],
  );
  return { rows, total: counted[0]?.n ?? 0 };
}

/** Gives an open invitation the token of its mail. Returns undefined if it is not open any more. */
export async function setInvitationToken(
  tx: Db,
  invitationId: string,
  sha256: Buffer,
): Promise<(InvitationRow & { name: string }) | undefined> {
  const { rows } = await tx.query<InvitationRow & { name: string }>(
    `UPDATE organisation_invitations i SET sha256 = $2 FROM users u, organisations o
      WHERE i.invitation_id = $1 AND i.expires_at > now() AND u.user_id = i.org_id
        AND o.org_id = i.org_id AND o.ended_at IS NULL
      RETURNING ${INVITATION}, u.display_name AS name`,
    [invitationId, sha256],
  );
  return rows[0];
}

/** Finds the valid invitation of a token. */
export async function findInvitation(db: Db, sha256: Buffer): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `SELECT ${INVITATION} FROM organisation_invitations i JOIN organisations o USING (org_id)
      WHERE i.sha256 = $1 AND i.expires_at > now() AND o.ended_at IS NULL`,
    [sha256],
  );
  return rows[0];
}

/** Uses an invitation up. Returns false if it was used, revoked or has expired meanwhile. */
export async function acceptInvitation(tx: Db, invitationId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'DELETE FROM organisation_invitations WHERE invitation_id = $1 AND expires_at > now()',
    [invitationId],
  );
  return rowCount === 1;
}

/** The people of an organisation who get a mail about it. */
export async function mailedMembers(db: Db, orgId: string, roles: readonly MemberRole[]): Promise<string[]> {
  const { rows } = await db.query<{ userId: string }>(
    'SELECT user_id AS "userId" FROM organisation_members WHERE org_id = $1 AND role = ANY ($2) ORDER BY user_id',
    [orgId, roles],
  );
  return rows.map(({ userId }) => userId);
}
