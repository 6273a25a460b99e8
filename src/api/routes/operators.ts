import {
  freezeWallet,
  getOperatorAccount,
  listOperatorActions,
  reinstateAgent,
  suspendAgent,
  unfreezeWallet,
} from '../../contract/operators';
import type { AccountStanding, OperatorActionRow, Operators } from '../../services/operators';
import { listPage } from '../list-page';
import type { HandlerInput, RouteBinder } from '../route';

export interface OperatorRouteDeps {
  operators: Operators;
}

const ACTION_ID = /^opa_[0-9a-f]{32}$/;

/** What operators do to agents and accounts, and the log of what they all did. */
export function operatorRoutes(binder: RouteBinder, { operators }: OperatorRouteDeps): void {
  binder.bind(suspendAgent, async (input) => {
    const { agentId } = await operators.suspend(input.params.agent_id, requestOf(input));
    return { agent_id: agentId, status: 'suspended' as const };
  });

  binder.bind(reinstateAgent, async (input) => {
    const { agentId } = await operators.reinstate(input.params.agent_id, requestOf(input));
    return { agent_id: agentId, status: 'active' as const };
  });

  binder.bind(getOperatorAccount, async ({ params }) => toAccount(await operators.account(params.user_id)));

  binder.bind(freezeWallet, async (input) =>
    toAccount(await operators.freeze(input.params.user_id, requestOf(input))),
  );

  binder.bind(unfreezeWallet, async (input) =>
    toAccount(await operators.unfreeze(input.params.user_id, requestOf(input))),
  );

  binder.bind(listOperatorActions, ({ query }) => {
    const { operator_user_id: operatorUserId, action, subject } = query;
    const scope = ['operator-actions', operatorUserId, action, subject].join('/');
    return listPage(scope, query, ACTION_ID, async (beforeId, limit) => {
      const { rows, total } = await operators.actions({ operatorUserId, action, subject, beforeId, limit });
      return { rows, total, idOf: (row: OperatorActionRow) => row.actionId, view: toAction };
    });
  });
}

type Input = Pick<HandlerInput<never, never, { reason: string }>, 'principal' | 'body' | 'traceId'>;

function requestOf({ principal, body, traceId }: Input) {
  return { operatorUserId: principal.userId, reason: body.reason, traceId };
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
    action: row.action,
    subject: row.subject,
    reason: row.reason,
    details: row.details,
    trace_id: row.traceId,
    created_at: row.createdAt.toISOString(),
  };
}
