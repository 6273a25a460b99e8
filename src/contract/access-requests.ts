import { Type } from '@sinclair/typebox';
import { ACCESS_REQUEST_STATES, type AccessRequestState } from '../domain/catalogue/agent-state';
import { AgentId, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const roles = ['developer'] as const;
const tag = 'Access requests';
const own = { auth: { scope: 'agents:publish' }, roles, tag } as const;
const path = '/v1/developer/agents/{agent_id}';
const params = strictObject({ agent_id: AgentId });

const State = named(
  'AccessRequestState',
  Type.Unsafe<AccessRequestState>({ type: 'string', enum: [...ACCESS_REQUEST_STATES] }),
);
const RequestId = text({ maxLength: 36, pattern: '^acr_[0-9a-f]{32}$', description: 'A request for access' });
const Token = text({
  minLength: 1,
  maxLength: 100,
  description: 'The token of a link: what follows `#` in its address',
});

const AccessRequest = named(
  'AccessRequest',
  strictObject({
    request_id: Type.String({ examples: ['acr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    agent_id: Type.String(),
    account_id: Type.String({ description: 'The account or organisation that asks' }),
    name: Type.String({ description: 'Its display name' }),
    reason: Type.String(),
    state: State,
    asked_at: Timestamp,
    decided_at: Nullable(Timestamp),
  }),
);

export const makeAccessLink = defineOperation({
  id: 'makeAccessLink',
  method: 'post',
  path: `${path}/access-link`,
  summary: 'Make the link by which accounts may ask to see one of your private agents',
  description:
    'In place of the link before, which ends. An account that has the link sees the name of the agent, and may ask; you decide. The token is shown this once.',
  ...own,
  params,
  responses: { 201: strictObject({ token: Type.String(), url: Type.String({ format: 'uri' }) }) },
  errors: ['not_found', 'invalid_state'],
});

export const endAccessLink = defineOperation({
  id: 'endAccessLink',
  method: 'delete',
  path: `${path}/access-link`,
  summary: 'End the link of one of your agents',
  description: 'Requests that were made stay.',
  ...own,
  params,
  responses: { 204: null },
  errors: ['not_found'],
});

export const listAccessRequests = defineOperation({
  id: 'listAccessRequests',
  method: 'get',
  path: `${path}/access-requests`,
  summary: 'List the requests for access to one of your agents, newest first',
  ...own,
  params,
  query: strictObject({ state: Type.Optional(State), ...pageQuery }),
  responses: { 200: page(AccessRequest) },
  errors: ['not_found'],
});

export const listWaitingAccessRequests = defineOperation({
  id: 'listWaitingAccessRequests',
  method: 'get',
  path: '/v1/developer/access-requests',
  summary: 'List the requests for access to your agents that wait for your decision, newest first',
  ...own,
  query: strictObject(pageQuery),
  responses: { 200: page(AccessRequest) },
});

export const answerAccessRequest = defineOperation({
  id: 'answerAccessRequest',
  method: 'post',
  path: `${path}/access-requests/{request_id}/answer`,
  summary: 'Grant or refuse a request for access to one of your agents',
  description:
    'A grant adds the account to the audience. The account gets a notice in either case. The same answer again changes nothing. ' +
    'A request for a retired agent can be refused.',
  ...own,
  params: strictObject({ agent_id: AgentId, request_id: RequestId }),
  body: strictObject({ grant: Type.Boolean() }),
  responses: { 200: AccessRequest },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { grant: true } },
});

export const openAccessLink = defineOperation({
  id: 'openAccessLink',
  method: 'post',
  path: '/v1/access-links/open',
  tag,
  summary: 'Get the agent of a link, before you ask for access',
  auth: 'session',
  permission: 'view',
  body: strictObject({ token: Token }),
  responses: {
    200: strictObject({
      agent_id: Type.String(),
      display_name: Type.String(),
      developer_name: Type.String(),
      shown: Type.Boolean({ description: 'You see the agent already' }),
      state: Nullable(State),
    }),
  },
  errors: ['not_found'],
});

export const requestAccess = defineOperation({
  id: 'requestAccess',
  method: 'post',
  path: '/v1/access-requests',
  tag,
  summary: 'Ask to see a private agent, by its link',
  description:
    'The owner sees your display name, the id of your account and your reason. An account asks at most 20 times in a day, once for an agent until the ' +
    'owner has decided, and again a week after a refusal.',
  auth: 'session',
  permission: 'call',
  body: strictObject({ token: Token, reason: text({ minLength: 1, maxLength: 1_000 }) }),
  responses: { 201: AccessRequest },
  errors: ['not_found', 'invalid_state', 'rate_limited'],
  examples: { request: { token: 'acl_…', reason: 'We buy invoice data for Acme.' } },
});

export const listOwnAccessRequests = defineOperation({
  id: 'listOwnAccessRequests',
  method: 'get',
  path: '/v1/access-requests',
  tag,
  summary: 'List your requests for access, newest first',
  auth: 'session',
  permission: 'view',
  query: strictObject(pageQuery),
  responses: { 200: page(AccessRequest) },
});

export const accessRequestOperations = [
  makeAccessLink,
  endAccessLink,
  listAccessRequests,
  listWaitingAccessRequests,
  answerAccessRequest,
  openAccessLink,
  requestAccess,
  listOwnAccessRequests,
] as const;
