import { Type } from '@sinclair/typebox';
import { SPEND_PARTS_PATTERN } from '../domain/billing/spend-parts';
import { MOST_TAG_LENGTH, TAG_PATTERN } from '../domain/billing/tag';
import { windowProblems } from '../domain/catalogue/usage';
import { parseInstant } from '../domain/instant';
import { AgentId, Credits, Instant, named, Nullable, page, pageQuery, strictObject, text } from './common';
import { defineOperation } from './operation';

const Count = Type.Integer({ minimum: 0 });
const spent = { calls: Count, credits: Credits };
const Day = Type.String({ examples: ['2026-11-02'] });

const window = {
  since: Type.Optional(Instant('ISO 8601; default: the first day of the month')),
  until: Type.Optional(Instant('ISO 8601; default: now. At most 366 days after `since`')),
};
const tag = Type.Optional(
  text({
    maxLength: MOST_TAG_LENGTH,
    pattern: TAG_PATTERN,
    description:
      'Groups of calls with this pair of metadata alone, such as `project=atlas`; a name alone: only of its pairs',
  }),
);
const parts = text({
  maxLength: 24,
  pattern: SPEND_PARTS_PATTERN,
  description:
    'Some of `day`, `agent`, `key`, `tag` and `member` (of an organisation), with commas between them',
});
const laterQueryProblems = ({ since, until }: Readonly<Record<string, unknown>>) => {
  const to = typeof until === 'string' ? parseInstant(until) : new Date();
  const from = typeof since === 'string' ? parseInstant(since) : undefined;
  return from && to ? windowProblems(from, to) : [];
};

/** What is not grouped by is absent. */
const Group = named(
  'SpendGroup',
  strictObject({
    date: Type.Optional(Day),
    agent_id: Type.Optional(Type.String()),
    display_name: Type.Optional(Nullable(Type.String({ description: 'Of the agent' }))),
    key_id: Type.Optional(Nullable(Type.String({ description: '`null`: calls without a key' }))),
    key_name: Type.Optional(Nullable(Type.String())),
    tag: Type.Optional(strictObject({ name: Type.String(), value: Type.String() })),
    member_id: Type.Optional(
      Nullable(Type.String({ description: '`null`: calls that no member of an organisation made' })),
    ),
    member_name: Type.Optional(Nullable(Type.String())),
    ...spent,
  }),
);

export const getSpend = defineOperation({
  id: 'getSpend',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/spend',
  tag: 'Billing',
  summary: 'Get what you paid for calls, by day, agent, key, tag and member',
  description:
    'Charged calls by the UTC day of their acceptance. The days of `since` and `until` are whole. Charges are shown as they ' +
    'were made: what disputes and slashes returned later is in the ledger. `agents` and `keys` have the 100 largest. With ' +
    '`group_by`, `groups` has the sums by each combination, at most 1,000: a call with several pairs of metadata is in a group ' +
    'of each of them.',
  auth: { scope: 'billing:read' },
  query: strictObject({ ...window, group_by: Type.Optional(parts), tag }),
  laterQueryProblems,
  responses: {
    200: named(
      'Spend',
      strictObject({
        first_day: Day,
        end_day: Type.String({ description: 'Exclusive', examples: ['2026-12-01'] }),
        ...spent,
        days: Type.Array(strictObject({ date: Day, ...spent })),
        agents: Type.Array(
          strictObject({ agent_id: Type.String(), display_name: Nullable(Type.String()), ...spent }),
        ),
        keys: Type.Array(
          strictObject({
            key_id: Nullable(Type.String({ description: '`null`: calls without a key' })),
            name: Nullable(Type.String()),
            ...spent,
          }),
        ),
        groups: Type.Optional(Type.Array(Group, { description: 'With `group_by`' })),
        groups_cut: Type.Optional(
          Type.Literal(true, { description: 'There are more groups than 1,000; the file has 10,000' }),
        ),
      }),
    ),
  },
  examples: {
    response: {
      first_day: '2026-11-01',
      end_day: '2026-11-03',
      calls: 3,
      credits: 12,
      days: [
        { date: '2026-11-01', calls: 2, credits: 10 },
        { date: '2026-11-02', calls: 1, credits: 2 },
      ],
      agents: [{ agent_id: 'agt_unit_converter_v1', display_name: 'Unit converter', calls: 3, credits: 12 }],
      keys: [{ key_id: null, name: null, calls: 3, credits: 12 }],
    },
  },
});

export const getSpendCsv = defineOperation({
  id: 'getSpendCsv',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/spend.csv',
  tag: 'Billing',
  summary: 'Download what you paid for calls as CSV',
  description: 'The `groups` of `GET /v1/billing/spend`, at most 10,000, with a column for each part.',
  auth: { scope: 'billing:read' },
  query: strictObject({ ...window, group_by: parts, tag }),
  laterQueryProblems,
  responses: { 200: { mediaType: 'text/csv', description: 'One row for each group' } },
});

export const listFreeCalls = defineOperation({
  id: 'listFreeCalls',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/free-calls',
  tag: 'Billing',
  summary: 'List the free calls that you have left this month',
  description:
    'One item for each agent with free calls that you have called since the UTC month began, by its id. Of other agents, all ' +
    'free calls are left (`pricing.free_tier_calls` of a listing).',
  auth: { scope: 'billing:read' },
  query: strictObject(pageQuery),
  responses: {
    200: page(named('FreeCalls', strictObject({ agent_id: AgentId, per_month: Count, left: Count }))),
  },
  examples: {
    response: {
      items: [{ agent_id: 'agt_unit_converter_v1', per_month: 10, left: 7 }],
      next_cursor: null,
      total: 1,
    },
  },
});

export const spendOperations = [getSpend, getSpendCsv, listFreeCalls];
