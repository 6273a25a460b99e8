import { mayAssign, type MemberRole } from '../../domain/accounts/roles';
import { MarketError } from '../../domain/errors';
import {
  endInvitationsBy,
  endMembership,
  listMembers,
  updateMemberRole,
} from '../../stores/organisations/members';
import { readRole } from '../../stores/organisations/organisations';
import { type DbPool, withTransaction } from '../../stores/db';
import { lockedRole, requireAnotherOwner, requireAssignable, requireRole } from './guards';
import { seesBudget } from './spending';

/** Who belongs to an organisation, and in which role. */
export function createMembership(pool: DbPool) {
  return {
    /** The members by id; `seesBudget`: whether the person may see what a member spends. */
    async members(
      orgId: string,
      person: string,
      { limit, afterId }: { limit: number; afterId: string | undefined },
    ) {
      const role = await requireRole(pool, orgId, person, 'view');
      const { rows, total } = await listMembers(pool, orgId, { limit, afterId });
      return {
        rows: rows.map((row) => ({ ...row, seesBudget: seesBudget(role, person, row.userId) })),
        total,
      };
    },

    /**
     * Gives a member another role; invitations that the member sent end with a smaller one. Throws `forbidden`, or
     * `invalid_state` for the last owner.
     */
    changeRole: (orgId: string, by: string, member: string, role: MemberRole): Promise<void> =>
      withTransaction(pool, async (tx) => {
        const own = await lockedRole(tx, orgId, by, 'members');
        const present = await readRole(tx, orgId, member);
        if (!present) throw new MarketError('not_found');
        requireAssignable(own, present);
        requireAssignable(own, role);
        if (present === 'owner' && role !== 'owner') await requireAnotherOwner(tx, orgId);
        await updateMemberRole(tx, orgId, member, role);
        if (!mayAssign(role, present)) await endInvitationsBy(tx, orgId, member);
      }),

    /**
     * Removes a member, or leaves: keys that the member made for the organisation end in the same transaction, and the
     * next request for it is refused. Calls in flight end and are paid. Throws `invalid_state` for the last owner.
     */
    remove: (orgId: string, by: string, member: string): Promise<void> =>
      withTransaction(pool, async (tx) => {
        const own = await lockedRole(tx, orgId, by, by === member ? 'view' : 'members');
        const present = await readRole(tx, orgId, member);
        if (!present) throw new MarketError('not_found');
        if (by !== member) requireAssignable(own, present);
        if (present === 'owner') await requireAnotherOwner(tx, orgId);
        await endMembership(tx, orgId, member);
      }),

    /** Makes a member an owner, and the owner who hands over an admin. */
    handOver: (orgId: string, by: string, member: string): Promise<void> =>
      withTransaction(pool, async (tx) => {
        await lockedRole(tx, orgId, by, 'own');
        if (by === member || !(await readRole(tx, orgId, member))) throw new MarketError('not_found');
        await updateMemberRole(tx, orgId, member, 'owner');
        await updateMemberRole(tx, orgId, by, 'admin');
        await endInvitationsBy(tx, orgId, by);
      }),
  };
}
