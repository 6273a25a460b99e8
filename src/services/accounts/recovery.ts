/** Confirmation of email addresses, and new passwords for accounts whose password was forgotten. */
import { MarketError } from '../../domain/errors';
import { mailTokenSha256 } from '../../kit/crypto/mail-token';
import type { Passwords } from '../../kit/crypto/passwords';
import { isTokenValid, requestMail, takeToken, type TokenPurpose } from '../../stores/accounts/mails';
import { deleteSessionsOfUser } from '../../stores/accounts/sessions';
import { confirmEmail, replacePasswordHash } from '../../stores/accounts/users';
import { type Db, type DbPool, uniqueViolation, withTransaction } from '../../stores/db';
import { assertGoodPassword } from './new-password';

export function createRecovery({ pool, passwords }: { pool: DbPool; passwords: Passwords }) {
  return {
    /** Requests another mail with a token that confirms the address of the account. */
    resendConfirmation: (userId: string): Promise<void> =>
      requestMail(pool, { recipient: userId, kind: 'confirm_email' }),

    /**
     * Confirms the address of the account with the token of its mail. The token of another account is refused, so that
     * a person who follows a link does not confirm the account of another person. Throws `validation_failed` for a wrong
     * token, `email_taken` if another account has confirmed the address.
     */
    async confirm(userId: string, token: string): Promise<void> {
      try {
        await withTransaction(pool, async (tx) => {
          if ((await take(tx, token, 'confirm_email')) !== userId) throw wrongToken();
          await confirmEmail(tx, userId);
        });
      } catch (error) {
        if (uniqueViolation(error) !== 'users_confirmed_email') throw error;
        throw new MarketError('email_taken', {
          message: 'Another account has confirmed this email address.',
        });
      }
    },

    /** Requests a mail that resets the password. It does the same for known and unknown addresses. */
    requestReset: (email: string): Promise<void> =>
      requestMail(pool, { recipient: email.normalize('NFC').toLowerCase(), kind: 'reset_password' }),

    /**
     * Sets a new password with the token of a mail, and ends all sessions of the account. Throws `validation_failed`
     * for a wrong token and for a password that is not good enough.
     */
    async reset(token: string, newPassword: string): Promise<void> {
      assertGoodPassword(newPassword, 'new_password');
      // A hash costs 27 ms, so that a guessed token must not cause one.
      if (!(await isTokenValid(pool, mailTokenSha256(token), 'reset_password'))) throw wrongToken();
      const hash = await passwords.hash(newPassword);
      await withTransaction(pool, async (tx) => {
        const userId = await take(tx, token, 'reset_password');
        await replacePasswordHash(tx, userId, hash);
        await deleteSessionsOfUser(tx, userId);
        await requestMail(tx, { recipient: userId, kind: 'password_changed' });
      });
    },
  };
}

async function take(tx: Db, token: string, purpose: TokenPurpose): Promise<string> {
  const userId = await takeToken(tx, mailTokenSha256(token), purpose);
  if (userId === undefined) throw wrongToken();
  return userId;
}

function wrongToken(): MarketError {
  const msg = 'is wrong, was used, has expired, or belongs to another account; request a new mail';
  return new MarketError('validation_failed', { detail: [{ loc: ['body', 'token'], msg, type: 'token' }] });
}

export type Recovery = ReturnType<typeof createRecovery>;
