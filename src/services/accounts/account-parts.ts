import type { Config } from '../../config';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Passwords } from '../../kit/crypto/passwords';
import { isStorable } from '../../domain/json-value';
import { hasSessionFrom } from '../../stores/accounts/sessions';
import type { DbPool } from '../../stores/db';
import { createAccountsService } from './accounts';
import { createAuthenticators } from './authenticators';
import { createLoginGuard } from './login-guard';
import { createLoginLinks } from './login-links';
import { createProfiles } from './profiles';
import { createRecovery } from './recovery';
import { createSessionList } from './session-list';

const LOGIN_WINDOW_MS = 15 * 60_000;

/** Services of accounts and of what authenticates their owners. */
export function createAccountParts({
  pool,
  cipher,
  config,
  passwords,
}: {
  pool: DbPool;
  cipher: Cipher;
  config: Config;
  passwords: Passwords;
}) {
  const loginGuard = createLoginGuard({
    db: pool,
    failures: config.LOGIN_FAILURES,
    windowMs: LOGIN_WINDOW_MS,
    isAtHome: async (email, address) => isStorable(email) && hasSessionFrom(pool, email, address),
  });
  const isRequired = config.SECOND_FACTOR === 'required';
  const accounts = createAccountsService({ pool, passwords });
  return {
    accounts,
    /** Undefined in production, where no login link works. */
    loginLinks: config.NODE_ENV === 'production' ? undefined : createLoginLinks({ pool, accounts }),
    loginGuard,
    profiles: createProfiles({ pool }),
    recovery: createRecovery({ pool, passwords, guard: loginGuard }),
    authenticators: createAuthenticators({ pool, cipher, guard: loginGuard, isRequired }),
    sessionList: createSessionList({ pool }),
  };
}
