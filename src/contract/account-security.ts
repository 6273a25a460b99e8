import { Type } from '@sinclair/typebox';
import { Email, EndedAccess, NewPassword, Password, TotpCode } from './account-fields';
import { Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { WalletFreeze } from './wallet-freeze';
import { defineOperation } from './operation';

const tag = 'Accounts';
const Token = text({ minLength: 1, maxLength: 200, description: 'The token of the mail' });
const SessionId = text({ maxLength: 36, pattern: '^ses_[0-9a-f]{32}$' });

export const getSecurity = defineOperation({
  id: 'getSecurity',
  permission: 'self',
  method: 'get',
  path: '/v1/auth/security',
  tag,
  summary: 'Get what protects your account',
  auth: 'session',
  responses: {
    200: strictObject({
      email: Type.String(),
      email_confirmed: Type.Boolean(),
      pending_email: Nullable(
        Type.String({ description: 'The address that takes the place of `email` when it is confirmed' }),
      ),
      authenticator: Type.Boolean({ description: 'An authenticator app is in use' }),
      recovery_codes_left: Type.Integer(),
      api_keys: Type.Integer({ description: 'API keys that have not expired' }),
      oauth_grants: Type.Integer({ description: 'OAuth grants in use' }),
      wallet_frozen: Nullable(WalletFreeze),
    }),
  },
});

export const confirmEmail = defineOperation({
  id: 'confirmEmail',
  permission: 'self',
  method: 'post',
  path: '/v1/auth/email/confirm',
  tag,
  summary: 'Confirm your email address',
  description:
    'Send the token of the mail with the session of the account that it belongs to. The token of a mail to a new address ' +
    '(`POST /v1/auth/email`) puts that address in the place of the old one; 409 `email_taken` if another account has it meanwhile.',
  auth: 'session',
  body: strictObject({ token: Token }),
  responses: { 204: null },
  errors: ['email_taken'],
  examples: { request: { token: 'pKX0xO1b0Gd8Jw9mH4lqC0b2oYwz7uJtH6Xw3n1bV2E' } },
});

export const changeEmail = defineOperation({
  id: 'changeEmail',
  permission: 'self',
  method: 'post',
  path: '/v1/auth/email',
  tag,
  summary: 'Ask for another email address',
  description:
    'A mail to the new address asks to confirm it; until then the account keeps its present one. The present address as ' +
    '`email` withdraws an earlier request, and so does a new password. An account with an authenticator app needs ' +
    '`totp_code`. An account can ask ten times an hour.',
  auth: 'session',
  body: strictObject({ email: Email, password: Password, totp_code: Type.Optional(TotpCode) }),
  responses: { 202: null },
  errors: ['email_taken', 'invalid_credentials', 'second_factor_required'],
  examples: { request: { email: 'ada@example.org', password: 'correct horse battery' } },
});

export const resendConfirmation = defineOperation({
  id: 'resendConfirmation',
  permission: 'self',
  method: 'post',
  path: '/v1/auth/email/confirmation',
  tag,
  summary: 'Request another mail that confirms your email address',
  description:
    'It goes to the address that the account changes to, if there is one. At most one mail a minute and ten an hour are sent to an address.',
  auth: 'session',
  responses: { 202: null },
});

export const requestPasswordReset = defineOperation({
  id: 'requestPasswordReset',
  method: 'post',
  path: '/v1/auth/password-reset',
  tag,
  summary: 'Request a mail that resets a password',
  description: 'Answers the same for known and unknown addresses.',
  auth: 'public',
  body: strictObject({ email: Email }),
  responses: { 202: null },
  examples: { request: { email: 'ada@example.com' } },
});

export const resetPassword = defineOperation({
  id: 'resetPassword',
  method: 'post',
  path: '/v1/auth/password-reset/confirm',
  tag,
  summary: 'Set a new password with the token of a mail',
  description:
    'Confirms the address, and ends all sessions of the account. API keys and OAuth grants go on unless `end_keys` and ' +
    '`end_grants` say otherwise; those of an account whose address was not confirmed end. An authenticator app stays in use.',
  auth: 'public',
  body: strictObject({ token: Token, new_password: NewPassword, ...EndedAccess }),
  responses: { 204: null },
  examples: {
    request: {
      token: 'pKX0xO1b0Gd8Jw9mH4lqC0b2oYwz7uJtH6Xw3n1bV2E',
      new_password: 'another long passphrase',
    },
  },
});

export const listSessions = defineOperation({
  id: 'listSessions',
  permission: 'self',
  method: 'get',
  path: '/v1/auth/sessions',
  tag,
  summary: 'List your sessions, newest first',
  description: 'An account has at most 100 sessions; a new one then ends the oldest.',
  auth: 'session',
  query: strictObject(pageQuery),
  responses: {
    200: page(
      strictObject({
        session_id: SessionId,
        current: Type.Boolean({ description: 'The session of this request' }),
        started_at: Nullable(Timestamp),
        expires_at: Timestamp,
        user_agent: Nullable(
          Type.String({ description: 'The name that the client gave itself at the login' }),
        ),
        network: Nullable(Type.String({ description: 'Address of the client at the login; /64 for IPv6' })),
      }),
    ),
  },
});

export const endSession = defineOperation({
  id: 'endSession',
  permission: 'self',
  method: 'delete',
  path: '/v1/auth/sessions/{session_id}',
  tag,
  summary: 'End one of your sessions',
  auth: 'session',
  params: strictObject({ session_id: SessionId }),
  responses: { 204: null },
  errors: ['not_found'],
});

export const endOtherSessions = defineOperation({
  id: 'endOtherSessions',
  permission: 'self',
  method: 'delete',
  path: '/v1/auth/sessions',
  tag,
  summary: 'End all of your sessions but this one',
  auth: 'session',
  responses: { 204: null },
});

export const beginAuthenticator = defineOperation({
  id: 'beginAuthenticator',
  permission: 'self',
  method: 'post',
  path: '/v1/auth/authenticator',
  tag,
  summary: 'Begin to enrol an authenticator app (TOTP)',
  description:
    'Add the secret to your app, by hand or as a QR code of `otpauth_uri`, and confirm with its first code. The ' +
    'secret is shown only here.',
  auth: 'session',
  body: strictObject({ password: Password }),
  responses: {
    200: strictObject({ secret: Type.String({ description: 'Base32' }), otpauth_uri: Type.String() }),
  },
  errors: ['invalid_credentials', 'invalid_state'],
  examples: { request: { password: 'correct horse battery' } },
});

export const confirmAuthenticator = defineOperation({
  id: 'confirmAuthenticator',
  permission: 'self',
  method: 'post',
  path: '/v1/auth/authenticator/confirm',
  tag,
  summary: 'Put the authenticator app into use with its first code',
  description:
    'Ends all other sessions. The recovery codes are shown only here; each works once instead of a code.',
  auth: 'session',
  body: strictObject({ totp_code: TotpCode }),
  responses: { 200: strictObject({ recovery_codes: Type.Array(Type.String()) }) },
  errors: ['invalid_credentials', 'invalid_state'],
  examples: { request: { totp_code: '123456' } },
});

export const removeAuthenticator = defineOperation({
  id: 'removeAuthenticator',
  permission: 'self',
  method: 'post',
  path: '/v1/auth/authenticator/remove',
  tag,
  summary: 'Remove the authenticator app, with a code of it or a recovery code',
  auth: 'session',
  body: strictObject({ totp_code: TotpCode }),
  responses: { 204: null },
  errors: ['invalid_credentials'],
  examples: { request: { totp_code: '123456' } },
});

export const accountSecurityOperations = [
  getSecurity,
  confirmEmail,
  changeEmail,
  resendConfirmation,
  requestPasswordReset,
  resetPassword,
  listSessions,
  endSession,
  endOtherSessions,
  beginAuthenticator,
  confirmAuthenticator,
  removeAuthenticator,
];
