import { Type } from '@sinclair/typebox';
import {
  MOST_IN_AUDIENCE,
  type AgentVisibility as Kind,
  VISIBILITIES,
} from '../domain/catalogue/agent-state';
import { AgentId, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const auth = { scope: 'agents:publish' } as const;
const roles = ['developer'] as const;
const tag = 'Publishing';
const params = strictObject({ agent_id: AgentId });
const path = '/v1/developer/agents/{agent_id}';

export const AgentVisibility = named(
  'AgentVisibility',
  Type.Unsafe<Kind>({
    type: 'string',
    enum: [...VISIBILITIES],
    description:
      '`public`: listed, for all callers; `unlisted`: in no list, for all callers that know its id; `private`: for its owner ' +
      'and its audience alone, and 404 for all others',
  }),
);

const AccountName = text({
  maxLength: 100,
  pattern: '^(usr|org)_[0-9a-f]{32}$|^dev_[a-z0-9]+(-[a-z0-9]+)*$',
  description: 'An account (`usr_…`), an organisation (`org_…`) or a developer (`dev_…`)',
});

const VisibilityView = named(
  'AgentVisibilityState',
  strictObject({
    visibility: AgentVisibility,
    audience: Type.Integer({ minimum: 0, description: 'Accounts that see the agent while it is private' }),
    access_link_made_at: Nullable({
      ...Timestamp,
      description: 'When the link was made by which accounts may ask for access; null without one',
    }),
    listed: Type.Boolean(),
    reasons: Type.Array(
      strictObject({
        code: Type.String({ examples: ['not_verified', 'critical_finding'] }),
        message: Type.String(),
        since: Timestamp,
        deadline: Type.Optional(Timestamp),
        statement: Type.Optional(
          Type.String({ description: 'The reason that the operator gave who suspended the agent' }),
        ),
      }),
      { description: 'Why search does not list a public agent, or soon will not' },
    ),
  }),
);

export const getVisibility = defineOperation({
  id: 'getVisibility',
  method: 'get',
  path: `${path}/visibility`,
  tag,
  summary: 'Get whom one of your agents is shown to, whether search lists it, and why not',
  auth,
  roles,
  params,
  responses: { 200: VisibilityView },
  errors: ['not_found'],
});

export const setVisibility = defineOperation({
  id: 'setVisibility',
  method: 'patch',
  path: `${path}/visibility`,
  tag,
  summary: 'Make one of your agents public, unlisted or private',
  description:
    'It takes effect at once, for all versions, without a new one. Calls in progress end as they began. Every agent is ' +
    'verified, whatever its visibility. Later major versions of the same name begin with its visibility and its audience.',
  auth,
  roles,
  params,
  body: strictObject({ visibility: AgentVisibility }),
  responses: { 200: VisibilityView },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { visibility: 'private' } },
});

const AudienceMember = named(
  'AudienceMember',
  strictObject({
    account_id: Type.String({ description: 'The id by which the account was added' }),
    added_at: Timestamp,
  }),
);

export const listAudience = defineOperation({
  id: 'listAudience',
  method: 'get',
  path: `${path}/audience`,
  tag,
  summary: 'List the accounts that see one of your agents while it is private',
  auth,
  roles,
  params,
  query: strictObject({
    q: Type.Optional(text({ minLength: 1, maxLength: 100, description: 'A part of the id, in any case' })),
    ...pageQuery,
  }),
  responses: { 200: page(AudienceMember) },
  errors: ['not_found'],
});

export const addToAudience = defineOperation({
  id: 'addToAudience',
  method: 'post',
  path: `${path}/audience`,
  tag,
  summary: 'Show one of your private agents to accounts',
  description:
    `An audience has at most ${MOST_IN_AUDIENCE.toLocaleString('en-US')} accounts; an organisation is one, whatever its ` +
    'number of members. Accounts that are in the audience stay as they are. With an id that no account has, none is added.',
  auth,
  roles,
  params,
  body: strictObject({
    accounts: Type.Array(AccountName, { minItems: 1, maxItems: MOST_IN_AUDIENCE, uniqueItems: true }),
  }),
  responses: { 200: VisibilityView },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { accounts: ['dev_acme', 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] } },
});

export const removeFromAudience = defineOperation({
  id: 'removeFromAudience',
  method: 'delete',
  path: `${path}/audience/{account_id}`,
  tag,
  summary: 'No longer show one of your private agents to an account',
  description: 'Calls in progress end as they began. The account still sees its own earlier calls.',
  auth,
  roles,
  params: strictObject({ agent_id: AgentId, account_id: AccountName }),
  responses: { 204: null },
  errors: ['not_found', 'invalid_state'],
});

export const visibilityOperations = [
  getVisibility,
  setVisibility,
  listAudience,
  addToAudience,
  removeFromAudience,
] as const;
