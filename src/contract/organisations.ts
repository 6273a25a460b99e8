import { Type } from '@sinclair/typebox';
import { MEMBER_PERMISSIONS, MEMBER_ROLES, type MemberPermission } from '../domain/accounts/roles';
import { MAX_TIME_ZONE_LENGTH, TIME_ZONE_PATTERN, timeZoneProblems } from '../domain/accounts/time-zone';
import { Instant, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Organisations';
const auth = 'session';
export const OrgId = text({
  maxLength: 36,
  pattern: '^(usr|org)_[0-9a-f]{32}$',
  description: '`org_…`; that of an account that became an organisation stays `usr_…`',
});
const UserId = text({ maxLength: 36, pattern: '^usr_[0-9a-f]{32}$' });
const OrgName = text({
  minLength: 1,
  maxLength: 80,
  pattern:
    '^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\u0000-\\u001f\\u007f-\\u009f\\s][^\\u0000-\\u001f\\u007f-\\u009f]*$',
});
export const MemberRole = named(
  'MemberRole',
  Type.Union(
    MEMBER_ROLES.map((role) => Type.Literal(role)),
    { description: 'What each may do stands in docs/organisations.md' },
  ),
);
const PERMISSIONS = Object.keys(MEMBER_PERMISSIONS) as MemberPermission[];
export const MemberPermissions = Type.Array(Type.Union(PERMISSIONS.map((name) => Type.Literal(name))), {
  description: 'What your role permits (docs/reference/roles.md)',
});
const ofOne = strictObject({ org_id: OrgId });

export const Organisation = named(
  'Organisation',
  strictObject({
    org_id: OrgId,
    name: Type.String(),
    role: MemberRole,
    permissions: MemberPermissions,
    developer_id: Nullable(Type.String()),
    require_second_factor: Type.Boolean({
      description: 'True: members act for it only in sessions that began with a code of an authenticator app',
    }),
    time_zone: Type.String({
      description: 'IANA time zone in which the days, weeks and months of budgets begin',
      examples: ['Europe/Berlin'],
    }),
    created_at: Timestamp,
  }),
);
const LogEntry = named(
  'OrganisationLogEntry',
  strictObject({
    log_id: Type.String(),
    at: Timestamp,
    user_id: Nullable(Type.String({ description: 'Null for a key of the organisation itself' })),
    name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    key_id: Nullable(Type.String({ description: 'The key that was used; null for a session' })),
    operation: Type.String({ description: 'The operationId of what was done' }),
    outcome: Nullable(
      Type.String({
        description: '`done`, or the code of the error; null while it runs, or if the process ended before',
      }),
    ),
    subject: Type.String({ description: 'The ids in the path of the request' }),
    network: Nullable(
      Type.String({
        description: 'The network of the client; null once the account of the person was deleted',
      }),
    ),
    trace_id: Type.String(),
  }),
);

const example = {
  org_id: 'org_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  name: 'Analytical Engines',
  role: 'owner' as const,
  permissions: PERMISSIONS,
  developer_id: null,
  require_second_factor: false,
  time_zone: 'UTC',
  created_at: '2026-11-02T00:00:00.000Z',
};

export const createOrganisation = defineOperation({
  id: 'createOrganisation',
  permission: 'self',
  method: 'post',
  path: '/v1/organisations',
  tag,
  summary: 'Create an organisation, of which you are the first owner',
  description:
    'An organisation owns what an account owns: a wallet, keys, agents, payouts. Send `X-Owner: org_…` with any request of ' +
    'your session to act for it, or choose it for the session (`PUT /v1/auth/owner`). A person owns at most 200.',
  auth,
  body: strictObject({ name: OrgName }),
  responses: { 201: Organisation },
  errors: ['invalid_state'],
  examples: { request: { name: example.name }, response: example },
});

export const convertAccount = defineOperation({
  id: 'convertAccount',
  permission: 'self',
  method: 'post',
  path: '/v1/organisations/convert',
  tag,
  summary: 'Turn your account into an organisation',
  description:
    'The account keeps its id with its agents, credits, keys and history, and becomes an organisation. A new account with your ' +
    'address, password and sessions is its first owner. This cannot be taken back. With an authenticator app, the session must ' +
    'have begun with a code.',
  auth,
  body: strictObject({ name: OrgName, password: text({ minLength: 1, maxLength: 1024 }) }),
  responses: { 200: strictObject({ organisation: Organisation, user_id: UserId }) },
  errors: ['invalid_credentials', 'invalid_state', 'second_factor_required'],
});

export const listOrganisations = defineOperation({
  id: 'listOrganisations',
  permission: 'self',
  method: 'get',
  path: '/v1/organisations',
  tag,
  summary: 'List the organisations of which you are a member, with your role',
  auth,
  query: strictObject(pageQuery),
  responses: { 200: page(Organisation) },
  examples: { response: { items: [example], next_cursor: null, total: 1 } },
});

export const getOrganisation = defineOperation({
  id: 'getOrganisation',
  permission: 'self',
  method: 'get',
  path: '/v1/organisations/{org_id}',
  tag,
  summary: 'Get an organisation of which you are a member',
  auth,
  params: ofOne,
  responses: { 200: Organisation },
  errors: ['not_found'],
  examples: { response: example },
});

export const changeOrganisation = defineOperation({
  id: 'changeOrganisation',
  permission: 'self',
  method: 'patch',
  path: '/v1/organisations/{org_id}',
  tag,
  summary: 'Change the name or the time zone, or demand a second factor',
  description:
    'For owners. An owner who demands a second factor acts with one. Windows of budgets that run keep their end; the next ones begin in the new time zone.',
  auth,
  params: ofOne,
  body: strictObject({
    name: Type.Optional(OrgName),
    require_second_factor: Type.Optional(Type.Boolean()),
    time_zone: Type.Optional(text({ maxLength: MAX_TIME_ZONE_LENGTH, pattern: TIME_ZONE_PATTERN })),
  }),
  laterProblems: ({ time_zone: zone }) => (typeof zone === 'string' ? timeZoneProblems(zone) : []),
  responses: { 200: Organisation },
  errors: ['not_found', 'second_factor_required'],
  examples: {
    request: { require_second_factor: true },
    response: { ...example, require_second_factor: true },
  },
});

const logFilter = {
  user_id: Type.Optional(UserId),
  operation: Type.Optional(text({ maxLength: 80 })),
  since: Type.Optional(Instant('ISO 8601, inclusive')),
  until: Type.Optional(Instant('ISO 8601, exclusive')),
};

export const listOrganisationLog = defineOperation({
  id: 'listOrganisationLog',
  permission: 'self',
  method: 'get',
  path: '/v1/organisations/{org_id}/log',
  tag,
  summary: 'List what members changed, newest first',
  description: 'Who did what, and from where. Calls are listed with the invocations. For owners and admins.',
  auth,
  params: ofOne,
  query: strictObject({ ...pageQuery, ...logFilter }),
  responses: {
    200: strictObject({ items: Type.Array(LogEntry), next_cursor: Type.Union([Type.String(), Type.Null()]) }),
  },
  errors: ['not_found', 'forbidden'],
});

export const getOrganisationLogCsv = defineOperation({
  id: 'getOrganisationLogCsv',
  permission: 'self',
  method: 'get',
  path: '/v1/organisations/{org_id}/log.csv',
  tag,
  summary: 'Get the log of an organisation as CSV: the newest 10,000 entries',
  auth,
  params: ofOne,
  query: strictObject(logFilter),
  responses: { 200: { mediaType: 'text/csv', description: 'One line for each entry' } },
  errors: ['not_found', 'forbidden'],
});

export const chooseOwner = defineOperation({
  id: 'chooseOwner',
  permission: 'self',
  method: 'put',
  path: '/v1/auth/owner',
  tag,
  summary: 'Choose for whom the requests of this session act',
  description:
    'The organisation stays chosen until you choose another owner, or log out. Null: yourself. `X-Owner` in a request takes ' +
    'precedence. Once you are no member any more, requests are 404 until you choose again.',
  auth,
  body: strictObject({ owner: Nullable(OrgId) }),
  responses: { 204: null },
  errors: ['not_found'],
});

export const organisationOperations = [
  createOrganisation,
  convertAccount,
  listOrganisations,
  getOrganisation,
  changeOrganisation,
  listOrganisationLog,
  getOrganisationLogCsv,
  chooseOwner,
];
