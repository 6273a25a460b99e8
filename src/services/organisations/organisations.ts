/**
 * Organisations: owners of wallets, keys and agents for which several people act, each in a role (ADR 0373). Every
 * change of members locks the organisation, so that one follows the other, and one owner is always left.
 */
import type { MemberRole } from '../../domain/accounts/roles';
import { NO_TIME_ZONE } from '../../domain/accounts/time-zone';
import { MarketError } from '../../domain/errors';
import { newId } from '../../kit/ids/ids';
import {
  convertAccount,
  findUser,
  lockUser,
  setTimeZone,
  updateDisplayName,
} from '../../stores/accounts/users';
import {
  insertLogEntry,
  listLog,
  type LogEntry,
  type LogFilter,
  type LoggedEntry,
  type LogPage,
  setOutcome,
} from '../../stores/organisations/log';
import { insertMember, type MemberRow } from '../../stores/organisations/members';
import {
  insertOrganisation,
  type InvitationRow,
  listOrganisations,
  type OrganisationRow,
  setRequireSecondFactor,
} from '../../stores/organisations/organisations';
import { type DbPool, withTransaction } from '../../stores/db';
import { lockedRole, requireRole, requireRoom, shown } from './guards';
import { createInvitations } from './invitations';
import { createMembership } from './members';
import { createMemberSpending, type MemberBudget, type OrganisationRules } from './spending';

export type Organisation = OrganisationRow & { role: MemberRole };
export type { InvitationRow, LogFilter, LoggedEntry, MemberBudget, MemberRow, OrganisationRules };
export interface ActingPerson {
  userId: string;
  secondFactor: boolean;
}
/** Members that are left out stay. */
export interface OrganisationChange {
  name?: string | undefined;
  requireSecondFactor?: boolean | undefined;
  timeZone?: string | undefined;
}
type BeforePage = Parameters<typeof listOrganisations>[2];

export interface OrganisationsDeps {
  pool: DbPool;
  /** Seals the secret of an authenticator app for the account that takes over the login. */
  sealedFor: (account: string, person: string) => Promise<Buffer | null>;
}

export function createOrganisations({ pool, sealedFor }: OrganisationsDeps) {
  return {
    /** Creates an organisation, of which the person is the first owner. Throws `invalid_state` for too many. */
    create: (person: string, name: string): Promise<Organisation> =>
      withTransaction(pool, async (tx) => {
        if ((await lockUser(tx, person))?.closed_at !== null) throw new MarketError('not_authenticated');
        await requireRoom(tx, person);
        const orgId = newId('org');
        await insertOrganisation(tx, { orgId, name, person });
        await insertMember(tx, { orgId, userId: person, role: 'owner', invitedBy: null });
        return { ...(await shown(tx, orgId)), role: 'owner' };
      }),

    /**
     * Turns an account into an organisation that keeps its id, agents, credits, keys and history. The login moves to a
     * new account of the person, who is its first owner. Returns the organisation and the id of the new account. Throws
     * `invalid_state` for operators, and while a deletion of the account is open.
     */
    async convert(account: string, name: string): Promise<{ organisation: Organisation; person: string }> {
      const user = await findUser(pool, account);
      if (user?.role === 'operator')
        throw new MarketError('invalid_state', { message: 'The account of an operator stays a person.' });
      const person = newId('usr');
      const sealed = await sealedFor(account, person);
      return withTransaction(pool, async (tx) => {
        if (!(await convertAccount(tx, { account, person, name, sealed })))
          throw new MarketError('invalid_state', { message: WITHDRAW_FIRST });
        return { organisation: { ...(await shown(tx, account)), role: 'owner' }, person };
      });
    },

    /** The organisations of a person. */
    list: (person: string, page: BeforePage) => listOrganisations(pool, person, page),

    /** An organisation of a member. Throws `not_found` for others. */
    async find(orgId: string, person: string): Promise<Organisation> {
      const role = await requireRole(pool, orgId, person, 'view');
      return { ...(await shown(pool, orgId)), role };
    },

    /**
     * Changes the name, the time zone, and whether members need a second factor. An owner who demands one must act with
     * one. Throws `second_factor_required`, and `validation_failed` for a zone that the database does not know.
     */
    change: (
      orgId: string,
      person: ActingPerson,
      { name, requireSecondFactor, timeZone }: OrganisationChange,
    ): Promise<Organisation> =>
      withTransaction(pool, async (tx) => {
        const role = await lockedRole(tx, orgId, person.userId, 'own');
        if (requireSecondFactor === true && !person.secondFactor)
          throw new MarketError('second_factor_required', { message: WITH_A_CODE });
        if (name !== undefined) await updateDisplayName(tx, orgId, name);
        if (timeZone !== undefined && !(await setTimeZone(tx, orgId, timeZone)))
          throw new MarketError('validation_failed', { detail: [NO_TIME_ZONE] });
        if (requireSecondFactor !== undefined) await setRequireSecondFactor(tx, orgId, requireSecondFactor);
        return { ...(await shown(tx, orgId)), role };
      }),

    ...createMembership(pool),
    ...createInvitations(pool),
    ...createMemberSpending(pool),

    ...createLog(pool),
  };
}
export type Organisations = ReturnType<typeof createOrganisations>;

const WITHDRAW_FIRST =
  'The account is an organisation already, or its deletion was requested: then withdraw that first.';
const WITH_A_CODE =
  'Log in again with a code of your authenticator app (totp_code): who demands a second factor acts with one.';

function createLog(pool: DbPool) {
  return {
    /** Adds an entry to the log of an organisation. Returns what notes the outcome; undefined for people outside. */
    async note(entry: Omit<LogEntry, 'entryId'>): Promise<((outcome: string) => Promise<void>) | undefined> {
      const entryId = newId('oac');
      if (!(await insertLogEntry(pool, { ...entry, entryId }))) return undefined;
      return (outcome) => setOutcome(pool, entryId, outcome);
    },

    /** What members changed, the newest first. */
    async log(orgId: string, person: string, page: LogPage) {
      await requireRole(pool, orgId, person, 'audit');
      return listLog(pool, orgId, page);
    },
  };
}
