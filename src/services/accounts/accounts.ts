import { randomInt } from 'node:crypto';
import { developerIdCandidate } from '../../domain/accounts/developer-id';
import { MarketError } from '../../domain/errors';
import { newId } from '../../kit/ids/ids';
import type { Passwords } from '../../kit/crypto/passwords';
import { type Db, uniqueViolation, withTransaction, type DbPool } from '../../stores/db';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import { deleteSessionsOfUser, extendSession, findSession } from '../../stores/accounts/sessions';
import {
  countDeveloperIds,
  findUser,
  findUserByEmail,
  insertUser,
  updatePasswordHash,
  updateRoleToOperator,
  type UserRow,
} from '../../stores/accounts/users';
import { asAction, type OperatorCommand } from '../operations/operators';

export interface AccountsDeps {
  pool: DbPool;
  passwords: Passwords;
}

/** What an account's owner sees of it; times as Dates. */
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
  /** Null when the session belongs to nobody (any more). */
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
/** Then the number is drawn: those that follow may be taken by many at once, or by people who call themselves so. */
const COUNTED_ATTEMPTS = 4;
const BY_THE_SERVICE: OperatorCommand = { runBy: 'the service', reason: 'none given' };

/** Accounts and their sessions (specification, "Accounts and health"; contract, "Accounts, sessions, keys"). */
export function createAccountsService({ pool, passwords }: AccountsDeps) {
  return {
    /** Creates an account; 409 `email_taken`. A developer gets `dev_<slug of the display name>`, made unique. */
    async register(registration: Registration): Promise<Account> {
      const email = normalizeEmail(registration.email);
      if (await findUserByEmail(pool, email)) throw new MarketError('email_taken');
      const password_hash = await passwords.hash(registration.password);
      const user = { email, password_hash, display_name: registration.displayName, role: registration.role };
      return toAccount(await insertWithDeveloperId(pool, { ...user, user_id: newId('usr') }));
    },

    /** The account when email and password belong together, else undefined, after the same work in either case. */
    async authenticate(email: string, password: string): Promise<Account | undefined> {
      const user = await findUserByEmail(pool, normalizeEmail(email));
      const same = await passwords.matches(user?.password_hash, password);
      return same && user ? toAccount(user) : undefined;
    },

    /** The account; 401 when it is gone. */
    async find(userId: string): Promise<Account> {
      const user = await findUser(pool, userId);
      if (!user) throw new MarketError('not_authenticated');
      return toAccount(user);
    },

    /** Changes the password and ends every session of the account; 401 `invalid_credentials` for a wrong old one. */
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

    /** Gives the role `operator`; 404 when no account has this email. Never reachable through the API. */
    grantOperator: (email: string, command = BY_THE_SERVICE): Promise<Account> =>
      withTransaction(pool, (tx) => makeOperator(tx, normalizeEmail(email), command)),

    async findSession(sid: string): Promise<LiveSession | undefined> {
      const row = await findSession(pool, sid);
      if (!row) return undefined;
      const { user_id: userId, role } = row;
      const user =
        userId === null || role === null
          ? null
          : {
              userId,
              role,
              developerId: row.developer_id,
              registrationPaid: row.registration_paid_at !== null,
            };
      return { data: row.sess, expiresAt: row.expire, user };
    },

    /** Moves a session's end; a session that was ended meanwhile stays ended. */
    async extendSession(sid: string, data: unknown, expiresAt: Date): Promise<void> {
      await extendSession(pool, sid, data, expiresAt);
    },
  };
}

async function makeOperator(tx: Db, email: string, command: OperatorCommand): Promise<Account> {
  const user = await updateRoleToOperator(tx, email);
  if (!user) throw new MarketError('not_found', { message: 'No account has this email.' });
  const deed = { action: 'operator.grant', subject: user.user_id };
  await recordOperatorAction(tx, { ...asAction(command), ...deed });
  return toAccount(user);
}

/** Emails are compared and kept in lower case. */
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
