import { Type } from '@sinclair/typebox';
import { AgentId, named, strictObject } from './common';
import { defineOperation } from './operation';

const tag = 'Discovery';

const AgentRegistration = named(
  'AgentRegistration',
  strictObject(
    {
      type: Type.Literal('https://eips.ethereum.org/EIPS/eip-8004#registration-v1'),
      name: Type.String(),
      description: Type.String(),
      image: Type.Optional(Type.String()),
      services: Type.Array(
        strictObject({
          name: Type.String({ examples: ['MCP'] }),
          endpoint: Type.String(),
          version: Type.Optional(Type.String()),
        }),
      ),
      x402Support: Type.Boolean(),
      active: Type.Boolean(),
      supportedTrust: Type.Array(Type.String()),
      registrations: Type.Array(
        strictObject({
          agentId: Type.Union([Type.Integer(), Type.String()], {
            description: 'A uint256: a number while it is exact in JSON, else its digits as text',
          }),
          agentRegistry: Type.String({ examples: ['eip155:1:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'] }),
        }),
      ),
    },
    {
      description:
        'A registration file of ERC-8004. The identities are what the developer says; see the registry',
    },
  ),
);

export const getMarketRegistration = defineOperation({
  id: 'getMarketRegistration',
  method: 'get',
  path: '/.well-known/agent-registration.json',
  tag,
  summary: 'Get the ERC-8004 registration file of the market',
  description:
    'The market itself has no identity, and `registrations` is empty: the identities of agents are in the files of the agents, so ' +
    'that none is proved by the domain that all of them share.',
  auth: 'public',
  responses: { 200: AgentRegistration },
});

export const getAgentRegistration = defineOperation({
  id: 'getAgentRegistration',
  method: 'get',
  path: '/.well-known/agents/{agent_id}/agent-registration.json',
  tag,
  summary: 'Get the ERC-8004 registration file of an agent',
  description:
    'For a listed agent whose manifest names an identity (`erc8004`); 404 for any other, and while PUBLIC_READS is off.',
  auth: 'public',
  params: strictObject({ agent_id: AgentId }),
  responses: { 200: AgentRegistration },
  errors: ['not_found'],
});

export const agentRegistrationOperations = [getMarketRegistration, getAgentRegistration] as const;
