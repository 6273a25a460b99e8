import {
  freezeWallet,
  getOperatorAccount,
  getOperatorAgent,
  listLedgerDigests,
  listOperatorActions,
  reinstateAgent,
  suspendAgent,
  unfreezeWallet,
} from '../../contract/operators';
import type { Operators } from '../../services/operations/operators';
import { optionalInstantOf } from '../requests/instant';
import { idPosition, listPage } from '../requests/list-page';
import { operatorRequestOf } from '../requests/operator-request';
import {
  accountStandingView,
  ledgerDigestView,
  operatorActionView,
  operatorAgentView,
} from '../views/operators/accounts';
import type { RouteBinder } from '../binding/route';

export interface OperatorRouteDeps {
  operators: Operators;
}

const DAY_POSITION = [/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/];
const ACTION_POSITION = idPosition('opa');

/** Moderation of agents, freezing of wallets, the operators' audit log, and the sealed days of the ledger. */
export function operatorRoutes(binder: RouteBinder, { operators }: OperatorRouteDeps): void {
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

  binder.bind(getOperatorAccount, async ({ params }) =>
    accountStandingView(await operators.account(params.user_id)),
  );

  binder.bind(freezeWallet, async (input) =>
    accountStandingView(await operators.freeze(input.params.user_id, operatorRequestOf(input))),
  );

  binder.bind(unfreezeWallet, async (input) =>
    accountStandingView(await operators.unfreeze(input.params.user_id, operatorRequestOf(input))),
  );

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
