import { Type } from '@sinclair/typebox';
import { MAX_CAP_CREDITS } from '../domain/accounts/oauth-grant';
import { MOST_TAG_LENGTH, PAIR_PATTERN } from '../domain/billing/tag';
import { Credits, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';
import { Window } from './spending-limits';

const tag = 'Billing';
const params = strictObject({ budget_id: text({ maxLength: 36, pattern: '^bgt_[0-9a-f]{32}$' }) });
const Limit = Type.Integer({
  minimum: 0,
  maximum: MAX_CAP_CREDITS,
  description: 'Maximum credits in each window',
});
const Pair = text({
  maxLength: MOST_TAG_LENGTH,
  pattern: PAIR_PATTERN,
  description: 'A pair of metadata, such as `project=atlas`: only calls with it count',
});

const Budget = named(
  'Budget',
  strictObject({
    budget_id: Type.String(),
    tag: Nullable(Type.String({ description: '`null`: all calls of the account' })),
    credits: Type.Integer({ minimum: 0 }),
    window: Window,
    used_credits: Type.Number({
      description: 'Charges of calls that were accepted in the window, and what those in flight hold',
    }),
    left_credits: Credits,
    window_ends_at: Type.Union([Timestamp, Type.Null()], {
      description: 'Null for a budget over a lifetime',
    }),
    time_zone: Type.String({ description: 'In which days, weeks and months begin', examples: ['UTC'] }),
    created_at: Timestamp,
  }),
);

const example = {
  budget_id: 'bgt_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  tag: 'project=atlas',
  credits: 500,
  window: 'month' as const,
  used_credits: 120,
  left_credits: 380,
  window_ends_at: '2026-12-01T00:00:00.000Z',
  time_zone: 'UTC',
  created_at: '2026-11-02T00:00:00.000Z',
};

export const createBudget = defineOperation({
  id: 'createBudget',
  permission: 'money',
  method: 'post',
  path: '/v1/billing/budgets',
  tag,
  summary: 'Set a budget for your calls, or for those with a tag',
  description:
    'Counts the calls that are accepted from now on, by sessions, keys and applications. A call that could exceed it is refused ' +
    'with 402 `budget_exceeded`, whose message names the budget and when it begins anew. An account has at most 20.',
  auth: 'session',
  body: strictObject({ tag: Type.Optional(Nullable(Pair)), credits: Limit, window: Window }),
  responses: { 201: Budget },
  errors: ['invalid_state'],
  examples: { request: { tag: 'project=atlas', credits: 500, window: 'month' }, response: example },
});

export const listBudgets = defineOperation({
  id: 'listBudgets',
  permission: 'view',
  method: 'get',
  path: '/v1/billing/budgets',
  tag,
  summary: 'List your budgets, newest first',
  auth: { scope: 'billing:read' },
  query: strictObject(pageQuery),
  responses: { 200: page(Budget) },
  examples: { response: { items: [example], next_cursor: null, total: 1 } },
});

export const changeBudget = defineOperation({
  id: 'changeBudget',
  permission: 'money',
  method: 'patch',
  path: '/v1/billing/budgets/{budget_id}',
  tag,
  summary: 'Change the credits of a budget',
  description:
    'Applies from the next call on. Fewer than were spent refuse paid calls until the window ends.',
  auth: 'session',
  params,
  body: strictObject({ credits: Limit }),
  responses: { 200: Budget },
  errors: ['not_found'],
  examples: { request: { credits: 800 }, response: { ...example, credits: 800, left_credits: 680 } },
});

export const deleteBudget = defineOperation({
  id: 'deleteBudget',
  permission: 'money',
  method: 'delete',
  path: '/v1/billing/budgets/{budget_id}',
  tag,
  summary: 'Delete a budget',
  auth: 'session',
  params,
  responses: { 204: null },
  errors: ['not_found'],
});

export const budgetOperations = [createBudget, listBudgets, changeBudget, deleteBudget];
