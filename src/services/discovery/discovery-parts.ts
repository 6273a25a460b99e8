import type { Config } from '../../config';
import type { MarketAddress } from '../../domain/discovery/market-address';
import type { Db } from '../../stores/db';
import type { SigningKeys } from '../evidence/signing-keys';
import { createAgentRegistrations } from './agent-registrations';
import { createAiCatalog } from './ai-catalog';
import { createMcpRegistry } from './mcp-registry';
import { createPublicAgents } from './public-agents';

/** The services of the documents by which registries, crawlers and directories find agents. */
export function createDiscoveryParts({
  reads,
  config,
  keys,
}: {
  reads: Db;
  config: Config;
  keys: SigningKeys;
}) {
  const { origin, hostname } = new URL(config.PUBLIC_ORIGIN);
  const market: MarketAddress = { origin, hostname };
  const isOpen = config.PUBLIC_READS;
  return {
    mcpRegistry: createMcpRegistry({ reads, market }),
    aiCatalog: createAiCatalog({ reads, keys, market, isOpen }),
    agentRegistrations: createAgentRegistrations({ reads, market, isOpen }),
    publicAgents: createPublicAgents({ reads, origin, isOpen }),
  };
}
