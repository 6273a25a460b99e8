import { Type } from '@sinclair/typebox';
import { API_SCOPES, MAX_GRACE_SECONDS } from '../domain/accounts/api-key';
import { MOST_PINNED_AGENTS } from '../domain/accounts/oauth-grant';
import { AgentId, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { KeyName, Scope } from './keys';
import { defineOperation } from './operation';
import { agentList, limitFields, limitWishes } from './spending-limits';

const tag = 'OAuth';
const GrantId = text({ maxLength: 36, pattern: '^ogr_[0-9a-f]{32}$' });

const oneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });

const grantFields = {
  kind: oneOf(
    ['application', 'program'],
    'An application that a person connected, or a program with a secret of its own',
  ),
  grant_id: GrantId,
  client_id: Type.String({
    description: 'A registered client, the URL of its metadata document, or a program (`ocp_…`)',
  }),
  client_name: Type.String({ description: 'What the client calls itself' }),
  redirect_host: Type.String({ description: 'Where the tokens went; empty for a program' }),
  agent_id: Type.String({
    description: 'The agent that the client may call; `*`: all agents, by `POST /mcp`',
  }),
  scopes: Type.Array(Scope),
  ...limitFields,
  pinned_agents: Nullable(
    Type.Array(Type.String(), { description: 'Agents that are tools of their own at `POST /mcp`' }),
  ),
  spent_credits: Type.Number({ description: 'As for API keys' }),
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()], { description: 'Accurate to the minute' }),
};
const Grant = named('OAuthGrant', strictObject(grantFields));
const IssuedProgram = named(
  'IssuedOAuthProgram',
  strictObject({
    ...grantFields,
    client_secret: Type.String({
      description: 'Shown once, in this response',
      pattern: '^ams_[A-Za-z0-9_-]{43}$',
    }),
  }),
);

const limits = {
  ...limitWishes,
  pinned_agents: Type.Optional(agentList(MOST_PINNED_AGENTS)),
};

const grantExample = {
  kind: 'application' as const,
  grant_id: 'ogr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  client_id: 'ocl_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  client_name: 'Chat',
  redirect_host: '127.0.0.1',
  agent_id: 'agt_unit_converter_v1',
  scopes: ['agents:invoke' as const],
  credit_cap: 500,
  credit_cap_window: 'lifetime' as const,
  used_credits: 12,
  window_ends_at: null,
  time_zone: 'UTC',
  call_cap: null,
  min_trust_score: null,
  agents: null,
  pinned_agents: null,
  spent_credits: 12,
  created_at: '2026-11-02T00:00:00.000Z',
  expires_at: '2026-12-02T00:00:00.000Z',
  last_used_at: '2026-11-03T08:15:00.000Z',
};
const programExample = {
  ...grantExample,
  kind: 'program' as const,
  client_id: 'ocp_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  client_name: 'night job',
  redirect_host: '',
  agent_id: '*',
  credit_cap_window: 'day' as const,
  used_credits: 0,
  window_ends_at: '2026-11-03T00:00:00.000Z',
  spent_credits: 0,
  expires_at: '2027-11-02T00:00:00.000Z',
  last_used_at: null,
  client_secret: 'ams_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
};

export const createOauthProgram = defineOperation({
  id: 'createOauthProgram',
  permission: 'keys',
  method: 'post',
  path: '/v1/oauth/grants',
  tag,
  summary: 'Register a program that gets tokens by a secret of its own',
  description:
    'For machines without a person: the program gets access tokens at `POST /oauth/token` by `client_credentials` (RFC 6749, ' +
    'section 4.4), within the limits of its grant. The secret is shown once; only its SHA-256 is stored. Without `agent_id`, ' +
    'the program is for the market (`POST /mcp`). The grant ends after a year, unless its secret is rotated before.',
  auth: 'session',
  body: strictObject({
    name: KeyName,
    agent_id: Type.Optional(AgentId),
    scopes: Type.Optional(Type.Array(Scope, { minItems: 1, maxItems: API_SCOPES.length, uniqueItems: true })),
    ...limits,
  }),
  responses: { 201: IssuedProgram },
  errors: ['not_found', 'invalid_state'],
  examples: {
    request: { name: 'night job', scopes: ['agents:invoke'], credit_cap: 500, credit_cap_window: 'day' },
    response: programExample,
  },
});

export const rotateOauthProgram = defineOperation({
  id: 'rotateOauthProgram',
  permission: 'keys',
  method: 'post',
  path: '/v1/oauth/grants/{grant_id}/rotate',
  tag,
  summary: 'Give a program another secret, and a year more',
  description:
    'Id, scopes, limits and spent credits stay the same. The old secret stops working at once, or after `grace_seconds`. ' +
    'Tokens that were issued stay valid until they end. A grant that is no program is not found.',
  auth: 'session',
  params: strictObject({ grant_id: GrantId }),
  body: strictObject({
    grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_GRACE_SECONDS, default: 0 })),
  }),
  responses: { 200: IssuedProgram },
  errors: ['not_found'],
  examples: { request: { grace_seconds: 3_600 }, response: programExample },
});

export const listOauthGrants = defineOperation({
  id: 'listOauthGrants',
  permission: 'keys',
  method: 'get',
  path: '/v1/oauth/grants',
  tag,
  summary: 'List the clients that may call agents for you, newest first',
  auth: 'session',
  query: strictObject(pageQuery),
  responses: { 200: page(Grant) },
  examples: {
    response: {
      items: [grantExample],
      next_cursor: null,
      total: 1,
    },
  },
});

export const changeOauthGrant = defineOperation({
  id: 'changeOauthGrant',
  permission: 'keys',
  method: 'patch',
  path: '/v1/oauth/grants/{grant_id}',
  tag,
  summary: 'Change what a client may spend for you, and on which agents',
  description:
    'Applies from the next call on. Fields that are left out keep their value, and null removes a limit. A grant for one ' +
    'agent has a cap over its lifetime only, which cannot be below what was spent. Pinned agents must be among `agents`, if ' +
    'there is such a list.',
  auth: 'session',
  params: strictObject({ grant_id: GrantId }),
  body: strictObject(limits),
  responses: { 200: Grant },
  errors: ['not_found', 'invalid_state'],
});

export const revokeOauthGrant = defineOperation({
  id: 'revokeOauthGrant',
  permission: 'keys',
  method: 'delete',
  path: '/v1/oauth/grants/{grant_id}',
  tag,
  summary: 'Revoke what a client may do for you',
  description:
    'All tokens of the grant are refused from the next request on, by every API process. Calls in progress are not ' +
    'affected.',
  auth: 'session',
  params: strictObject({ grant_id: GrantId }),
  responses: { 204: null },
  errors: ['not_found'],
});

export const oauthGrantOperations = [
  createOauthProgram,
  rotateOauthProgram,
  listOauthGrants,
  changeOauthGrant,
  revokeOauthGrant,
];
