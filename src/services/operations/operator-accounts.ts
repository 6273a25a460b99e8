import { MarketError } from '../../domain/errors';
import type { UserAccountKind } from '../../domain/ledger/ledger';
import { listKeys } from '../../stores/accounts/api-keys';
import { deleteAuthenticator } from '../../stores/accounts/authenticators';
import { requestMail } from '../../stores/accounts/mails';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import { deleteSessionsOfUser } from '../../stores/accounts/sessions';
import {
  findUser,
  lockUser,
  setAuthenticatorSince,
  updateRoleFromOperator,
  updateRoleToOperator,
  type UserRow,
} from '../../stores/accounts/users';
import { readFrozenSince, setWalletFrozen } from '../../stores/billing/frozen-wallets';
import { readDebtUnits } from '../../stores/billing/payment-reversals';
import { type DbPool, withTransaction } from '../../stores/db';
import { readBalances } from '../../stores/ledger/ledger-reads';
import { type AccountFilter, type AccountInList, listAccounts } from '../../stores/operations/operator-lists';
import type { OperatorRequest } from '../accounts/operator-actions';

export type { AccountInList };

export interface AccountStanding extends AccountInList {
  hasAuthenticator: boolean;
  /** When the wallet was frozen; null if it is not frozen. */
  frozenSince: Date | null;
  /** What the account owes for reversed payments. The debt keeps the wallet frozen until top-ups have paid it. */
  debtUnits: number;
  balances: Readonly<Record<UserAccountKind, number>>;
}

/**
 * Accounts as operators see and change them. Each action and its audit log entry are one transaction. Throws
 * `not_found`, or `invalid_state` if there is nothing to change.
 */
export function createOperatorAccounts({ pool }: { pool: DbPool }) {
  async function standing(userId: string): Promise<AccountStanding> {
    const user = await findUser(pool, userId);
    if (!user) throw new MarketError('not_found');
    const frozenSince = await readFrozenSince(pool, userId);
    return {
      userId,
      email: user.email,
      displayName: user.display_name,
      developerId: user.developer_id,
      role: user.role,
      emailConfirmed: user.email_confirmed_at !== null,
      frozen: frozenSince !== null,
      createdAt: user.created_at,
      hasAuthenticator: user.authenticator_since !== null,
      frozenSince,
      debtUnits: await readDebtUnits(pool, userId),
      balances: await readBalances(pool, userId),
    };
  }

  async function setFrozen(userId: string, freeze: boolean, request: OperatorRequest) {
    await standing(userId);
    await withTransaction(pool, async (tx) => {
      const changed = await setWalletFrozen(tx, userId, freeze);
      if (!changed)
        throw new MarketError('invalid_state', {
          message: freeze
            ? 'An operator has already frozen this wallet.'
            : 'No operator has frozen this wallet. The freeze of a debt ends when top-ups have paid the debt.',
        });
      const action = freeze ? 'wallet.freeze' : 'wallet.unfreeze';
      await recordOperatorAction(tx, { ...request, action, subject: userId });
    });
    return standing(userId);
  }

  return {
    account: standing,
    list: (filter: AccountFilter) => listAccounts(pool, filter),

    /** Lists the API keys of an account, newest first. Throws `not_found`. */
    async keys(userId: string, page: { limit: number; beforeId?: string | undefined }) {
      if (!(await findUser(pool, userId))) throw new MarketError('not_found');
      return listKeys(pool, userId, page);
    },

    /** Freezes a wallet: from the commit on, it pays for no new call and allows no withdrawal. */
    freeze: (userId: string, request: OperatorRequest) => setFrozen(userId, true, request),
    unfreeze: (userId: string, request: OperatorRequest) => setFrozen(userId, false, request),

    /** Makes a buyer whose address is confirmed an operator. */
    async grant(userId: string, request: OperatorRequest) {
      await changeRole(pool, userId, request, GRANT);
      return standing(userId);
    },

    /** Removes the authenticator app of a person who lost it, and ends the sessions of the account. */
    async removeAuthenticator(userId: string, request: OperatorRequest) {
      await removeLostAuthenticator(pool, userId, request);
      return standing(userId);
    },

    /** Makes an operator, other than the one who asks, what the account was before. */
    async revoke(userId: string, request: OperatorRequest) {
      await changeRole(pool, userId, request, REVOCATION);
      return standing(userId);
    },
  };
}

interface RoleChange {
  action: 'operator.grant' | 'operator.revoke';
  refusal: (user: UserRow, operatorUserId: string) => string | undefined;
  update: typeof updateRoleToOperator;
}

const GRANT: RoleChange = {
  action: 'operator.grant',
  refusal: whyNotGranted,
  update: updateRoleToOperator,
};
const REVOCATION: RoleChange = {
  action: 'operator.revoke',
  refusal: whyNotRevoked,
  update: updateRoleFromOperator,
};

/** Changes the role of an account unless `refusal` says why not. */
async function changeRole(pool: DbPool, userId: string, request: OperatorRequest, change: RoleChange) {
  await withTransaction(pool, async (tx) => {
    const user = await lockUser(tx, userId);
    if (!user) throw new MarketError('not_found');
    const message = change.refusal(user, request.operatorUserId);
    if (message !== undefined) throw new MarketError('invalid_state', { message });
    await change.update(tx, userId);
    await recordOperatorAction(tx, { ...request, action: change.action, subject: userId });
  });
}

async function removeLostAuthenticator(pool: DbPool, userId: string, request: OperatorRequest) {
  await withTransaction(pool, async (tx) => {
    const user = await lockUser(tx, userId);
    if (!user) throw new MarketError('not_found');
    const message = whyNotRemoved(user, request.operatorUserId);
    if (message !== undefined) throw new MarketError('invalid_state', { message });
    await setAuthenticatorSince(tx, userId, false);
    await deleteAuthenticator(tx, userId);
    await deleteSessionsOfUser(tx, userId);
    await requestMail(tx, { recipient: userId, kind: 'authenticator_changed', subject: 'removed' });
    await recordOperatorAction(tx, { ...request, action: 'authenticator.remove', subject: userId });
  });
}

function whyNotGranted({
  role,
  email_confirmed_at: confirmedAt,
  closed_at: closedAt,
}: UserRow): string | undefined {
  if (closedAt !== null) return 'This account is being deleted.';
  if (role === 'operator') return 'This account is an operator.';
  if (role === 'developer')
    return 'This account sells agents, and an account has one role. Use another account for operating.';
  if (confirmedAt === null) return 'This account has not confirmed its address.';
  return undefined;
}

function whyNotRemoved(
  { authenticator_since: since, user_id: userId }: UserRow,
  operatorUserId: string,
): string | undefined {
  if (since === null) return 'This account has no authenticator app.';
  return userId === operatorUserId
    ? 'Another operator must do this: an operator removes the own app with a code.'
    : undefined;
}

function whyNotRevoked({ role, user_id: userId }: UserRow, operatorUserId: string): string | undefined {
  if (role !== 'operator') return 'This account is no operator.';
  return userId === operatorUserId
    ? 'Another operator must do this: an operator cannot revoke the own account.'
    : undefined;
}

export type OperatorAccounts = ReturnType<typeof createOperatorAccounts>;
