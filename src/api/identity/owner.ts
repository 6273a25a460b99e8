/**
 * For whom a request acts (ADR 0373). This is the only place that decides it: by the header `X-Owner`, else by the
 * owner of the key or grant, else by the owner that the person chose for the session, else for the person.
 */
import type { Request } from 'express';
import type { Operation } from '../../contract/operation';
import { permissionOf } from '../../contract/permissions';
import {
  isOfMembers,
  MEMBER_PERMISSIONS,
  mayDo,
  type MemberPermission,
  type MemberRole,
  OWNER_ID_PATTERN,
} from '../../domain/accounts/roles';
import { MarketError } from '../../domain/errors';
import type { AccountsService } from '../../services/accounts/accounts';
import type { ActingOwner, ChosenOwner, SessionLack } from '../../services/accounts/session-list';
import type { Principal } from './principal';
import { loadedSession } from './sessions';

export const OWNER_HEADER = 'x-owner';
const OWNER_ID = new RegExp(OWNER_ID_PATTERN);

export type OwnerReads = Pick<AccountsService, 'findActingOwner'>;

/**
 * The principal of a request for its owner. Operations that concern the person alone, or that are for operators of the
 * service, act for the person. Throws `not_found` for an owner that the caller does not belong to,
 * `second_factor_required` if the organisation requires one. Whether the role permits the operation is decided by
 * `requireRole`, so that a refusal of it counts for the organisation.
 */
export async function actingPrincipal(
  accounts: OwnerReads,
  operation: Operation,
  principal: Principal,
  req: Request,
): Promise<Principal> {
  const permission = permissionOf(operation);
  if (!isOfMembers(permission)) {
    await checkNamedOrganisation(accounts, principal, req);
    return principal;
  }
  return forOwner(accounts, principal, req);
}

/** Throws `forbidden` if the member's role does not permit the operation. */
export function requireRole(operation: Operation, { memberRole: role }: Principal): void {
  const permission = permissionOf(operation);
  if (!isOfMembers(permission) || role === null || mayDo(role, permission)) return;
  throw new MarketError('forbidden', {
    message: `Your role in this organisation is ${role}; this operation needs the role ${MEMBER_PERMISSIONS[permission].roles.join(' or ')}.`,
  });
}

/** An owner for whom the person of a page may act. `role` is null for the person's own account. */
export interface OwnerChoice {
  id: string;
  name: string;
  role: MemberRole | null;
}

/** The owners for whom a person of this session has a permission: the person first, then organisations by name. */
export async function ownersWith(
  accounts: Pick<AccountsService, 'listActingOwners'>,
  permission: MemberPermission,
  person: Principal,
): Promise<OwnerChoice[]> {
  const owners = await accounts.listActingOwners(person.userId);
  const permitted = owners.filter(
    (owner) => mayDo(owner.memberRole, permission) && lackOf(person, owner) === null,
  );
  return [
    { id: person.userId, name: '', role: null },
    ...permitted.map(({ userId, name, memberRole }) => ({ id: userId, name, role: memberRole })),
  ];
}

/** Whether the person of a session may still act for the owner of a request that began earlier. */
export async function mayStillAct(accounts: OwnerReads, { userId, person }: Principal): Promise<boolean> {
  if (person === null || person === userId) return true;
  return (await accounts.findActingOwner(userId, person)) !== undefined;
}

/** Requests about an organisation in their path need the kind of session that the organisation demands, too. */
async function checkNamedOrganisation(
  accounts: OwnerReads,
  principal: Principal,
  req: Request,
): Promise<void> {
  const { org_id: orgId } = req.params;
  if (typeof orgId !== 'string' || !OWNER_ID.test(orgId)) return;
  const found = await accounts.findActingOwner(orgId, principal.userId);
  if (found) requireSessionOf(principal, found);
}

const BY_PROVIDER =
  'Members act for this organisation in sessions of its identity provider only: use the company sign-in of the login page (GET /v1/auth/sso).';

async function forOwner(accounts: OwnerReads, principal: Principal, req: Request): Promise<Principal> {
  const wanted = req.get(OWNER_HEADER);
  if (principal.key) {
    if (wanted !== undefined && wanted !== principal.userId) throw noSuchOwner();
    return principal;
  }
  const session = loadedSession(req.session)?.user;
  const owner = wanted ?? session?.chosenOwner ?? principal.userId;
  if (owner === principal.userId) return principal;
  if (!OWNER_ID.test(owner)) throw noSuchOwner();
  const isChosen = session?.chosenOwner === owner;
  const found = isChosen ? session.owner : await accounts.findActingOwner(owner, principal.userId);
  if (!found) throw noSuchOwner();
  return asMember(principal, found);
}

function asMember(person: Principal, owner: ActingOwner): Principal {
  requireSessionOf(person, owner);
  const { requiresSecondFactor: _factor, requiresSso: _sso, ...account } = owner;
  return { ...person, ...account, person: person.userId };
}

/** Returns the organisation that the person chose for the session; null if the session acts for the person. */
export function chosenOwner(person: Principal, req: Request): ChosenOwner | null {
  const { chosenOwner: ownerId = null, owner = null } = loadedSession(req.session)?.user ?? {};
  if (ownerId === null || ownerId === person.userId) return null;
  return { ownerId, owner, refused: owner ? lackOf(person, owner) : 'not_a_member' };
}

/** What the organisation demands of a session that this one lacks; null if it lacks nothing. */
function lackOf(
  person: Principal,
  { userId, requiresSecondFactor, requiresSso }: ActingOwner,
): SessionLack | null {
  const isOfProvider = person.provider?.orgId === userId;
  if (requiresSso && !isOfProvider) return 'company_sign_in';
  // The identity provider of an organisation answers for the second factor of its people.
  return requiresSecondFactor && !person.secondFactor && !isOfProvider ? 'second_factor' : null;
}

/** Throws unless the session began as the organisation demands. */
function requireSessionOf(person: Principal, owner: ActingOwner): void {
  const lack = lackOf(person, owner);
  if (lack === 'company_sign_in') throw new MarketError('forbidden', { message: BY_PROVIDER });
  if (lack === 'second_factor')
    throw new MarketError(person.hasAuthenticator ? 'second_factor_required' : 'forbidden', {
      message: `This organisation requires a second factor: ${person.hasAuthenticator ? 'log in again with a code of your authenticator app (totp_code)' : 'enrol an authenticator app, and log in again with its code'}.`,
    });
}

function noSuchOwner(): MarketError {
  return new MarketError('not_found', {
    message:
      'There is no such owner among those that you may act for. Send another X-Owner, or choose another owner.',
  });
}
