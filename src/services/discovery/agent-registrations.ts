import { agentRegistration, marketRegistration } from '../../domain/discovery/agent-registration';
import type { MarketAddress } from '../../domain/discovery/market-address';
import { MarketError } from '../../domain/errors';
import { readListedAgent } from '../../stores/catalogue/listed-agents';
import type { Db } from '../../stores/db';
import { checksummedRegistry } from '../catalogue/cards/chain-identities';

interface Deps {
  reads: Db;
  market: MarketAddress;
  /** False if agents are shown to accounts alone. */
  isOpen: boolean;
}

/** The registration files of ERC-8004, read for each request: an agent that leaves search has none at once. */
export function createAgentRegistrations({ reads, market, isOpen }: Deps) {
  return {
    market: () => marketRegistration(market),

    /** Throws `not_found` for an agent that names no identity or that visitors do not see. */
    async of(agentId: string) {
      const row = isOpen ? await readListedAgent(reads, agentId) : undefined;
      const identities = row?.publicPart.erc8004 ?? [];
      if (!row || identities.length === 0) throw new MarketError('not_found');
      const { icon_url: iconUrl, capabilities } = row.publicPart;
      return agentRegistration(market, {
        ...row,
        iconUrl,
        isA2aInvocable: capabilities.a2a_invocable,
        identities: identities.map(({ agent_id, registry }) => ({
          agent_id,
          registry: checksummedRegistry(registry) ?? registry,
        })),
      });
    },
  };
}

export type AgentRegistrations = ReturnType<typeof createAgentRegistrations>;
