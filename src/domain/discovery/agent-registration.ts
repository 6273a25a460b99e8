/**
 * The registration file of ERC-8004: what an identity of a registry on a chain resolves to. The market writes it for
 * agents whose manifest names such an identity (ADR 0344).
 */
import type { ChainIdentity } from '../catalogue/manifest';
import { agentPage, type MarketAddress } from './market-address';

const TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1';
const A2A_VERSION = '1.0';

interface Registration {
  type: typeof TYPE;
  name: string;
  description: string;
  image?: string;
  services: { name: string; endpoint: string; version?: string }[];
  x402Support: boolean;
  active: boolean;
  supportedTrust: string[];
  registrations: { agentId: number | string; agentRegistry: string }[];
}

export interface RegistrationFacts {
  agentId: string;
  displayName: string;
  description: string;
  iconUrl: string | null;
  isA2aInvocable: boolean;
  /** With the checksums of their registries. */
  identities: readonly ChainIdentity[];
}

/** The file of an agent. It leads to the addresses of the market alone. */
export function agentRegistration({ origin }: MarketAddress, facts: RegistrationFacts): Registration {
  const { agentId, iconUrl } = facts;
  return {
    type: TYPE,
    name: facts.displayName,
    description: facts.description,
    ...(iconUrl !== null && { image: iconUrl }),
    services: [
      { name: 'web', endpoint: agentPage(origin, agentId) },
      { name: 'MCP', endpoint: `${origin}/mcp/a/${agentId}` },
      ...(facts.isA2aInvocable
        ? [
            {
              name: 'A2A',
              endpoint: `${origin}/.well-known/agents/${agentId}/agent-card.json`,
              version: A2A_VERSION,
            },
          ]
        : []),
    ],
    ...COMMON,
    registrations: facts.identities.map(({ agent_id, registry }) => ({
      agentId: numberOf(agent_id),
      agentRegistry: registry,
    })),
  };
}

/** The file of the market itself, which has no identity: those of its agents are in the files of the agents. */
export function marketRegistration({ origin }: MarketAddress): Registration {
  return {
    type: TYPE,
    name: 'Agent marketplace',
    description: 'Finds, describes and calls every agent of the marketplace; a call that fails costs nothing',
    services: [
      { name: 'web', endpoint: `${origin}/` },
      { name: 'MCP', endpoint: `${origin}/mcp` },
    ],
    ...COMMON,
    registrations: [],
  };
}

/** Calls are paid with credits, and the market gives no feedback on a chain. */
const COMMON = { x402Support: false, active: true, supportedTrust: [] as string[] };

/** The number of the standard's example where JSON readers keep it exact, else its digits as text. */
function numberOf(digits: string): number | string {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : digits;
}
