import {
  beginAuthenticator,
  changeEmail,
  confirmAuthenticator,
  confirmEmail,
  endOtherSessions,
  endSession,
  getSecurity,
  listSessions,
  removeAuthenticator,
  requestPasswordReset,
  resendConfirmation,
  resetPassword,
} from '../../contract/account-security';
import type { AccountsService } from '../../services/accounts/accounts';
import type { Authenticators } from '../../services/accounts/authenticators';
import type { LoginGuard } from '../../services/accounts/login-guard';
import type { Profiles } from '../../services/accounts/profiles';
import type { Recovery } from '../../services/accounts/recovery';
import type { SessionList } from '../../services/accounts/session-list';
import { clientNetwork } from '../../kit/client-address';
import type { RouteBinder } from '../binding/route';
import { idPosition, listPage } from '../requests/list-page';
import { freezeView, sessionView } from '../views/accounts';

export interface AccountSecurityRouteDeps {
  accounts: AccountsService;
  loginGuard: LoginGuard;
  profiles: Profiles;
  recovery: Recovery;
  authenticators: Authenticators;
  sessionList: SessionList;
}

const SESSION_POSITION = idPosition('ses');

/** Confirmation of the email address, reset of the password, sessions, and authenticator apps. */
export function accountSecurityRoutes(binder: RouteBinder, deps: AccountSecurityRouteDeps): void {
  const { accounts, authenticators } = deps;
  binder.bind(getSecurity, async ({ principal }) => {
    const [account, state, access, freeze] = await Promise.all([
      accounts.find(principal.userId),
      authenticators.state(principal.userId),
      accounts.countAccess(principal.userId),
      accounts.freeze(principal.userId),
    ]);
    return {
      email: account.email,
      email_confirmed: account.emailConfirmed,
      pending_email: account.pendingEmail,
      authenticator: state.hasAuthenticator,
      recovery_codes_left: state.recoveryCodes,
      api_keys: access.keys,
      oauth_grants: access.grants,
      wallet_frozen: freeze && freezeView(freeze),
    };
  });
  bindRecovery(binder, deps);
  bindSessions(binder, deps);
  bindAuthenticators(binder, deps);
}

function bindRecovery(binder: RouteBinder, deps: AccountSecurityRouteDeps): void {
  const { accounts, authenticators, loginGuard, profiles, recovery } = deps;
  binder.bind(changeEmail, async ({ principal: { userId }, body, req }) => {
    await loginGuard.confirm(userId, () => accounts.checkPassword(userId, body.password));
    await authenticators.checkChange(userId, body.totp_code);
    await loginGuard.signUp(clientNetwork(req.ip), () => profiles.changeEmail(userId, body.email));
    return undefined;
  });

  binder.bind(confirmEmail, async ({ principal, body }) => {
    await recovery.confirm(principal.userId, body.token);
    return undefined;
  });

  binder.bind(resendConfirmation, async ({ principal }) => {
    await recovery.resendConfirmation(principal.userId);
    return undefined;
  });

  binder.bind(requestPasswordReset, async ({ body }) => {
    await recovery.requestReset(body.email);
    return undefined;
  });

  binder.bind(resetPassword, async ({ body }) => {
    const ends = { keys: body.end_keys ?? false, grants: body.end_grants ?? false };
    await recovery.reset(body.token, body.new_password, ends);
    return undefined;
  });
}

function bindSessions(binder: RouteBinder, { sessionList }: AccountSecurityRouteDeps): void {
  binder.bind(listSessions, ({ principal: { userId }, query, req }) =>
    listPage(
      { list: ['sessions', userId], position: SESSION_POSITION, query },
      async ([afterId], limit) => {
        const all = await sessionList.list(userId, req.sessionID);
        const begin = all.findIndex(({ sessionId }) => sessionId === afterId) + 1;
        return { rows: all.slice(begin, begin + limit), total: all.length };
      },
      { position: ({ sessionId }) => [sessionId], view: sessionView },
    ),
  );

  binder.bind(endSession, async ({ principal, params }) => {
    await sessionList.end(principal.userId, params.session_id);
    return undefined;
  });

  binder.bind(endOtherSessions, async ({ principal, req }) => {
    await sessionList.endOthers(principal.userId, req.sessionID);
    return undefined;
  });
}

function bindAuthenticators(binder: RouteBinder, deps: AccountSecurityRouteDeps): void {
  const { accounts, authenticators, loginGuard } = deps;
  binder.bind(beginAuthenticator, async ({ principal: { userId }, body }) => {
    await loginGuard.confirm(userId, () => accounts.checkPassword(userId, body.password));
    const { secret, uri } = await authenticators.begin(userId);
    return { secret, otpauth_uri: uri };
  });

  binder.bind(confirmAuthenticator, async ({ principal, body, req }) => {
    const codes = await authenticators.confirm(principal.userId, body.totp_code, req.sessionID);
    req.session.secondFactor = true;
    return { recovery_codes: codes };
  });

  binder.bind(removeAuthenticator, async ({ principal, body }) => {
    await authenticators.remove(principal.userId, body.totp_code);
    return undefined;
  });
}
