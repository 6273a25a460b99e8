/** What a change of an organisation checks first. */
import {
  MAX_MEMBERS,
  MAX_ORGANISATIONS,
  mayAssign,
  mayDo,
  type MemberPermission,
  type MemberRole,
} from '../../domain/accounts/roles';
import { MarketError } from '../../domain/errors';
import { countMembers, countOwners } from '../../stores/organisations/members';
import {
  countOwned,
  listInvitations,
  lockOrganisation,
  type OrganisationRow,
  readOrganisation,
  readRole,
} from '../../stores/organisations/organisations';
import type { Db } from '../../stores/db';

export async function shown(db: Db, orgId: string): Promise<OrganisationRow> {
  const row = await readOrganisation(db, orgId);
  if (!row) throw new MarketError('not_found');
  return row;
}

/** The role of a person who may do this. Throws `not_found` for other people, `forbidden` for too small a role. */
export async function requireRole(
  db: Db,
  orgId: string,
  person: string,
  permission: MemberPermission,
): Promise<MemberRole> {
  const role = await readRole(db, orgId, person);
  if (!role) throw new MarketError('not_found');
  if (!mayDo(role, permission)) throw tooSmall(role);
  return role;
}

export async function lockedRole(
  tx: Db,
  orgId: string,
  person: string,
  permission: MemberPermission,
): Promise<MemberRole> {
  if (!(await lockOrganisation(tx, orgId))) throw new MarketError('not_found');
  return requireRole(tx, orgId, person, permission);
}

/** The refusal of what a role does not allow. */
export function tooSmall(role: MemberRole): MarketError {
  return new MarketError('forbidden', {
    message: `Your role in this organisation, ${role}, does not allow this.`,
  });
}

export function requireAssignable(own: MemberRole, role: MemberRole): void {
  if (!mayAssign(own, role))
    throw new MarketError('forbidden', { message: 'Only an owner decides about owners.' });
}

export async function requireAnotherOwner(tx: Db, orgId: string): Promise<void> {
  if ((await countOwners(tx, orgId)) > 1) return;
  throw new MarketError('invalid_state', {
    message: 'An organisation has at least one owner. Make another member an owner first.',
  });
}

export async function requireRoom(tx: Db, person: string): Promise<void> {
  if ((await countOwned(tx, person)) < MAX_ORGANISATIONS) return;
  throw new MarketError('invalid_state', {
    message: `A person owns at most ${MAX_ORGANISATIONS} organisations.`,
  });
}

export async function requirePlaces(tx: Db, orgId: string): Promise<void> {
  const members = await countMembers(tx, orgId);
  const { total } = await listInvitations(tx, orgId, { limit: 1, beforeId: undefined });
  if (members + total < MAX_MEMBERS) return;
  throw new MarketError('invalid_state', {
    message: `An organisation has at most ${MAX_MEMBERS} members and open invitations.`,
  });
}
