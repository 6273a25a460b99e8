import { MAX_ORGANISATIONS } from '../../domain/accounts/roles';
import { MarketError } from '../../domain/errors';
import { isStorable } from '../../domain/json-value';
import { createSharedReads } from '../../kit/concurrency/shared-reads';
import { newId } from '../../kit/ids/ids';
import type { Passwords } from '../../kit/crypto/passwords';
import { type Db, uniqueViolation, withTransaction, type DbPool } from '../../stores/db';
import { countAccess, endAccess, type EndedAccess, endOpenEntries } from '../../stores/accounts/access-ends';
import { findActingOwner, listActingOwners } from '../../stores/organisations/members';
import { requestMail } from '../../stores/accounts/mails';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import {
  deleteSessionsOfUser,
  extendSession,
  findSession,
  type SessionRow,
} from '../../stores/accounts/sessions';
import {
  deleteUnconfirmed,
  findUser,
  findUserByEmail,
  insertUser,
  setPendingEmail,
  updatePasswordHash,
  updateRoleToOperator,
  type UserRow,
} from '../../stores/accounts/users';
import { type Freeze, readFreeze } from '../../stores/billing/frozen-wallets';
import { readDebtUnits } from '../../stores/billing/payment-reversals';
import { withDeveloperId } from './developer-ids';
import { type ActingOwner, type LiveSession, toActingOwner, userOf } from './session-list';
import { assertGoodPassword } from './new-password';
import { asAction, type OperatorCommand } from './operator-actions';

export interface AccountsDeps {
  pool: DbPool;
  passwords: Passwords;
}

/** An account as shown to its owner. */
export interface Account {
  userId: string;
  email: string;
  displayName: string;
  role: UserRow['role'];
  developerId: string | null;
  registrationPaid: boolean;
  emailConfirmed: boolean;
  /** The address that takes the place of `email` when it is confirmed; null while none is asked for. */
  pendingEmail: string | null;
  /** True if the account has an authenticator app in use. */
  hasAuthenticator: boolean;
  timeZone: string;
  createdAt: Date;
}

export interface Registration {
  email: string;
  password: string;
  displayName: string;
  role: 'buyer' | 'developer';
}

export type AccountsService = ReturnType<typeof createAccountsService>;

/** As in the table. */
const MAX_EMAIL_LENGTH = 254;
/** As in the contract. One character more is compared, so that a longer password never equals a shorter one. */
const MAX_PASSWORD_LENGTH = 1_024;
const BY_THE_SERVICE: OperatorCommand = { runBy: 'the service', reason: 'none given' };

/** Accounts and their sessions (specification, "Accounts and health"; contract, "Accounts, sessions, keys"). */
export function createAccountsService({ pool, passwords }: AccountsDeps) {
  return {
    /**
     * Creates an account and requests the mail that confirms its address. A developer also gets a unique id `dev_<slug
     * of the name>`. Throws `validation_failed` for a common password, `email_taken` for the address of another
     * account. An account that did not confirm the address within a day, and that has nothing, makes way (ADR 0193).
     */
    async register(registration: Registration): Promise<Account> {
      const email = normalizeEmail(registration.email);
      assertGoodPassword(registration.password, 'password', email);
      await assertFree(pool, email);
      const password_hash = await passwords.hash(registration.password);
      const user = { email, password_hash, display_name: registration.displayName, role: registration.role };
      return toAccount(await insertAccount(pool, { ...user, user_id: newId('usr') }));
    },

    /**
     * Checks email and password. Returns undefined if they are wrong. A hash is compared in any case, so that the time
     * reveals neither which of them is wrong nor whether the address is known. A closed account has no valid password.
     * Takes any text, also one that no account can have.
     */
    async authenticate(email: string, password: string): Promise<Account | undefined> {
      const user = await findByAnyText(pool, normalizeEmail(email));
      const isRight = await passwords.matches(
        user?.password_hash,
        password.slice(0, MAX_PASSWORD_LENGTH + 1),
      );
      if (user && !user.closed_at && isRight) return toAccount(user);
      passwords.failed();
      return undefined;
    },

    /** Checks the password of an account. Throws `invalid_credentials` if it is wrong. */
    async checkPassword(userId: string, password: string): Promise<void> {
      const user = await findUser(pool, userId);
      if (user && (await passwords.matches(user.password_hash, password))) return;
      passwords.failed();
      throw new MarketError('invalid_credentials', { message: 'The password is wrong.' });
    },

    /**
     * Changes the password. Ends all sessions of the account, tokens of mails, logins of devices that wait for their
     * key and, as asked, keys and grants. Throws `invalid_credentials` if the old password is wrong,
     * `validation_failed` if the new one is common.
     */
    async changePassword(
      userId: string,
      { oldPassword, newPassword, ends }: { oldPassword: string; newPassword: string; ends: EndedAccess },
    ): Promise<Account> {
      const user = await findUser(pool, userId);
      if (!user || !(await passwords.matches(user.password_hash, oldPassword))) {
        passwords.failed();
        throw new MarketError('invalid_credentials', { message: 'The old password is wrong.' });
      }
      assertGoodPassword(newPassword, 'new_password', user.email);
      const newHash = await passwords.hash(newPassword);
      await withTransaction(pool, async (tx) => {
        const changed = await updatePasswordHash(tx, userId, user.password_hash, newHash);
        if (!changed) throw new MarketError('invalid_credentials', { message: 'The old password is wrong.' });
        await endAfterPassword(tx, userId, ends);
      });
      return toAccount(user);
    },

    ...accountRoles(pool),
    ...accountReads(pool),
  };
}

/** Changes the roles of accounts. */
function accountRoles(pool: DbPool) {
  return {
    /**
     * Grants the role `operator` to the account with an email or id, for a command on the database. Throws `not_found`
     * if there is none.
     */
    grantOperator: (emailOrId: string, command = BY_THE_SERVICE): Promise<Account> =>
      withTransaction(pool, (tx) => makeOperator(tx, emailOrId, command)),
  };
}

/** Reads accounts, and reads and extends sessions for the session store. */
function accountReads(pool: DbPool) {
  const sessions = createSharedReads<SessionRow | undefined>();
  return {
    /** Reads an account. Throws `not_authenticated` if it no longer exists. */
    async find(userId: string): Promise<Account> {
      const user = await findUser(pool, userId);
      if (!user) throw new MarketError('not_authenticated');
      return toAccount(user);
    },

    /** Why the wallet of the account is frozen, and what it owes; null if it is not frozen. */
    async freeze(userId: string): Promise<(Freeze & { owedUnits: number }) | null> {
      const freeze = await readFreeze(pool, userId);
      return freeze ? { ...freeze, owedUnits: await readDebtUnits(pool, userId) } : null;
    },

    /** How many keys and grants of an account are in use. */
    countAccess: (userId: string) => countAccess(pool, userId),

    /** An organisation for one of its members; undefined for all other persons. */
    async findActingOwner(orgId: string, userId: string): Promise<ActingOwner | undefined> {
      const row = await findActingOwner(pool, orgId, userId);
      return row && toActingOwner(row);
    },

    /** The organisations of a person with their names, by name. */
    async listActingOwners(userId: string): Promise<(ActingOwner & { name: string })[]> {
      const rows = await listActingOwners(pool, userId, MAX_ORGANISATIONS);
      return rows.map((row) => ({ ...toActingOwner(row), name: row.owner_name }));
    },

    async findSession(sid: string): Promise<LiveSession | undefined> {
      const row = await sessions.read(sid, () => findSession(pool, sid));
      if (!row) return undefined;
      return { data: structuredClone(row.sess), expiresAt: row.expire, user: userOf(row) };
    },

    /** Extends a session. A session that was ended in the meantime stays ended. */
    async extendSession(sid: string, data: unknown, expiresAt: Date): Promise<void> {
      await extendSession(pool, sid, data, expiresAt);
    },
  };
}

async function makeOperator(tx: Db, emailOrId: string, command: OperatorCommand): Promise<Account> {
  const user = await updateRoleToOperator(tx, await accountToPromote(tx, emailOrId));
  const action = { action: 'operator.grant', subject: user.user_id } as const;
  await recordOperatorAction(tx, { ...asAction(command), ...action });
  return toAccount(user);
}

/** The account with an email or id. */
async function accountToPromote(tx: Db, emailOrId: string): Promise<string> {
  const isId = /^usr_[0-9a-f]{32}$/.test(emailOrId);
  const user = isId ? await findUser(tx, emailOrId) : await findUserByEmail(tx, normalizeEmail(emailOrId));
  if (!user || user.closed_at) throw new MarketError('not_found', { message: 'No account has this email.' });
  return user.user_id;
}

/** Throws `email_taken` unless the address is free, or becomes free because its account makes way. */
async function assertFree(pool: DbPool, email: string): Promise<void> {
  const user = await findUserByEmail(pool, email);
  if (!user || (await deleteUnconfirmed(pool, user.user_id))) return;
  throw new MarketError('email_taken');
}

/** The account of an address; undefined for a text that cannot be an address. */
async function findByAnyText(pool: DbPool, email: string): Promise<UserRow | undefined> {
  return email.length <= MAX_EMAIL_LENGTH && isStorable(email) ? findUserByEmail(pool, email) : undefined;
}

/**
 * Ends what an old password may have opened, also a change of address that is not confirmed, and reports the new
 * password by mail with the number of keys and grants that stay.
 */
export async function endAfterPassword(tx: Db, userId: string, ends: EndedAccess): Promise<void> {
  await deleteSessionsOfUser(tx, userId);
  await endOpenEntries(tx, userId);
  await setPendingEmail(tx, userId, null);
  await endAccess(tx, userId, ends);
  const { keys, grants } = await countAccess(tx, userId);
  await requestMail(tx, { recipient: userId, kind: 'password_changed', subject: `${keys} ${grants}` });
}

/** Emails are compared and stored in lower case. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

type NewAccount = Omit<Parameters<typeof insertUser>[1], 'developer_id'>;

/** Inserts the account with the mail that confirms its address. Throws `email_taken`. */
async function insertAccount(pool: DbPool, user: NewAccount): Promise<UserRow> {
  const insert = async (tx: Db, developer_id: string | null) => {
    const row = await insertUser(tx, { ...user, developer_id });
    await requestMail(tx, { recipient: row.user_id, kind: 'confirm_email' });
    return row;
  };
  try {
    return user.role === 'developer'
      ? await withDeveloperId(pool, user.display_name, insert)
      : await withTransaction(pool, (tx) => insert(tx, null));
  } catch (error) {
    if (uniqueViolation(error) === 'users_email') throw new MarketError('email_taken', { cause: error });
    throw error;
  }
}

/** An account as shown to its owner. */
export function toAccount(user: UserRow): Account {
  return {
    userId: user.user_id,
    email: user.email,
    displayName: user.display_name,
    role: user.role,
    developerId: user.developer_id,
    registrationPaid: user.registration_paid_at !== null,
    emailConfirmed: user.email_confirmed_at !== null,
    pendingEmail: user.pending_email,
    hasAuthenticator: user.authenticator_since !== null,
    timeZone: user.time_zone,
    createdAt: user.created_at,
  };
}
