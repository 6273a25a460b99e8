import type { Config } from '../../config';
import type { Logger } from '../../logger';
import type { AccountsService } from '../../services/accounts/accounts';
import type { ApiKeys } from '../../services/accounts/api-keys';
import type { Authenticators } from '../../services/accounts/authenticators';
import type { OauthGrants } from '../../services/oauth/oauth-grants';
import type { LoginGuard } from '../../services/accounts/login-guard';
import type { Organisations } from '../../services/organisations/organisations';
import type { SessionList } from '../../services/accounts/session-list';
import { createAuthentication, type Authentication, type AuthenticationDeps } from './authentication';
import { createOwnerLog } from './owner-log';
import { createSessions, createSessionStore } from './sessions';

export interface ApiAuthenticationDeps {
  config: Config;
  logger: Logger;
  pool: unknown;
  accounts: AccountsService;
  loginGuard: LoginGuard;
  organisations: Pick<Organisations, 'note'>;
  apiKeys: Pick<ApiKeys, 'authenticate'>;
  authenticators: Authenticators;
  sessionList: SessionList;
  oauthGrants: Pick<OauthGrants, 'authenticate'>;
  payerOf?: AuthenticationDeps['payerOf'];
}

/** Creates sessions and passport for one API process. `close` stops the pruning of ended sessions. */
export function createApiAuthentication(deps: ApiAuthenticationDeps): Authentication & { close: () => void } {
  const { config, logger, accounts } = deps;
  const store = createSessionStore({
    pool: deps.pool,
    accounts,
    onError: (message, error) => logger.warn({ err: error }, message),
  });
  const sessions = createSessions({
    store,
    secret: config.SESSION_SECRET,
    secure: config.NODE_ENV === 'production',
  });
  const authentication = createAuthentication({
    accounts,
    loginGuard: deps.loginGuard,
    sessions,
    ownerLog: createOwnerLog(deps.organisations),
    publicReads: config.PUBLIC_READS,
    takesPayments: config.X402,
    payerOf: deps.payerOf,
    apiKeys: deps.apiKeys,
    authenticators: deps.authenticators,
    sessionList: deps.sessionList,
    requiresConfirmedEmail: config.EMAIL_CONFIRMATION === 'required',
    requiresSecondFactor: config.SECOND_FACTOR === 'required',
    oauthGrants: deps.oauthGrants,
  });
  return { ...authentication, close: () => void store.close() };
}
