import { mayAgentMove, type AgentStatus } from '../../domain/catalogue/agent-state';
import { MarketError } from '../../domain/errors';
import { lockAgent, readAgent, setAgentStatus, type AgentRow } from '../../stores/catalogue/agents';
import { type DbPool, withTransaction } from '../../stores/db';
import { type DigestRow, listDigests } from '../../stores/ledger/ledger-digests';
import {
  listOperatorActions,
  recordOperatorAction,
  type OperatorActionRow,
} from '../../stores/accounts/operator-actions';
import type { OperatorActionFilter } from '../../stores/accounts/operator-actions';
import {
  type AgentFilter,
  type AgentInList,
  type CallFilter,
  type CallInList,
  listAgents,
  listCalls,
} from '../../stores/operations/operator-lists';
import { createOperatorAccounts } from './operator-accounts';
import type { OperatorRequest } from '../accounts/operator-actions';

export type { AgentInList, AgentRow, CallInList, DigestRow, OperatorActionRow };

/**
 * Actions of operators on agents. Each action and its audit log entry are one transaction. Throws
 * `not_found`, or `invalid_state` if there is nothing to change.
 */
function createOperators({ pool }: { pool: DbPool }) {
  async function moveAgent(
    agentId: string,
    to: AgentStatus,
    action: 'agent.suspend' | 'agent.reinstate',
    request: OperatorRequest,
  ) {
    return withTransaction(pool, async (tx) => {
      const agent = await lockAgent(tx, agentId);
      if (!agent) throw new MarketError('not_found');
      const from = agent.status;
      if (!mayAgentMove(from, to)) {
        throw new MarketError('invalid_state', { message: `This agent is ${from}.` });
      }
      await setAgentStatus(tx, agentId, to);
      await recordOperatorAction(tx, { ...request, action, subject: agentId, details: { from, to } });
      return { agentId, status: to };
    });
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

    /** Appends the audit log entry of a clock that was moved, whose reason says how far. */
    travelled: (workflowId: string, request: OperatorRequest) =>
      recordOperatorAction(pool, { ...request, action: 'workflow.fast_forward', subject: workflowId }),

    /** Lists agents in any state, by their ids. */
    agents: (filter: AgentFilter) => listAgents(pool, filter),

    /** Lists calls of all accounts, newest first. */
    calls: (filter: CallFilter) => listCalls(pool, filter),

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

/** What operators do with agents and accounts. */
export const createOperatorParts = ({ pool }: { pool: DbPool }) => ({
  operators: createOperators({ pool }),
  operatorAccounts: createOperatorAccounts({ pool }),
});

export type Operators = ReturnType<typeof createOperators>;
