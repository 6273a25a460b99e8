import { MarketError } from '../../domain/errors';
import { readAgent, readHighestAgentOf } from '../../stores/catalogue/agents';
import type { Db } from '../../stores/db';

/** An agent by id, or by slug (its highest major version). */
type AgentName = { agentId: string } | { slug: string };

/**
 * The error for an agent that does not serve: `invalid_state` if the caller owns it and it is suspended or retired,
 * otherwise `not_found` (contract, "Publishing and the agent's life").
 */
export async function refusalOfHidden(
  db: Db,
  name: AgentName,
  callerUserId: string | undefined,
): Promise<MarketError> {
  if (callerUserId === undefined) return new MarketError('not_found');
  const agent = await ('slug' in name ? readHighestAgentOf(db, name.slug) : readAgent(db, name.agentId));
  if (agent?.developerUserId !== callerUserId || agent.status === 'active')
    return new MarketError('not_found');
  return new MarketError('invalid_state', { message: `The agent is ${agent.status}.` });
}
