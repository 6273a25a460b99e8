import { MarketError } from '../../domain/errors';
import { readAgent, readHighestAgentOf } from '../../stores/catalogue/agents';
import type { Db } from '../../stores/db';

const SLUG = /^[a-z0-9-]{1,64}$/;

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
  if (callerUserId === undefined) return notFound(name);
  const agent = await ('slug' in name ? readHighestAgentOf(db, name.slug) : readAgent(db, name.agentId));
  if (agent?.developerUserId !== callerUserId || agent.status === 'active') return notFound(name);
  return new MarketError('invalid_state', { message: `The agent is ${agent.status}.` });
}

/** Names an unknown slug, since clients accept slugs wherever they accept ids. */
function notFound(name: AgentName): MarketError {
  if (!('slug' in name) || !SLUG.test(name.slug)) return new MarketError('not_found');
  return new MarketError('not_found', {
    message: `No agent that you may see has the slug ${name.slug}.`,
  });
}
