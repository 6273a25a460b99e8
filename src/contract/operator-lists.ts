import { Type } from '@sinclair/typebox';
import { AgentId, Credits, named, Nullable, page, pageQuery, strictObject, Timestamp } from './common';
import { InvocationStatus } from './invocations';
import { defineOperation } from './operation';
import { getMarketFigures } from './operator-figures';
import { OperatorAgent, UserId } from './operators';

const tag = 'Operators';
const operators = { auth: 'session', roles: ['operator'] } as const;

const CallRow = named(
  'CallInList',
  strictObject({
    invocation_id: Type.String(),
    buyer_user_id: Type.String(),
    agent_id: AgentId,
    version: Type.String(),
    surface: Type.String(),
    status: InvocationStatus,
    error_code: Nullable(Type.String()),
    duration_ms: Nullable(Type.Integer()),
    charged_credits: Credits,
    invoked_at: Timestamp,
  }),
);

export const listOperatorCalls = defineOperation({
  id: 'listOperatorCalls',
  method: 'get',
  path: '/v1/operator/calls',
  tag,
  summary: 'List calls of all accounts, newest first',
  description: 'Holds neither the input nor the output of a call.',
  ...operators,
  query: strictObject({
    ...pageQuery,
    user_id: Type.Optional(UserId),
    agent_id: Type.Optional(AgentId),
    status: Type.Optional(InvocationStatus),
  }),
  responses: { 200: page(CallRow) },
});

const AgentRow = named(
  'AgentInList',
  strictObject({
    ...OperatorAgent.properties,
    display_name: Nullable(
      Type.String({ description: 'Of the version that takes calls; null while none does' }),
    ),
  }),
);

export const listOperatorAgents = defineOperation({
  id: 'listOperatorAgents',
  method: 'get',
  path: '/v1/operator/agents',
  tag,
  summary: 'List agents in any state, by their ids',
  ...operators,
  query: strictObject({
    ...pageQuery,
    developer_user_id: Type.Optional(UserId),
    status: Type.Optional(
      Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('retired')]),
    ),
  }),
  responses: { 200: page(AgentRow) },
});

/** Lists and figures of everything, for operators. */
export const operatorListOperations = [listOperatorCalls, listOperatorAgents, getMarketFigures];
