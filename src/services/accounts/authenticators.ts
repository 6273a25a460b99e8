/**
 * Authenticator apps (TOTP, RFC 6238) as a second factor. An account that has enrolled one needs a code to log in, to
 * change its payout method and, as an operator, to act. Each code works once; a recovery code works instead of one.
 */
import { MarketError } from '../../domain/errors';
import type { Cipher } from '../../kit/crypto/cipher';
import {
  isRecoveryCode,
  isTotpCode,
  newRecoveryCode,
  newTotpSecret,
  recoveryCodeSha256,
  totpStep,
  totpUri,
  withoutBlanks,
} from '../../kit/crypto/totp';
import {
  countRecoveryCodes,
  deleteAuthenticator,
  putAuthenticator,
  readAuthenticator,
  replaceRecoveryCodes,
  consumeRecoveryCode,
  useStep,
} from '../../stores/accounts/authenticators';
import { requestMail } from '../../stores/accounts/mails';
import { deleteOtherSessions } from '../../stores/accounts/sessions';
import { findUser, setAuthenticatorSince } from '../../stores/accounts/users';
import { type DbPool, withTransaction } from '../../stores/db';
import { authenticatorContext } from './authenticator-context';
import type { LoginGuard } from './login-guard';

export interface AuthenticatorsDeps {
  pool: DbPool;
  cipher: Cipher;
  guard: Pick<LoginGuard, 'confirm'>;
  /** True if changes of payout methods need an enrolled authenticator. */
  isRequired: boolean;
  now?: () => number;
}

const RECOVERY_CODES = 10;

export function createAuthenticators(deps: AuthenticatorsDeps) {
  const use = codeUse(deps);
  return {
    use,
    ...authenticatorSetup(deps, use),

    /** True if the account has an authenticator in use, and the number of its recovery codes. */
    async state(userId: string): Promise<{ hasAuthenticator: boolean; recoveryCodes: number }> {
      const user = await findUser(deps.pool, userId);
      const recoveryCodes = await countRecoveryCodes(deps.pool, userId);
      return { hasAuthenticator: Boolean(user?.authenticator_since), recoveryCodes };
    },

    /** The secret of an account, sealed for the account that takes over its login; null if it has none. */
    async sealedFor(account: string, person: string): Promise<Buffer | null> {
      const sealed = await readAuthenticator(deps.pool, account);
      if (!sealed) return null;
      const secret = await deps.cipher.unseal(sealed, authenticatorContext(account));
      return deps.cipher.seal(secret, authenticatorContext(person));
    },

    /**
     * Checks the code of a change of the payout method. Throws `second_factor_required` if the code is missing,
     * `invalid_credentials` if it is wrong, and `forbidden` if the account has no authenticator but needs one.
     */
    async checkPayoutChange(userId: string, code: string | undefined): Promise<void> {
      const user = await findUser(deps.pool, userId);
      if (!user?.authenticator_since) {
        if (deps.isRequired) throw new MarketError('forbidden', { message: ENROL_FIRST });
        return;
      }
      if (code === undefined) throw new MarketError('second_factor_required');
      await use(userId, code);
    },

    /**
     * Checks the code of another change, which accounts without an authenticator may make. Throws
     * `second_factor_required` if the code is missing, `invalid_credentials` if it is wrong.
     */
    async checkChange(userId: string, code: string | undefined): Promise<void> {
      const user = await findUser(deps.pool, userId);
      if (!user?.authenticator_since) return;
      if (code === undefined) throw new MarketError('second_factor_required');
      await use(userId, code);
    },
  };
}

type UseCode = (userId: string, code: string) => Promise<void>;

/** Returns the function that uses a code up. Failures count for the account from every address. */
function codeUse({ pool, cipher, guard, now = Date.now }: AuthenticatorsDeps): UseCode {
  async function stepOf(userId: string, code: string): Promise<number | undefined> {
    const sealed = await readAuthenticator(pool, userId);
    if (!sealed) return undefined;
    const secret = await cipher.unseal(sealed, authenticatorContext(userId));
    return totpStep(secret.toString(), code, now());
  }

  async function isAccepted(userId: string, code: string): Promise<boolean> {
    if (isTotpCode(code)) {
      const step = await stepOf(userId, code);
      return step !== undefined && (await useStep(pool, userId, step));
    }
    return withTransaction(pool, async (tx) => {
      if (!(await consumeRecoveryCode(tx, userId, recoveryCodeSha256(code)))) return false;
      await requestMail(tx, { recipient: userId, kind: 'recovery_code_used' });
      return true;
    });
  }

  return async (userId, typed) => {
    const code = withoutBlanks(typed);
    // A malformed code is a mistake, and does not count as a guess.
    if (!isTotpCode(code) && !isRecoveryCode(code)) throw notACode();
    await guard.confirm(userId, async () => {
      if (!(await isAccepted(userId, code))) throw wrongCode();
    });
  };
}

/** Adds and removes an authenticator app. */
function authenticatorSetup({ pool, cipher }: AuthenticatorsDeps, use: UseCode) {
  return {
    /**
     * Begins the setup and returns the secret, which is shown once. It counts from the first code on. Throws
     * `invalid_state` if the account has an authenticator in use.
     */
    async begin(userId: string): Promise<{ secret: string; uri: string }> {
      const user = await findUser(pool, userId);
      if (!user || user.authenticator_since) throw alreadyHasAuthenticator();
      const secret = newTotpSecret();
      const sealed = await cipher.seal(Buffer.from(secret), authenticatorContext(userId));
      await putAuthenticator(pool, userId, sealed);
      return { secret, uri: totpUri(secret, user.email) };
    },

    /**
     * Completes the setup with the first code, and ends all other sessions of the account. Returns the recovery codes,
     * which are shown once. Throws `invalid_credentials` for a wrong code.
     */
    async confirm(userId: string, code: string, sid: string): Promise<string[]> {
      const user = await findUser(pool, userId);
      if (!user || user.authenticator_since) throw alreadyHasAuthenticator();
      await use(userId, code);
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
      await withTransaction(pool, async (tx) => {
        await setAuthenticatorSince(tx, userId, true);
        await replaceRecoveryCodes(tx, userId, codes.map(recoveryCodeSha256));
        await deleteOtherSessions(tx, userId, sid);
        await requestMail(tx, { recipient: userId, kind: 'authenticator_changed', subject: 'added' });
      });
      return codes;
    },

    /** Removes the authenticator of the account with a code. Throws `invalid_credentials` for a wrong one. */
    async remove(userId: string, code: string): Promise<void> {
      await use(userId, code);
      await withTransaction(pool, async (tx) => {
        await setAuthenticatorSince(tx, userId, false);
        await deleteAuthenticator(tx, userId);
        await requestMail(tx, { recipient: userId, kind: 'authenticator_changed', subject: 'removed' });
      });
    },
  };
}

/** The message for accounts that need an authenticator and have none. */
export const ENROL_FIRST =
  'This needs an authenticator app. Enrol one first: POST /v1/auth/authenticator, or market totp enrol.';

function wrongCode(): MarketError {
  return new MarketError('invalid_credentials', {
    message:
      'The code is wrong or was used before. Wait for the next code of your app, or use a recovery code.',
  });
}

function notACode(): MarketError {
  return new MarketError('invalid_credentials', {
    message:
      'This is no code: a code of your app has six digits, and a recovery code four groups of five letters and digits.',
  });
}

function alreadyHasAuthenticator(): MarketError {
  return new MarketError('invalid_state', {
    message: 'This account has an authenticator app. Remove it before you enrol another one.',
  });
}

export type Authenticators = ReturnType<typeof createAuthenticators>;
