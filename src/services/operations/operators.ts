import { mayAgentMove, type AgentStatus } from '../../domain/catalogue/agent-state';
import { MarketError } from '../../domain/errors';
import { lockAgent, refreshStanding, setAgentStatus } from '../../stores/catalogue/agents';
import { type DbPool, withTransaction } from '../../stores/db';
import { readFrozenSince, setWalletFrozen } from '../../stores/billing/frozen-wallets';
import { type DigestRow, listDigests } from '../../stores/ledger/ledger-digests';
import {
  listOperatorActions,
  recordOperatorAction,
  type OperatorActionRow,
} from '../../stores/accounts/operator-actions';
import type { OperatorActionFilter } from '../../stores/accounts/operator-actions';
import { findUser } from '../../stores/accounts/users';

export type { DigestRow, OperatorActionRow };

/** Who acts and why; both are written down with the deed. */
export interface OperatorRequest {
  operatorUserId: string;
  reason: string;
  traceId: string | null;
}

/** The same of a command on the database, which knows no account. */
export interface OperatorCommand {
  /** Such as `ada@host`. */
  runBy: string;
  reason: string;
}

/** How a command stands in the log. */
export const asAction = (command: OperatorCommand) => ({ operatorUserId: null, traceId: null, ...command });

export interface AccountStanding {
  userId: string;
  email: string;
  role: 'buyer' | 'developer' | 'operator';
  /** Since when the wallet is frozen; null: it is not. */
  frozenSince: Date | null;
}

/**
 * What operators do to agents and accounts. Every deed and its row in the log are one transaction: there is none
 * without the other. Throws 404 `not_found`, and 409 `invalid_state` when there is nothing to change.
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
    return { userId, email: user.email, role: user.role, frozenSince };
  }

  async function setFrozen(userId: string, freeze: boolean, request: OperatorRequest) {
    await standing(userId);
    await withTransaction(pool, async (tx) => {
      const changed = await setWalletFrozen(tx, userId, freeze);
      if (!changed) {
        throw new MarketError('invalid_state', {
          message: freeze ? 'This wallet is frozen already.' : 'This wallet is not frozen.',
        });
      }
      const action = freeze ? 'wallet.freeze' : 'wallet.unfreeze';
      await recordOperatorAction(tx, { ...request, action, subject: userId });
    });
    return standing(userId);
  }

  return {
    /** Takes an agent out of search and from its callers; calls that run end as they would. */
    suspend: (agentId: string, request: OperatorRequest) =>
      moveAgent(agentId, 'suspended', 'agent.suspend', request),

    /** Gives a suspended agent back what it was. */
    reinstate: (agentId: string, request: OperatorRequest) =>
      moveAgent(agentId, 'active', 'agent.reinstate', request),

    /** From its commit on the wallet pays for no new call, and nothing is withdrawn. */
    freeze: (userId: string, request: OperatorRequest) => setFrozen(userId, true, request),
    unfreeze: (userId: string, request: OperatorRequest) => setFrozen(userId, false, request),
    account: standing,

    actions: (filter: OperatorActionFilter) => listOperatorActions(pool, filter),

    /** The sealed days of the ledger, newest first. */
    digests: (page: { beforeDay?: string | undefined; limit: number }) => listDigests(pool, page),
  };
}

export type Operators = ReturnType<typeof createOperators>;
