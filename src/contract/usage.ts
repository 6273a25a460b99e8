import { Type } from '@sinclair/typebox';
import {
  AgentId,
  Credits,
  Instant,
  named,
  Nullable,
  page,
  pageQuery,
  strictObject,
  text,
  Timestamp,
} from './common';
import { DisputedCall } from './disputed-call';
import { AgentError, InvocationStatus } from './invocations';
import { windowProblems } from '../domain/catalogue/usage';
import { parseInstant } from '../domain/instant';
import { JobDurations } from './job-durations';
import { defineOperation } from './operation';

const auth = { scope: 'agents:read' } as const;
const tag = 'Usage';
const params = strictObject({ agent_id: AgentId });
const Count = Type.Integer({ minimum: 0 });

const AgentErrors = named(
  'AgentErrors',
  Type.Integer({
    minimum: 0,
    description:
      'Calls that failed by a fault of the agent, or whose charge a dispute took back; not those that the ' +
      'platform or the buyer ended, nor those whose input the agent refused (4xx)',
  }),
);

const figures = {
  calls: Count,
  succeeded: Count,
  failed: Count,
  disputed: Count,
  agent_errors: AgentErrors,
  success_rate: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of successes among successes and `agent_errors`',
    }),
  ),
  p50_ms: Nullable(
    Type.Integer({
      minimum: 0,
      description: 'Median duration of successful calls that were no jobs, within 1.6%',
    }),
  ),
  p95_ms: Nullable(Type.Integer({ minimum: 0 })),
  jobs: JobDurations,
};

/** Specification: GET /v1/agents/{agent_id}/usage. */
export const getUsage = defineOperation({
  id: 'getUsage',
  method: 'get',
  path: '/v1/agents/{agent_id}/usage',
  tag,
  summary: 'Get the calls and earnings of one of your agents',
  description:
    "`gross_credits` is the total of buyers' charges less refunds; it always equals " +
    '`developer_earnings_credits` + `platform_fee_credits`. `calls` counts all accepted calls, including ' +
    'calls in progress, disputed calls and free calls. A part of a charge that a dispute returned counts as refunded, and its call as before. `refunded_credits` is those parts and what was charged for `disputed` ' +
    'calls and returned to their buyers.',
  auth,
  params,
  query: strictObject({ since: Type.Optional(Instant('ISO 8601; default: when the agent was created')) }),
  responses: {
    200: strictObject({
      agent_id: AgentId,
      since: Timestamp,
      calls: Count,
      succeeded: Count,
      failed: Count,
      disputed: Count,
      agent_errors: AgentErrors,
      refunded_credits: Credits,
      gross_credits: Credits,
      developer_earnings_credits: Credits,
      platform_fee_credits: Credits,
    }),
  },
  errors: ['not_found', 'forbidden'],
  examples: {
    response: {
      agent_id: 'agt_unit_converter_v1',
      since: '2026-11-01T00:00:00.000Z',
      calls: 120,
      succeeded: 117,
      failed: 2,
      disputed: 1,
      agent_errors: 3,
      refunded_credits: 5,
      gross_credits: 585,
      developer_earnings_credits: 567.45,
      platform_fee_credits: 17.55,
    },
  },
});

export const getAnalytics = defineOperation({
  id: 'getAnalytics',
  method: 'get',
  path: '/v1/agents/{agent_id}/analytics',
  tag,
  summary: 'Get daily calls, latency and error codes of one of your agents',
  auth,
  params,
  query: strictObject({
    since: Type.Optional(Instant('ISO 8601, inclusive; default: 30 days before `until`')),
    until: Type.Optional(Instant('ISO 8601, exclusive; default: now. At most 366 days after `since`')),
  }),
  laterQueryProblems: ({ since, until }) => {
    const [from, to] = [instantIn(since), until === undefined ? new Date() : instantIn(until)];
    return from && to ? windowProblems(from, to) : [];
  },
  responses: {
    200: strictObject({
      agent_id: AgentId,
      since: Timestamp,
      until: Timestamp,
      ...figures,
      days: Type.Array(
        strictObject({
          date: Type.String({ examples: ['2026-11-02'] }),
          ...figures,
          developer_earnings_credits: Credits,
        }),
      ),
      errors: Type.Array(strictObject({ code: Type.String(), calls: Count })),
    }),
  },
  errors: ['not_found', 'forbidden'],
});

const AgentCall = named(
  'AgentCall',
  strictObject({
    ...DisputedCall.properties,
    invocation_id: Type.String(),
    status: InvocationStatus,
    error: Nullable(AgentError),
    agent_error: Type.Boolean({ description: 'It counts among `agent_errors`' }),
    trace_id: Type.String(),
    failure: Nullable(
      strictObject(
        {
          phase: Type.Unsafe<'connection' | 'answer' | 'schema' | 'acceptance'>({
            type: 'string',
            enum: ['connection', 'answer', 'schema', 'acceptance'],
            description:
              '`connection`: no response came; `answer`: the response was refused; `schema`: the answer violates the output schema; ' +
              '`acceptance`: the answer fails a test of the buyer',
          }),
          http_status: Nullable(Type.Integer({ description: "Status of the agent's response" })),
          schema_path: Nullable(
            Type.String({ description: 'JSON pointer to the first value that violates the output schema' }),
          ),
          problem: Nullable(Type.String({ description: 'What is wrong with that value' })),
        },
        { description: 'Where the call failed; kept for 31 days' },
      ),
    ),
  }),
);

export const listAgentCalls = defineOperation({
  id: 'listAgentCalls',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/calls',
  tag,
  summary: 'List the calls of one of your agents, newest first',
  description: 'Facts about each call, and never its buyer, its input or its output.',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  params,
  query: strictObject({ ...pageQuery, status: Type.Optional(InvocationStatus) }),
  responses: { 200: page(AgentCall) },
  errors: ['not_found'],
});

export const getAgentCall = defineOperation({
  id: 'getAgentCall',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/calls/{invocation_id}',
  tag,
  summary: 'Get one call of one of your agents',
  description: 'The same facts as in the list, and never its buyer, its input or its output.',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  params: strictObject({
    agent_id: AgentId,
    invocation_id: text({ maxLength: 40, pattern: '^inv_[0-9a-f]{32}$' }),
  }),
  responses: { 200: AgentCall },
  errors: ['not_found'],
});

export const getSales = defineOperation({
  id: 'getSales',
  method: 'get',
  path: '/v1/developer/sales',
  tag,
  summary: 'Get the calls and earnings of all of your agents, by day and agent',
  description:
    'Whole UTC days. A call belongs to the day on which it was accepted; refunded charges are not counted.',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  query: strictObject({
    since: Type.Optional(Instant('ISO 8601, inclusive; default: 30 days before `until`')),
    until: Type.Optional(Instant('ISO 8601, exclusive; default: now. At most 366 days after `since`')),
  }),
  laterQueryProblems: ({ since, until }) => {
    const [from, to] = [instantIn(since), until === undefined ? new Date() : instantIn(until)];
    return from && to ? windowProblems(from, to) : [];
  },
  responses: {
    200: named(
      'Sales',
      strictObject({
        calls: Count,
        failed: Count,
        developer_earnings_credits: Credits,
        days: Type.Array(
          strictObject({
            date: Type.String(),
            calls: Count,
            failed: Count,
            developer_earnings_credits: Credits,
          }),
        ),
        agents: Type.Array(
          strictObject({
            agent_id: AgentId,
            display_name: Type.String(),
            calls: Count,
            failed: Count,
            developer_earnings_credits: Credits,
          }),
        ),
      }),
    ),
  },
});

export const usageOperations = [getUsage, getAnalytics, listAgentCalls, getAgentCall, getSales];

function instantIn(text: unknown): Date | undefined {
  return typeof text === 'string' ? parseInstant(text) : undefined;
}
