import {
  freezeWallet,
  getOperatorAccount,
  listOperatorActions,
  reinstateAgent,
  suspendAgent,
  unfreezeWallet,
} from '../../contract/operators';
import type { AccountStanding, OperatorActionRow, Operators } from '../../services/operators';
import { instantOf } from '../instant';
import { listPage } from '../list-page';
import { operatorRequestOf } from '../operator-request';
import type { RouteBinder } from '../route';

export interface OperatorRouteDeps {
  operators: Operators;
}

const ACTION_ID = /^opa_[0-9a-f]{32}$/;

/** What operators do to agents and accounts, and the log of what they all did. */
export function operatorRoutes(binder: RouteBinder, { operators }: OperatorRouteDeps): void {
  binder.bind(suspendAgent, async (input) => {
    const { agentId } = await operators.suspend(input.params.agent_id, operatorRequestOf(input));
    return { agent_id: agentId, status: 'suspended' as const };
  });

  binder.bind(reinstateAgent, async (input) => {
    const { agentId } = await operators.reinstate(input.params.agent_id, operatorRequestOf(input));
    return { agent_id: agentId, status: 'active' as const };
  });

  binder.bind(getOperatorAccount, async ({ params }) => toAccount(await operators.account(params.user_id)));

  binder.bind(freezeWallet, async (input) =>
    toAccount(await operators.freeze(input.params.user_id, operatorRequestOf(input))),
  );

  binder.bind(unfreezeWallet, async (input) =>
    toAccount(await operators.unfreeze(input.params.user_id, operatorRequestOf(input))),
  );

  binder.bind(listOperatorActions, ({ query }) => {
    const { operator_user_id: operatorUserId, action, subject } = query;
    const since = query.since === undefined ? undefined : instantOf('query', 'since', query.since);
    const until = query.until === undefined ? undefined : instantOf('query', 'until', query.until);
    const filter = { operatorUserId, action, subject, since, until };
    const scope = ['operator-actions', operatorUserId, action, subject, query.since, query.until].join('/');
    return listPage(scope, query, ACTION_ID, async (beforeId, limit) => {
      const { rows, total } = await operators.actions({ ...filter, beforeId, limit });
      return { rows, total, idOf: (row: OperatorActionRow) => row.actionId, view: toAction };
    });
  });
}

function toAccount(account: AccountStanding) {
  return {
    user_id: account.userId,
    email: account.email,
    role: account.role,
    wallet_frozen: account.frozenSince !== null,
    frozen_since: account.frozenSince?.toISOString() ?? null,
  };
}

function toAction(row: OperatorActionRow) {
  return {
    action_id: row.actionId,
    operator_user_id: row.operatorUserId,
    run_by: row.runBy,
    action: row.action,
    subject: row.subject,
    reason: row.reason,
    details: row.details,
    trace_id: row.traceId,
    created_at: row.createdAt.toISOString(),
  };
}
