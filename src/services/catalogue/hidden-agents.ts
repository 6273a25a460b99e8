import { MarketError } from '../../domain/errors';
import { readAgent, readHighestAgentOf } from '../../stores/catalogue/agents';
import type { Db } from '../../stores/db';

/** An agent by its id, or a slug, which means the highest major version. */
type AgentName = { agentId: string } | { slug: string };

/**
 * Why an agent does not serve whoever asks: 409 `invalid_state` to its owner when it is suspended or retired, 404
 * `not_found` to everybody else and in every other case (contract, "Publishing and the agent's life").
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
