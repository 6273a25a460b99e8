import { Type } from '@sinclair/typebox';
import { MAX_CAP_CREDITS } from '../domain/accounts/oauth-grant';
import { MAX_RULE_ENTRIES } from '../domain/accounts/roles';
import { AgentId, Nullable, named, strictObject, text } from './common';
import { DeveloperId } from './developers';
import { defineOperation } from './operation';
import { MemberBudget, memberBudgetExample } from './organisation-members';
import { OrgId } from './organisations';
import { Window } from './spending-limits';

const tag = 'Organisations';
const auth = 'session';
const UserId = text({ maxLength: 36, pattern: '^usr_[0-9a-f]{32}$' });
const ofOne = strictObject({ org_id: OrgId });
const ofMember = strictObject({ org_id: OrgId, user_id: UserId });

const MemberSpending = named(
  'MemberSpending',
  strictObject({
    user_id: UserId,
    budget: Nullable(MemberBudget),
  }),
);
const example = { user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b', budget: memberBudgetExample };
const budget = {
  path: '/v1/organisations/{org_id}/members/{user_id}/budget',
  permission: 'self',
  tag,
  auth,
  params: ofMember,
} as const;

export const getMemberBudget = defineOperation({
  id: 'getMemberBudget',
  method: 'get',
  ...budget,
  summary: 'Get what a member may spend for the organisation, and what is left',
  description:
    '`budget` is null for a member without one. Each member sees the own budget; owners, admins, finance and viewers see all.',
  responses: { 200: MemberSpending },
  errors: ['not_found', 'forbidden'],
  examples: { response: example },
});

export const setMemberBudget = defineOperation({
  id: 'setMemberBudget',
  method: 'put',
  ...budget,
  summary: 'Set what a member may spend for the organisation',
  description:
    'Counts the calls that are accepted from now on: by sessions of the member, and by all keys and grants that the member ' +
    'made. A call that could exceed it is refused with 402 `budget_exceeded`. Other credits for the same window keep what is ' +
    'counted; another window begins a new count. For owners, admins and finance; only owners set their own.',
  body: strictObject({
    credits: Type.Integer({
      minimum: 0,
      maximum: MAX_CAP_CREDITS,
      description: 'Maximum credits in each window',
    }),
    window: Window,
  }),
  responses: { 200: MemberSpending },
  errors: ['not_found', 'forbidden'],
  examples: { request: { credits: 500, window: 'month' }, response: example },
});

export const clearMemberBudget = defineOperation({
  id: 'clearMemberBudget',
  method: 'delete',
  ...budget,
  summary: 'Remove the budget of a member',
  description: 'The member may then spend what the organisation has, within its other budgets.',
  responses: { 204: null },
  errors: ['not_found', 'forbidden'],
});

const most = { minItems: 1, maxItems: MAX_RULE_ENTRIES, uniqueItems: true };

const Rules = named(
  'OrganisationRules',
  strictObject({
    min_trust_score: Nullable(Type.Integer({ description: 'The lowest trust score of an agent' })),
    agents: Nullable(
      Type.Array(Type.String(), {
        description: 'With `developers`: the only agents that may be called. Both null: all agents',
      }),
    ),
    developers: Nullable(Type.Array(Type.String(), { description: 'All agents of these developers' })),
  }),
);
const rulesExample = { min_trust_score: 75, agents: ['agt_unit_converter_v1'], developers: ['dev_acme'] };
const rules = {
  path: '/v1/organisations/{org_id}/rules',
  permission: 'self',
  tag,
  auth,
  params: ofOne,
} as const;

export const getOrganisationRules = defineOperation({
  id: 'getOrganisationRules',
  method: 'get',
  ...rules,
  summary: 'Get which agents the calls of an organisation may reach',
  responses: { 200: Rules },
  errors: ['not_found'],
  examples: { response: rulesExample },
});

export const changeOrganisationRules = defineOperation({
  id: 'changeOrganisationRules',
  method: 'patch',
  ...rules,
  summary: 'Change which agents the calls of an organisation may reach',
  description:
    'The rules hold for every call that the organisation pays, whichever member, key or mandate makes it; keys may only narrow ' +
    'them. They apply from the next call on, which is refused with 403 `forbidden`. Fields that are left out stay, null removes ' +
    'a rule. At most 1,000 agents and developers together. For owners, admins and finance.',
  body: strictObject({
    min_trust_score: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 100 }))),
    agents: Type.Optional(Nullable(Type.Array(AgentId, most))),
    developers: Type.Optional(Nullable(Type.Array(DeveloperId, most))),
  }),
  responses: { 200: Rules },
  errors: ['not_found', 'forbidden'],
  examples: { request: { min_trust_score: 75 }, response: rulesExample },
});

export const organisationSpendingOperations = [
  getMemberBudget,
  setMemberBudget,
  clearMemberBudget,
  getOrganisationRules,
  changeOrganisationRules,
];
