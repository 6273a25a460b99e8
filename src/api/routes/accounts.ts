import { MarketError } from '../../domain/errors';
import {
  changePassword,
  changeProfile,
  login,
  logInByLink,
  logout,
  me,
  register,
  startSelling,
} from '../../contract/accounts';
import { clientNetwork } from '../../kit/client-address';
import type { AccountsService } from '../../services/accounts/accounts';
import type { LoginLinks } from '../../services/accounts/login-links';
import type { Profiles } from '../../services/accounts/profiles';
import type { LoginGuard } from '../../services/accounts/login-guard';
import type { Authentication } from '../identity/authentication';
import { chosenOwner } from '../identity/owner';
import { actingForView, profileView } from '../views/accounts';
import type { RouteBinder } from '../binding/route';

export interface AccountRoutesDeps {
  accounts: AccountsService;
  loginGuard: LoginGuard;
  profiles: Profiles;
  /** Undefined in production. */
  loginLinks: LoginLinks | undefined;
  authentication: Authentication;
}

export function accountRoutes(binder: RouteBinder, deps: AccountRoutesDeps): void {
  const { accounts, loginGuard, profiles, authentication } = deps;
  binder.bind(register, async ({ body, req, res }) => {
    const account = await loginGuard.signUp(clientNetwork(req.ip), () => accounts.register(body));
    await authentication.startSession(req, res, account);
    return profileView(account);
  });

  binder.bind(login, async ({ req, res }) => profileView(await authentication.logIn(req, res)));

  binder.bind(logInByLink, async ({ body, req, res }) => {
    if (!deps.loginLinks) throw new MarketError('not_found');
    const account = await deps.loginLinks.use(body.token);
    await authentication.startSession(req, res, account);
    return profileView(account);
  });

  binder.bind(me, async ({ principal, req }) => {
    const chosen = chosenOwner(principal, req);
    const [person, organisation] = await Promise.all([
      accounts.find(principal.userId),
      chosen?.owner ? accounts.find(chosen.ownerId) : null,
    ]);
    return { ...profileView(person), acting_for: chosen && actingForView(chosen, organisation) };
  });

  binder.bind(changeProfile, async ({ principal, body }) =>
    profileView(
      await profiles.change(principal.userId, { displayName: body.displayName, timeZone: body.time_zone }),
    ),
  );

  binder.bind(startSelling, async ({ principal }) =>
    profileView(await profiles.startSelling(principal.userId)),
  );

  binder.bind(logout, async ({ req, res }) => {
    await authentication.endSession(req, res);
    return undefined;
  });

  binder.bind(changePassword, async ({ principal, body, req, res }) => {
    const account = await loginGuard.confirm(principal.userId, () =>
      accounts.changePassword(principal.userId, {
        oldPassword: body.old_password,
        newPassword: body.new_password,
        ends: { keys: body.end_keys ?? false, grants: body.end_grants ?? false },
      }),
    );
    const { secondFactor, provider } = principal;
    await authentication.startSession(req, res, account, { secondFactor, provider });
    return undefined;
  });
}
