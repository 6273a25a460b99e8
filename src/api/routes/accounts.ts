import type { Static } from '@sinclair/typebox';
import { changePassword, login, logout, me, register } from '../../contract/accounts';
import type { Profile } from '../../contract/common';
import type { Account, AccountsService } from '../../services/accounts/accounts';
import type { Authentication } from '../identity/authentication';
import type { RouteBinder } from '../binding/route';

export interface AccountRoutesDeps {
  accounts: AccountsService;
  authentication: Authentication;
}

export function accountRoutes(binder: RouteBinder, { accounts, authentication }: AccountRoutesDeps): void {
  binder.bind(register, async ({ body, req, res }) => {
    const account = await accounts.register(body);
    await authentication.startSession(req, res, account);
    return toProfile(account);
  });

  binder.bind(login, async ({ req, res }) => toProfile(await authentication.logIn(req, res)));

  binder.bind(me, async ({ principal }) => toProfile(await accounts.find(principal.userId)));

  binder.bind(logout, async ({ req, res }) => {
    await authentication.endSession(req, res);
    return undefined;
  });

  binder.bind(changePassword, async ({ principal, body, req, res }) => {
    const account = await accounts.changePassword(principal.userId, body.old_password, body.new_password);
    await authentication.startSession(req, res, account);
    return undefined;
  });
}

function toProfile(account: Account): Static<typeof Profile> {
  return {
    user_id: account.userId,
    email: account.email,
    displayName: account.displayName,
    role: account.role,
    developer_id: account.developerId,
    registration_paid: account.registrationPaid,
    created_at: account.createdAt.toISOString(),
  };
}
