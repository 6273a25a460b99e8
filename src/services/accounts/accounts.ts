import { randomInt } from 'node:crypto';
import { developerIdCandidate } from '../../domain/accounts/developer-id';
import { MarketError } from '../../domain/errors';
import { createSharedReads } from '../../kit/concurrency/shared-reads';
import { newId } from '../../kit/ids/ids';
import type { Passwords } from '../../kit/crypto/passwords';
import { type Db, uniqueViolation, withTransaction, type DbPool } from '../../stores/db';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import {
  deleteSessionsOfUser,
  extendSession,
  findSession,
  type SessionRow,
} from '../../stores/accounts/sessions';
import {
  countDeveloperIds,
  findUser,
  findUserByEmail,
  insertUser,
  updatePasswordHash,
  updateRoleToOperator,
  type UserRow,
} from '../../stores/accounts/users';
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
  createdAt: Date;
}

export interface LiveSession {
  data: unknown;
  expiresAt: Date;
  /** Null if the session is anonymous, or if its user no longer exists. */
  user: Pick<Account, 'userId' | 'role' | 'developerId' | 'registrationPaid'> | null;
}

export interface Registration {
  email: string;
  password: string;
  displayName: string;
  role: 'buyer' | 'developer';
}

export type AccountsService = ReturnType<typeof createAccountsService>;

const MAX_DEVELOPER_ID_ATTEMPTS = 8;
/** Later suffixes are random, because the next numbers may be taken by concurrent registrations or by display names. */
const COUNTED_ATTEMPTS = 4;
const BY_THE_SERVICE: OperatorCommand = { runBy: 'the service', reason: 'none given' };

/** Accounts and their sessions (specification, "Accounts and health"; contract, "Accounts, sessions, keys"). */
export function createAccountsService({ pool, passwords }: AccountsDeps) {
  const sessions = createSharedReads<SessionRow | undefined>();
  return {
    /** Creates an account. A developer also gets a unique id `dev_<slug of the name>`. Throws `email_taken`. */
    async register(registration: Registration): Promise<Account> {
      const email = normalizeEmail(registration.email);
      if (await findUserByEmail(pool, email)) throw new MarketError('email_taken');
      const password_hash = await passwords.hash(registration.password);
      const user = { email, password_hash, display_name: registration.displayName, role: registration.role };
      return toAccount(await insertWithDeveloperId(pool, { ...user, user_id: newId('usr') }));
    },

    /** Checks email and password. Returns undefined if they are wrong; the timing does not reveal which of them is. */
    async authenticate(email: string, password: string): Promise<Account | undefined> {
      const user = await findUserByEmail(pool, normalizeEmail(email));
      const same = await passwords.matches(user?.password_hash, password);
      return same && user ? toAccount(user) : undefined;
    },

    /** Reads an account. Throws `not_authenticated` if it no longer exists. */
    async find(userId: string): Promise<Account> {
      const user = await findUser(pool, userId);
      if (!user) throw new MarketError('not_authenticated');
      return toAccount(user);
    },

    /**
     * Changes the password and ends all sessions of the account. Throws `invalid_credentials` if the old password is
     * wrong.
     */
    async changePassword(userId: string, oldPassword: string, newPassword: string): Promise<Account> {
      const user = await findUser(pool, userId);
      if (!user || !(await passwords.matches(user.password_hash, oldPassword))) {
        throw new MarketError('invalid_credentials', { message: 'The old password is wrong.' });
      }
      const newHash = await passwords.hash(newPassword);
      await withTransaction(pool, async (tx) => {
        const changed = await updatePasswordHash(tx, userId, user.password_hash, newHash);
        if (!changed) throw new MarketError('invalid_credentials', { message: 'The old password is wrong.' });
        await deleteSessionsOfUser(tx, userId);
      });
      return toAccount(user);
    },

    /** Grants the role `operator`. The API does not expose this. Throws `not_found` if no account has the email. */
    grantOperator: (email: string, command = BY_THE_SERVICE): Promise<Account> =>
      withTransaction(pool, (tx) => makeOperator(tx, normalizeEmail(email), command)),

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

/** The user of a session; null for an anonymous session. */
function userOf(row: SessionRow): LiveSession['user'] {
  const { user_id: userId, role } = row;
  if (userId === null || role === null) return null;
  return { userId, role, developerId: row.developer_id, registrationPaid: row.registration_paid_at !== null };
}

async function makeOperator(tx: Db, email: string, command: OperatorCommand): Promise<Account> {
  const user = await updateRoleToOperator(tx, email);
  if (!user) throw new MarketError('not_found', { message: 'No account has this email.' });
  const action = { action: 'operator.grant', subject: user.user_id };
  await recordOperatorAction(tx, { ...asAction(command), ...action });
  return toAccount(user);
}

/** Emails are compared and stored in lower case. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

async function insertWithDeveloperId(
  pool: DbPool,
  user: Omit<Parameters<typeof insertUser>[1], 'developer_id'>,
): Promise<UserRow> {
  let suffix = 1;
  for (let attempt = 1; ; attempt += 1) {
    const developer_id = user.role === 'developer' ? developerIdCandidate(user.display_name, suffix) : null;
    try {
      return await insertUser(pool, { ...user, developer_id });
    } catch (error) {
      const constraint = uniqueViolation(error);
      if (constraint === 'users_email_unique') throw new MarketError('email_taken');
      if (constraint !== 'users_developer_id_key' || attempt >= MAX_DEVELOPER_ID_ATTEMPTS) throw error;
      suffix =
        attempt < COUNTED_ATTEMPTS
          ? Math.max(suffix, await countDeveloperIds(pool, developerIdCandidate(user.display_name, 1))) + 1
          : randomInt(100_000, 1_000_000_000);
    }
  }
}

function toAccount(user: UserRow): Account {
  return {
    userId: user.user_id,
    email: user.email,
    displayName: user.display_name,
    role: user.role,
    developerId: user.developer_id,
    registrationPaid: user.registration_paid_at !== null,
    createdAt: user.created_at,
  };
}
