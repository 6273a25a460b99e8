import {
  freezeWallet,
  getOperatorAccount,
  listLedgerDigests,
  listOperatorActions,
  reinstateAgent,
  suspendAgent,
  unfreezeWallet,
} from '../../contract/operators';
import { unitsToCredits } from '../../domain/ledger/money';
import type {
  AccountStanding,
  DigestRow,
  OperatorActionRow,
  Operators,
} from '../../services/operations/operators';
import { instantOf } from '../requests/instant';
import { listPage } from '../requests/list-page';
import { operatorRequestOf } from '../requests/operator-request';
import type { RouteBinder } from '../binding/route';

export interface OperatorRouteDeps {
  operators: Operators;
}

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
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

  binder.bind(listLedgerDigests, ({ query }) =>
    listPage('ledger-digests', query, DAY, async (beforeDay, limit) => {
      const { rows, total } = await operators.digests({ beforeDay, limit });
      return { rows, total, idOf: (row: DigestRow) => row.day, view: toDigest };
    }),
  );
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

function toDigest(row: DigestRow) {
  return {
    day: row.day,
    transactions: row.transactions,
    entries: row.entries,
    moved_credits: unitsToCredits(row.creditsUnits),
    entries_sha256: row.entriesSha256,
    previous_sha256: row.previousSha256,
    digest_sha256: row.digestSha256,
    seal: row.seal,
    sealed_at: row.sealedAt.toISOString(),
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
