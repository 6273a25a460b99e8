import {
  freezeWallet,
  getOperatorAccount,
  grantOperator,
  listAccountKeys,
  listOperatorAccounts,
  removeLostAuthenticator,
  revokeOperator,
  unfreezeWallet,
} from '../../contract/operator-accounts';
import { listOperatorAgents, listOperatorCalls } from '../../contract/operator-lists';
import {
  getOperatorAgent,
  listLedgerDigests,
  listOperatorActions,
  reinstateAgent,
  suspendAgent,
} from '../../contract/operators';
import type { OperatorAccounts } from '../../services/operations/operator-accounts';
import type { Operators } from '../../services/operations/operators';
import { optionalInstantOf } from '../requests/instant';
import { idPosition, listPage } from '../requests/list-page';
import { operatorRequestOf } from '../requests/operator-request';
import { keyView } from '../views/accounts';
import {
  accountInListView,
  accountStandingView,
  agentInListView,
  callInListView,
  ledgerDigestView,
  operatorActionView,
  operatorAgentView,
} from '../views/operators/accounts';
import type { RouteBinder } from '../binding/route';

export interface OperatorRouteDeps {
  operators: Operators;
  operatorAccounts: OperatorAccounts;
}

const DAY_POSITION = [/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/];
const AGENT_POSITION = [/^agt_[a-z0-9_]{1,90}$/];
const ACTION_POSITION = idPosition('opa');

/** Moderation of agents and accounts, the operators' audit log, and the sealed days of the ledger. */
export function operatorRoutes(binder: RouteBinder, deps: OperatorRouteDeps): void {
  const { operators } = deps;
  routesOfAccounts(binder, deps);
  routesOfLists(binder, deps);

  binder.bind(getOperatorAgent, async ({ params }) =>
    operatorAgentView(await operators.agent(params.agent_id)),
  );

  binder.bind(suspendAgent, async (input) => {
    const { agentId } = await operators.suspend(input.params.agent_id, operatorRequestOf(input));
    return { agent_id: agentId, status: 'suspended' as const };
  });

  binder.bind(reinstateAgent, async (input) => {
    const { agentId } = await operators.reinstate(input.params.agent_id, operatorRequestOf(input));
    return { agent_id: agentId, status: 'active' as const };
  });

  binder.bind(listOperatorActions, ({ query }) => {
    const { operator_user_id: operatorUserId, action, subject } = query;
    const since = optionalInstantOf('since', query.since);
    const until = optionalInstantOf('until', query.until);
    const filter = { operatorUserId, action, subject, since, until };
    const list = ['operator-actions', operatorUserId, action, subject, query.since, query.until];
    return listPage(
      { list, position: ACTION_POSITION, query },
      ([beforeId], limit) => operators.actions({ ...filter, beforeId, limit }),
      { position: (row) => [row.actionId], view: operatorActionView },
    );
  });

  binder.bind(listLedgerDigests, ({ query }) =>
    listPage(
      { list: ['ledger-digests'], position: DAY_POSITION, query },
      ([beforeDay], limit) => operators.digests({ beforeDay, limit }),
      { position: (row) => [row.day], view: ledgerDigestView },
    ),
  );
}

function routesOfAccounts(binder: RouteBinder, { operatorAccounts: accounts }: OperatorRouteDeps): void {
  binder.bind(listOperatorAccounts, ({ query }) =>
    listPage(
      { list: ['operator-accounts', query.role, query.frozen], position: idPosition('usr'), query },
      ([beforeId], limit) =>
        accounts.list({ role: query.role, onlyFrozen: query.frozen === 'true', beforeId, limit }),
      { position: ({ userId }) => [userId], view: accountInListView },
    ),
  );
  binder.bind(getOperatorAccount, async ({ params }) =>
    accountStandingView(await accounts.account(params.user_id)),
  );
  binder.bind(listAccountKeys, ({ params: { user_id: userId }, query }) =>
    listPage(
      { list: ['account-keys', userId], position: idPosition('key'), query },
      ([beforeId], limit) => accounts.keys(userId, { beforeId, limit }),
      { position: ({ keyId }) => [keyId], view: keyView },
    ),
  );
  binder.bind(freezeWallet, async (input) =>
    accountStandingView(await accounts.freeze(input.params.user_id, operatorRequestOf(input))),
  );
  binder.bind(unfreezeWallet, async (input) =>
    accountStandingView(await accounts.unfreeze(input.params.user_id, operatorRequestOf(input))),
  );
  binder.bind(grantOperator, async (input) =>
    accountStandingView(await accounts.grant(input.params.user_id, operatorRequestOf(input))),
  );
  binder.bind(revokeOperator, async (input) =>
    accountStandingView(await accounts.revoke(input.params.user_id, operatorRequestOf(input))),
  );
  binder.bind(removeLostAuthenticator, async (input) =>
    accountStandingView(await accounts.removeAuthenticator(input.params.user_id, operatorRequestOf(input))),
  );
}

function routesOfLists(binder: RouteBinder, { operators }: OperatorRouteDeps): void {
  binder.bind(listOperatorAgents, ({ query }) => {
    const { developer_user_id: developerUserId, status } = query;
    return listPage(
      { list: ['operator-agents', developerUserId, status], position: AGENT_POSITION, query },
      ([afterId], limit) => operators.agents({ developerUserId, status, afterId, limit }),
      { position: ({ agentId }) => [agentId], view: agentInListView },
    );
  });
  binder.bind(listOperatorCalls, ({ query }) => {
    const { user_id: buyerUserId, agent_id: agentId, status } = query;
    return listPage(
      {
        list: ['operator-calls', buyerUserId, agentId, status],
        position: idPosition('inv'),
        query,
      },
      async ([beforeId], limit) => {
        const filter = { buyerUserId, agentId, status, beforeId, limit };
        const { scannedTo, ...found } = await operators.calls(filter);
        return { ...found, reached: scannedTo === undefined ? undefined : [scannedTo] };
      },
      { position: ({ invocationId }) => [invocationId], view: callInListView },
    );
  });
}
