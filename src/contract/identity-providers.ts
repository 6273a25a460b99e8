import { Type } from '@sinclair/typebox';
import { DEFAULT_ROLES, DOMAIN_PATTERN } from '../domain/accounts/single-sign-on';
import { named, Nullable, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';
import { OrgId, ProviderId } from './single-sign-on';

const tag = 'Organisations';
const auth = 'session';
const path = '/v1/organisations/{org_id}/identity-providers';
const ofOrg = strictObject({ org_id: OrgId });
const ofProvider = strictObject({ org_id: OrgId, provider_id: ProviderId });
const Domain = text({
  minLength: 4,
  maxLength: 253,
  pattern: DOMAIN_PATTERN,
  description: 'In lower case; names of other scripts in their ASCII form',
});
const ofDomain = strictObject({ org_id: OrgId, provider_id: ProviderId, domain: Domain });

const Role = Type.Union(
  DEFAULT_ROLES.map((role) => Type.Literal(role)),
  { description: 'Role of a person whose first login makes them a member' },
);
const Name = text({
  minLength: 1,
  maxLength: 80,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*\\S[^\\u0000-\\u001f\\u007f-\\u009f]*$',
});
const Issuer = text({
  minLength: 9,
  maxLength: 500,
  pattern: '^https://[^\\s?#]+$',
  description: 'The discovery document is at `<issuer>/.well-known/openid-configuration`',
});
const ClientId = text({ minLength: 1, maxLength: 500, pattern: '^[\\x20-\\x7e]+$' });
const ClientSecret = text({
  minLength: 1,
  maxLength: 1_000,
  pattern: '^[\\x20-\\x7e]+$',
  description: 'Sealed at rest, and never shown',
});

const ProvenDomain = strictObject({
  domain: Type.String(),
  txt_name: Type.String({ description: 'Name of the TXT record that proves the domain' }),
  txt_value: Type.String({ description: 'Its text' }),
  verified_at: Nullable(Timestamp),
});

const IdentityProvider = named(
  'IdentityProvider',
  strictObject({
    provider_id: ProviderId,
    name: Type.String(),
    issuer: Type.String(),
    client_id: Type.String(),
    redirect_uri: Type.String({ description: 'Register it at the provider' }),
    default_role: Role,
    enabled: Type.Boolean(),
    domains: Type.Array(ProvenDomain, {
      description: 'Domains whose addresses the provider may assert once they are proven',
    }),
    created_at: Timestamp,
  }),
);

const created = {
  provider_id: 'idp_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  name: 'Example Ltd',
  issuer: 'https://login.example.com',
  client_id: 'market',
  redirect_uri: 'https://market.example/v1/auth/sso/callback/idp_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  default_role: 'buyer',
  enabled: true,
  domains: [],
  created_at: '2026-11-02T09:00:00.000Z',
} as const;

export const listIdentityProviders = defineOperation({
  id: 'listIdentityProviders',
  method: 'get',
  path,
  tag,
  summary: 'List the identity providers of an organisation',
  description: 'For owners and admins. An organisation has at most ten.',
  auth,
  permission: 'self',
  params: ofOrg,
  responses: {
    200: strictObject({
      items: Type.Array(IdentityProvider),
      require_sso: Type.Boolean({
        description:
          'True: members act for the organisation only in sessions that one of its providers began',
      }),
    }),
  },
  errors: ['not_found', 'forbidden'],
});

export const addIdentityProvider = defineOperation({
  id: 'addIdentityProvider',
  method: 'post',
  path,
  tag,
  summary: 'Add an identity provider that speaks OpenID Connect',
  description:
    'Register `redirect_uri` of the answer at the provider, and prove a domain. Then members log in by ' +
    '`GET /v1/auth/sso?email=…`; a first login makes a person a member with `default_role`.',
  auth,
  permission: 'self',
  params: ofOrg,
  body: strictObject({
    name: Name,
    issuer: Issuer,
    client_id: ClientId,
    client_secret: ClientSecret,
    default_role: Type.Optional(Role),
  }),
  responses: { 201: IdentityProvider },
  errors: ['not_found', 'forbidden', 'invalid_state', 'unsafe_url'],
  examples: {
    request: {
      name: 'Example Ltd',
      issuer: 'https://login.example.com',
      client_id: 'market',
      client_secret: 'Zk2mT0c9h1sQ',
      default_role: 'buyer',
    },
    response: created,
  },
});

export const changeIdentityProvider = defineOperation({
  id: 'changeIdentityProvider',
  method: 'patch',
  path: `${path}/{provider_id}`,
  tag,
  summary: 'Change an identity provider, or switch it off',
  description:
    'Omitted fields keep their values; the issuer stays as it is. A provider that is switched off, or gets another ' +
    'client id, ends the sessions that it began.',
  auth,
  permission: 'self',
  params: ofProvider,
  body: strictObject({
    name: Type.Optional(Name),
    client_id: Type.Optional(ClientId),
    client_secret: Type.Optional(ClientSecret),
    default_role: Type.Optional(Role),
    enabled: Type.Optional(Type.Boolean()),
  }),
  responses: { 200: IdentityProvider },
  errors: ['not_found', 'forbidden', 'invalid_state'],
  examples: { request: { enabled: false }, response: { ...created, enabled: false } },
});

export const deleteIdentityProvider = defineOperation({
  id: 'deleteIdentityProvider',
  method: 'delete',
  path: `${path}/{provider_id}`,
  tag,
  summary: 'Delete an identity provider with its domains, and end the sessions that it began',
  auth,
  permission: 'self',
  params: ofProvider,
  responses: { 204: null },
  errors: ['not_found', 'forbidden', 'invalid_state'],
});

export const testIdentityProvider = defineOperation({
  id: 'testIdentityProvider',
  method: 'post',
  path: `${path}/{provider_id}/test`,
  tag,
  summary: 'Test the connection to an identity provider',
  description: 'Reads the discovery document and the keys. Client id and secret are proven by a login.',
  auth,
  permission: 'self',
  params: ofProvider,
  responses: {
    200: strictObject({
      ok: Type.Boolean(),
      problem: Nullable(Type.String()),
      keys: Type.Integer({ description: 'Public keys that the provider publishes' }),
    }),
  },
  errors: ['not_found', 'forbidden'],
  examples: { response: { ok: true, problem: null, keys: 2 } },
});

export const addProviderDomain = defineOperation({
  id: 'addProviderDomain',
  method: 'put',
  path: `${path}/{provider_id}/domains/{domain}`,
  tag,
  summary: 'Add a domain that the provider may assert once a TXT record proves it',
  auth,
  permission: 'self',
  params: ofDomain,
  responses: { 200: IdentityProvider },
  errors: ['not_found', 'forbidden', 'invalid_state'],
});

export const verifyProviderDomain = defineOperation({
  id: 'verifyProviderDomain',
  method: 'post',
  path: `${path}/{provider_id}/domains/{domain}/verify`,
  tag,
  summary: 'Look for the TXT record that proves a domain',
  description:
    'A domain belongs to one provider: 409 `invalid_state` if another one has proven it, or without the record.',
  auth,
  permission: 'self',
  params: ofDomain,
  responses: { 200: IdentityProvider },
  errors: ['not_found', 'forbidden', 'invalid_state'],
});

export const removeProviderDomain = defineOperation({
  id: 'removeProviderDomain',
  method: 'delete',
  path: `${path}/{provider_id}/domains/{domain}`,
  tag,
  summary: 'Remove a domain; its people cannot log in by the provider any more',
  auth,
  permission: 'self',
  params: ofDomain,
  responses: { 204: null },
  errors: ['not_found', 'forbidden'],
});

export const requireSso = defineOperation({
  id: 'requireSso',
  method: 'put',
  path: '/v1/organisations/{org_id}/require-sso',
  tag,
  summary: 'Demand the identity provider of the organisation, or permit logins by password again',
  description:
    'For owners. While `required` is true, members act for the organisation only in sessions that its provider began; ' +
    'their own accounts, and keys of the organisation, are not affected. It is switched on in such a session only ' +
    '(409 `invalid_state`). An operator can switch it off when the provider is lost.',
  auth,
  permission: 'self',
  params: ofOrg,
  body: strictObject({ required: Type.Boolean() }),
  responses: { 204: null },
  errors: ['not_found', 'forbidden', 'invalid_state'],
  examples: { request: { required: true } },
});

export const identityProviderOperations = [
  listIdentityProviders,
  addIdentityProvider,
  changeIdentityProvider,
  deleteIdentityProvider,
  testIdentityProvider,
  addProviderDomain,
  verifyProviderDomain,
  removeProviderDomain,
  requireSso,
];
