import { INVITATION_DAYS, type MemberRole } from '../../domain/accounts/roles';
import { MarketError } from '../../domain/errors';
import { mailTokenSha256 } from '../../kit/crypto/mail-token';
import { newId } from '../../kit/ids/ids';
import { requestMail } from '../../stores/accounts/mails';
import { lockUser } from '../../stores/accounts/users';
import { insertMember } from '../../stores/organisations/members';
import {
  acceptInvitation,
  findInvitation,
  insertInvitation,
  type InvitationRow,
  listInvitations,
  lockOrganisation,
  type OrganisationRow,
  readRole,
  revokeExpired,
  revokeInvitation,
} from '../../stores/organisations/organisations';
import { type DbPool, uniqueViolation, withTransaction } from '../../stores/db';
import { lockedRole, requireAssignable, requirePlaces, requireRole, shown } from './guards';

const DAY_MS = 86_400_000;
type BeforePage = Parameters<typeof listInvitations>[2];

/** Invitations by mail. */
export function createInvitations(pool: DbPool) {
  return {
    /**
     * Invites an address by mail for seven days. Throws `forbidden` for a role that the inviter may not give, and
     * `invalid_state` if the address is invited already, or too many people are there.
     */
    async invite(
      orgId: string,
      by: string,
      wish: { email: string; role: MemberRole },
    ): Promise<InvitationRow> {
      const email = wish.email.toLowerCase();
      try {
        return await withTransaction(pool, async (tx) => {
          requireAssignable(await lockedRole(tx, orgId, by, 'members'), wish.role);
          await requirePlaces(tx, orgId);
          await revokeExpired(tx, orgId, email);
          const invitationId = newId('oin');
          const validMs = INVITATION_DAYS * DAY_MS;
          const made = { invitationId, orgId, email, role: wish.role, invitedBy: by, validMs };
          const invitation = await insertInvitation(tx, made);
          await requestMail(tx, { recipient: invitationId, kind: 'invitation' });
          return invitation;
        });
      } catch (error) {
        if (uniqueViolation(error) !== 'organisation_invitations_email') throw error;
        throw new MarketError('invalid_state', {
          message: 'This address has an open invitation. Revoke it to send another one.',
          cause: error,
        });
      }
    },

    async invitations(orgId: string, person: string, page: BeforePage) {
      await requireRole(pool, orgId, person, 'members');
      return listInvitations(pool, orgId, page);
    },

    /** Throws `not_found` if the invitation is used, revoked or unknown. */
    revoke: (orgId: string, by: string, invitationId: string): Promise<void> =>
      withTransaction(pool, async (tx) => {
        await lockedRole(tx, orgId, by, 'members');
        if (!(await revokeInvitation(tx, orgId, invitationId))) throw new MarketError('not_found');
      }),

    /**
     * Makes the person a member. Throws `not_found` for an invitation that is used, revoked or expired, or whose
     * organisation has ended, and `forbidden` if it is for another address than the confirmed one of the person.
     */
    accept: (person: string, token: string): Promise<OrganisationRow & { role: MemberRole }> =>
      withTransaction(pool, async (tx) => {
        const invitation = await findInvitation(tx, mailTokenSha256(token));
        if (!invitation) throw new MarketError('not_found', { message: NOT_VALID });
        const { orgId, role, invitationId, invitedBy } = invitation;
        const isOpen = await lockOrganisation(tx, orgId);
        const user = await lockUser(tx, person);
        if (!user?.email_confirmed_at || user.closed_at || user.email.toLowerCase() !== invitation.email)
          throw new MarketError('forbidden', { message: OTHER_ADDRESS });
        if (!isOpen || !(await acceptInvitation(tx, invitationId)))
          throw new MarketError('not_found', { message: NOT_VALID });
        await insertMember(tx, { orgId, userId: person, role, invitedBy });
        return { ...(await shown(tx, orgId)), role: (await readRole(tx, orgId, person)) ?? role };
      }),
  };
}

const NOT_VALID = 'This invitation is not valid: it was used or revoked, or it has expired.';
const OTHER_ADDRESS =
  'This invitation is for another address. Log in with the account of that address, and confirm the address.';
