/** Who belongs to an organisation (`migrations/0142_organisations.sql`). */
import type { MemberRole } from '../../domain/accounts/roles';
import type { Db } from '../db';
import {
  MEMBER_BUDGET,
  type MemberBudget,
  type RawMemberBudget,
  toMemberBudget,
  WITH_BUDGET,
} from './member-budgets';

/** An organisation as the owner of a request: its account, and what its member may do. */
export interface ActingOwnerRow {
  owner_id: string;
  owner_role: 'buyer' | 'developer' | 'operator';
  owner_developer_id: string | null;
  owner_registration_paid_at: Date | null;
  owner_keeps_bodies: boolean;
  member_role: MemberRole;
  requires_second_factor: boolean;
  /** Members act for it only in sessions that one of its identity providers began. */
  requires_sso: boolean;
}

/** The columns of `ActingOwnerRow`, of the member `m`, the organisation `g` and its account `o`. */
export const ACTING_OWNER = `o.user_id AS owner_id, o.role AS owner_role, o.developer_id AS owner_developer_id,
  o.registration_paid_at AS owner_registration_paid_at, o.keep_days > 0 AS owner_keeps_bodies, m.role AS member_role,
  g.require_second_factor AS requires_second_factor, g.require_sso AS requires_sso`;

/** Finds an organisation for one of its members. */
export async function findActingOwner(
  db: Db,
  orgId: string,
  userId: string,
): Promise<ActingOwnerRow | undefined> {
  const { rows } = await db.query<ActingOwnerRow>({
    name: 'acting-owner',
    text: `SELECT ${ACTING_OWNER}
             FROM organisation_members m JOIN organisations g USING (org_id) JOIN users o ON o.user_id = m.org_id
            WHERE m.org_id = $1 AND m.user_id = $2`,
    values: [orgId, userId],
  });
  return rows[0];
}

/** Lists the organisations for which a person acts, by name, at most `most`. */
export async function listActingOwners(
  db: Db,
  userId: string,
  most: number,
): Promise<(ActingOwnerRow & { owner_name: string })[]> {
  const { rows } = await db.query<ActingOwnerRow & { owner_name: string }>(
    `SELECT ${ACTING_OWNER}, o.display_name AS owner_name
       FROM organisation_members m JOIN organisations g USING (org_id) JOIN users o ON o.user_id = m.org_id
      WHERE m.user_id = $1 AND g.ended_at IS NULL ORDER BY lower(o.display_name), m.org_id LIMIT $2`,
    [userId, most],
  );
  return rows;
}

export interface MemberRow {
  userId: string;
  displayName: string;
  email: string;
  role: MemberRole;
  hasAuthenticator: boolean;
  joinedAt: Date;
  budget: MemberBudget | null;
}

type RawMember = Omit<MemberRow, 'budget'> & RawMemberBudget;

/** Reads what `rows`, some rows of `organisation_members`, name. */
const membersOf = (
  rows: string,
) => `SELECT m.user_id AS "userId", u.display_name AS "displayName", u.email, m.role,
    u.authenticator_since IS NOT NULL AS "hasAuthenticator", m.joined_at AS "joinedAt", ${MEMBER_BUDGET}
  FROM (SELECT * FROM organisation_members ${rows}) m JOIN users u USING (user_id) ${WITH_BUDGET} ORDER BY m.user_id`;

function toMember(row: RawMember): MemberRow {
  const { userId, displayName, email, role, hasAuthenticator, joinedAt } = row;
  return { userId, displayName, email, role, hasAuthenticator, joinedAt, budget: toMemberBudget(row) };
}

/** Lists the members of an organisation by id, with the total. */
export async function listMembers(
  db: Db,
  orgId: string,
  page: { limit: number; afterId: string | undefined },
): Promise<{ rows: MemberRow[]; total: number }> {
  const { rows } = await db.query<RawMember>(
    membersOf('WHERE org_id = $1 AND ($3::text IS NULL OR user_id > $3) ORDER BY user_id LIMIT $2'),
    [orgId, page.limit, page.afterId ?? null],
  );
  return { rows: rows.map(toMember), total: await countMembers(db, orgId) };
}

export async function countMembers(db: Db, orgId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM organisation_members WHERE org_id = $1',
    [orgId],
  );
  return rows[0]?.n ?? 0;
}

/** Counts the owners of an organisation. Lock the organisation first, so that the number stays. */
export async function countOwners(tx: Db, orgId: string): Promise<number> {
  const { rows } = await tx.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM organisation_members WHERE org_id = $1 AND role = 'owner'`,
    [orgId],
  );
  return rows[0]?.n ?? 0;
}

export async function findMember(db: Db, orgId: string, userId: string): Promise<MemberRow | undefined> {
  const { rows } = await db.query<RawMember>(membersOf('WHERE org_id = $1 AND user_id = $2'), [
    orgId,
    userId,
  ]);
  return rows[0] && toMember(rows[0]);
}

/** Adds a member. Returns false if the person is one already. */
export async function insertMember(
  tx: Db,
  member: { orgId: string; userId: string; role: MemberRole; invitedBy: string | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO organisation_members (org_id, user_id, role, invited_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [member.orgId, member.userId, member.role, member.invitedBy],
  );
  return rowCount === 1;
}

export async function updateMemberRole(
  tx: Db,
  orgId: string,
  userId: string,
  role: MemberRole,
): Promise<void> {
  await tx.query('UPDATE organisation_members SET role = $3 WHERE org_id = $1 AND user_id = $2', [
    orgId,
    userId,
    role,
  ]);
}

/**
 * Ends a membership, and in the same transaction the keys and grants that the member made for the organisation, logins
 * of devices that wait for such a key, the member's budget, and the invitations that the member sent. A session that
 * chose the organisation is refused until it chooses again, so that its next request does not spend the member's own
 * credits. Lock the organisation first.
 */
export async function endMembership(tx: Db, orgId: string, userId: string): Promise<void> {
  await tx.query('DELETE FROM organisation_members WHERE org_id = $1 AND user_id = $2', [orgId, userId]);
  // Waits for a device that gets its key now, so that the next statement sees this key.
  await tx.query('DELETE FROM oauth_devices WHERE user_id = $1 AND approved_by = $2', [orgId, userId]);
  await tx.query(
    `WITH made AS (
       SELECT key_id FROM api_keys WHERE created_by = $2 AND user_id = $1 AND deleted_at IS NULL),
     ended AS (
       UPDATE api_keys SET deleted_at = now() WHERE deleted_at IS NULL
          AND (key_id IN (SELECT key_id FROM made) OR parent_key_id IN (SELECT key_id FROM made)) RETURNING key_id),
     secrets AS (DELETE FROM api_key_secrets s USING ended WHERE s.key_id = ended.key_id)
     DELETE FROM oauth_secrets s USING oauth_grants g JOIN ended USING (key_id) WHERE s.grant_id = g.grant_id`,
    [orgId, userId],
  );
  await endInvitationsBy(tx, orgId, userId);
}

/** Ends the invitations that a member sent, who may invite no more. */
export async function endInvitationsBy(tx: Db, orgId: string, userId: string): Promise<void> {
  await tx.query('DELETE FROM organisation_invitations WHERE org_id = $1 AND invited_by = $2', [
    orgId,
    userId,
  ]);
}
