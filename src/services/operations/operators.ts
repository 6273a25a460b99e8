import { mayAgentMove, type AgentStatus } from '../../domain/catalogue/agent-state';
import { MarketError } from '../../domain/errors';
import {
  lockAgent,
  readAgent,
  refreshStanding,
  setAgentStatus,
  type AgentRow,
} from '../../stores/catalogue/agents';
import { type DbPool, withTransaction } from '../../stores/db';
import { readFrozenSince, setWalletFrozen } from '../../stores/billing/frozen-wallets';
import { readDebtUnits } from '../../stores/billing/payment-reversals';
import { type DigestRow, listDigests } from '../../stores/ledger/ledger-digests';
import {
  listOperatorActions,
  recordOperatorAction,
  type OperatorActionRow,
} from '../../stores/accounts/operator-actions';
import type { OperatorActionFilter } from '../../stores/accounts/operator-actions';
import { findUser } from '../../stores/accounts/users';
import type { OperatorRequest } from '../accounts/operator-actions';

export type { AgentRow, DigestRow, OperatorActionRow };

export interface AccountStanding {
  userId: string;
  email: string;
  role: 'buyer' | 'developer' | 'operator';
  /** When the wallet was frozen; null if it is not frozen. */
  frozenSince: Date | null;
  /** What the account owes for reversed payments. The debt keeps the wallet frozen until top-ups have paid it. */
  debtUnits: number;
}

/**
 * Actions of operators on agents and accounts. Each action and its audit log entry are one transaction. Throws
 * `not_found`, or `invalid_state` if there is nothing to change.
 */
export function createOperators({ pool }: { pool: DbPool }) {
  async function moveAgent(agentId: string, to: AgentStatus, action: string, request: OperatorRequest) {
    return withTransaction(pool, async (tx) => {
      const agent = await lockAgent(tx, agentId);
      if (!agent) throw new MarketError('not_found');
      const from = agent.status;
      if (!mayAgentMove(from, to)) {
        throw new MarketError('invalid_state', { message: `This agent is ${from}.` });
      }
      await setAgentStatus(tx, agentId, to);
      await refreshStanding(tx, agentId);
      await recordOperatorAction(tx, { ...request, action, subject: agentId, details: { from, to } });
      return { agentId, status: to };
    });
  }

  async function standing(userId: string): Promise<AccountStanding> {
    const user = await findUser(pool, userId);
    if (!user) throw new MarketError('not_found');
    const frozenSince = await readFrozenSince(pool, userId);
    const debtUnits = await readDebtUnits(pool, userId);
    return { userId, email: user.email, role: user.role, frozenSince, debtUnits };
  }

  async function setFrozen(userId: string, freeze: boolean, request: OperatorRequest) {
    await standing(userId);
    await withTransaction(pool, async (tx) => {
      const changed = await setWalletFrozen(tx, userId, freeze);
      if (!changed) {
        throw new MarketError('invalid_state', {
          message: freeze
            ? 'An operator has already frozen this wallet.'
            : 'No operator has frozen this wallet. The freeze of a debt ends when top-ups have paid the debt.',
        });
      }
      const action = freeze ? 'wallet.freeze' : 'wallet.unfreeze';
      await recordOperatorAction(tx, { ...request, action, subject: userId });
    });
    return standing(userId);
  }

  return {
    /** An agent in any state. Throws `not_found`. */
    agent: (agentId: string) => agentInAnyState(pool, agentId),

    /** Removes an agent from search and refuses new calls. Running calls complete. */
    suspend: (agentId: string, request: OperatorRequest) =>
      moveAgent(agentId, 'suspended', 'agent.suspend', request),

    /** Makes a suspended agent active again. */
    reinstate: (agentId: string, request: OperatorRequest) =>
      moveAgent(agentId, 'active', 'agent.reinstate', request),

    /** Freezes a wallet: from the commit on, it pays for no new call and allows no withdrawal. */
    freeze: (userId: string, request: OperatorRequest) => setFrozen(userId, true, request),
    unfreeze: (userId: string, request: OperatorRequest) => setFrozen(userId, false, request),
    account: standing,

    /** Appends the audit log entry of a clock that was moved, whose reason says how far. */
    travelled: (workflowId: string, request: OperatorRequest) =>
      recordOperatorAction(pool, { ...request, action: 'workflow.fast_forward', subject: workflowId }),

    actions: (filter: OperatorActionFilter) => listOperatorActions(pool, filter),

    /** Lists the sealed days of the ledger, newest first. */
    digests: (page: { beforeDay?: string | undefined; limit: number }) => listDigests(pool, page),
  };
}

async function agentInAnyState(pool: DbPool, agentId: string): Promise<AgentRow> {
  const agent = await readAgent(pool, agentId);
  if (!agent) throw new MarketError('not_found');
  return agent;
}

export type Operators = ReturnType<typeof createOperators>;
