/** Confirmation of email addresses, and new passwords for accounts whose password was forgotten. */
import { type FieldProblem, MarketError } from '../../domain/errors';
import { mailTokenSha256 } from '../../kit/crypto/mail-token';
import type { Passwords } from '../../kit/crypto/passwords';
import type { EndedAccess } from '../../stores/accounts/access-ends';
import { isTokenValid, requestMail, consumeToken, type TokenPurpose } from '../../stores/accounts/mails';
import {
  confirmEmail,
  findUser,
  replacePasswordHash,
  consumePendingEmail,
} from '../../stores/accounts/users';
import { type Db, type DbPool, uniqueViolation, withTransaction } from '../../stores/db';
import { endAfterPassword, normalizeEmail } from './accounts';
import type { LoginGuard } from './login-guard';
import { passwordProblems } from './new-password';

export interface RecoveryDeps {
  pool: DbPool;
  passwords: Passwords;
  guard: Pick<LoginGuard, 'forget'>;
}

const MAX_RECIPIENT_LENGTH = 254;

export function createRecovery({ pool, passwords, guard }: RecoveryDeps) {
  return {
    /** Requests another mail with a token that confirms the address of the account, or the one it changes to. */
    async resendConfirmation(userId: string): Promise<void> {
      const user = await findUser(pool, userId);
      const kind = user && user.pending_email !== null ? 'change_email' : 'confirm_email';
      await requestMail(pool, { recipient: userId, kind });
    },

    /**
     * Confirms the address of the account, or the one it changes to, with the token of its mail. The token of another
     * account is refused, so that a person who follows a link does not confirm the account of another person. Throws
     * `validation_failed` for a wrong token, `email_taken` if another account has the new address meanwhile.
     */
    async confirm(userId: string, token: string): Promise<void> {
      try {
        await withTransaction(pool, (tx) => confirmAddress(tx, userId, token));
      } catch (error) {
        if (uniqueViolation(error) === 'users_email') throw new MarketError('email_taken', { cause: error });
        throw error;
      }
    },

    /** Requests a mail that resets the password. It does the same for known and unknown addresses. */
    async requestReset(email: string): Promise<void> {
      const recipient = normalizeEmail(email);
      if (recipient.length <= MAX_RECIPIENT_LENGTH)
        await requestMail(pool, { recipient, kind: 'reset_password' });
    },

    /**
     * Sets a new password with the token of a mail, which also confirms the address. Ends all sessions of the account
     * and, as asked, its keys and grants; those of an account that had not confirmed the address end in any case,
     * because another person may have made them. Throws `validation_failed` for a wrong token and for a password that
     * is not good enough.
     */
    async reset(token: string, newPassword: string, ends: EndedAccess): Promise<void> {
      // A hash costs 27 ms, so that a guessed token must not cause one.
      const isValid = await isTokenValid(pool, mailTokenSha256(token), 'reset_password');
      const detail = [...(isValid ? [] : [WRONG_TOKEN]), ...passwordProblems(newPassword, 'new_password')];
      if (detail.length > 0) throw new MarketError('validation_failed', { detail });
      const hash = await passwords.hash(newPassword);
      const email = await withTransaction(pool, async (tx) => {
        const userId = await requireToken(tx, token, 'reset_password');
        const user = await findUser(tx, userId);
        const isOwners = user !== undefined && user.email_confirmed_at !== null;
        await replacePasswordHash(tx, userId, hash);
        await confirmEmail(tx, userId);
        await endAfterPassword(tx, userId, isOwners ? ends : { keys: true, grants: true });
        return user?.email;
      });
      if (email !== undefined) await guard.forget(email);
    },
  };
}

async function confirmAddress(tx: Db, userId: string, token: string): Promise<void> {
  const sha256 = mailTokenSha256(token);
  if ((await consumeToken(tx, sha256, 'confirm_email')) === userId) return confirmEmail(tx, userId);
  if ((await consumeToken(tx, sha256, 'change_email')) !== userId) throw wrongToken();
  const before = await consumePendingEmail(tx, userId);
  if (before === undefined) throw wrongToken();
  await requestMail(tx, { recipient: before, kind: 'email_changed' });
}

async function requireToken(tx: Db, token: string, purpose: TokenPurpose): Promise<string> {
  const userId = await consumeToken(tx, mailTokenSha256(token), purpose);
  if (userId === undefined) throw wrongToken();
  return userId;
}

const WRONG_TOKEN: FieldProblem = {
  loc: ['body', 'token'],
  msg: 'is wrong, was used, has expired, or belongs to another account; request a new mail',
  type: 'token',
};

function wrongToken(): MarketError {
  return new MarketError('validation_failed', { detail: [WRONG_TOKEN] });
}

export type Recovery = ReturnType<typeof createRecovery>;
