import { MarketError } from '../../domain/errors';
import { type AgentRow, readAgent } from '../../stores/catalogue/agents';
import type { Db } from '../../stores/db';

/** An agent of the caller. Throws `not_found` for an agent that does not exist or belongs to another account. */
export async function readOwnAgent(db: Db, userId: string, agentId: string): Promise<AgentRow> {
  const agent = await readAgent(db, agentId);
  if (agent?.developerUserId !== userId) throw new MarketError('not_found');
  return agent;
}

/** Throws `invalid_state` for an agent that was published by a manifest. */
export function requireSelfHosted(agent: AgentRow): void {
  if (agent.kind !== 'manifest') return;
  throw new MarketError('invalid_state', {
    message: 'The agent was published by a manifest. Publish a new version instead.',
  });
}
