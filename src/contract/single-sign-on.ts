import { Type } from '@sinclair/typebox';
import { strictObject, text } from './common';
import { defineOperation } from './operation';
import { Why } from './operators';
import { OWNER_ID_PATTERN } from '../domain/accounts/roles';

const tag = 'Accounts';
const html = { mediaType: 'text/html', description: 'A page with a button that begins the login.' };
export const OrgId = text({
  maxLength: 36,
  pattern: OWNER_ID_PATTERN,
  description: '`org_…`; that of an account that became an organisation stays `usr_…`',
});
export const ProviderId = text({ maxLength: 36, pattern: '^idp_[0-9a-f]{32}$' });
/** What a provider adds to the address. Longer values are no answers of providers. */
const Answer = Type.Optional(Type.String({ maxLength: 8_192 }));

export const beginSso = defineOperation({
  id: 'beginSso',
  errorForm: 'page',
  method: 'get',
  path: '/v1/auth/sso',
  tag,
  summary: 'Begin a login by the identity provider of an organisation',
  description:
    'For a browser: sends it to the provider that has proven the domain of `email`, or to the newest one of ' +
    '`organisation`. The login is bound to the browser by a cookie, is valid for ten minutes and works once. ' +
    'To a browser that another site sends (`Sec-Fetch-Site`), it answers a page with a button that begins. ' +
    'Errors are pages.',
  auth: 'public',
  query: strictObject({
    email: Type.Optional(text({ minLength: 3, maxLength: 254 })),
    organisation: Type.Optional(OrgId),
    return_to: Type.Optional(
      text({ maxLength: 500, description: 'A page of the console; other addresses are ignored' }),
    ),
  }),
  responses: { 200: html, 303: null },
  errors: ['not_found', 'forbidden'],
});

export const finishSso = defineOperation({
  id: 'finishSso',
  errorForm: 'page',
  method: 'get',
  path: '/v1/auth/sso/callback/{provider_id}',
  tag,
  summary: 'End a login by the identity provider of an organisation',
  description:
    'The redirect URI that is registered at the provider. Starts a session and sends the browser to the console. ' +
    'The provider must say that the mail address is verified, and the organisation must have proven its domain. ' +
    '409 `invalid_state` if the browser has a session of another account. ' +
    'Errors are pages.',
  auth: 'public',
  params: strictObject({ provider_id: ProviderId }),
  query: Type.Object(
    { state: Answer, code: Answer, iss: Answer, error: Answer },
    { additionalProperties: true },
  ),
  responses: { 303: null },
  errors: ['invalid_state', 'forbidden'],
});

export const permitPasswordLogins = defineOperation({
  id: 'permitPasswordLogins',
  method: 'post',
  path: '/v1/operator/organisations/{org_id}/password-logins',
  tag: 'Operators',
  summary: 'Permit members to act for an organisation in sessions that began with a password',
  description:
    'The way out when the identity provider of an organisation is lost. Verify by other means that an owner asks for it. ' +
    '409 `invalid_state` if the organisation does not demand its provider.',
  auth: 'session',
  roles: ['operator'],
  params: strictObject({ org_id: OrgId }),
  body: Why,
  responses: { 200: strictObject({ org_id: OrgId, require_sso: Type.Boolean() }) },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { reason: 'The provider was closed; the owner proved the domain by phone.' } },
});

export const singleSignOnOperations = [beginSso, finishSso, permitPasswordLogins];
