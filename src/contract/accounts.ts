import { Type } from '@sinclair/typebox';
import { Email, EndedAccess, NewPassword, Password, TotpCode } from './account-fields';
import { MAX_TIME_ZONE_LENGTH, TIME_ZONE_PATTERN, timeZoneProblems } from '../domain/accounts/time-zone';
import { named, Nullable, Profile, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';
import { MemberPermissions, MemberRole } from './organisations';

const DisplayName = text({
  minLength: 1,
  maxLength: 80,
  pattern:
    '^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\u0000-\\u001f\\u007f-\\u009f\\s][^\\u0000-\\u001f\\u007f-\\u009f]*$',
});

/** The organisation for which a session acts. */
const ActingFor = named(
  'ActingFor',
  strictObject({
    owner_id: Type.String({ examples: ['org_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    refused: Nullable(
      Type.Union(
        ['not_a_member', 'second_factor', 'company_sign_in'].map((why) => Type.Literal(why)),
        {
          description:
            'Why requests for it are refused: you are no member any more, the session lacks a second factor, or its ' +
            'identity provider did not begin the session. Null: they are answered',
        },
      ),
    ),
    member_role: Nullable(MemberRole),
    permissions: MemberPermissions,
    account: Nullable(
      strictObject({
        name: Type.String(),
        role: Type.Union([Type.Literal('buyer'), Type.Literal('developer'), Type.Literal('operator')]),
        developer_id: Nullable(Type.String()),
        registration_paid: Type.Boolean(),
        created_at: Timestamp,
      }),
    ),
  }),
);

const SessionProfile = named(
  'SessionProfile',
  strictObject({
    ...Profile.properties,
    acting_for: Nullable(ActingFor),
  }),
);

/** As at the sign-up. */
export const changeProfile = defineOperation({
  id: 'changeProfile',
  permission: 'self',
  method: 'patch',
  path: '/v1/auth/me',
  tag: 'Accounts',
  summary: 'Change your name and your time zone',
  description:
    'Omitted fields keep their values. The `developer_id` stays as it is. Budgets by day, week and month begin in the time ' +
    'zone; a window that runs ends as it would have, and the next one begins in the new zone.',
  auth: 'session',
  body: strictObject({
    displayName: Type.Optional(DisplayName),
    time_zone: Type.Optional(
      text({
        maxLength: MAX_TIME_ZONE_LENGTH,
        pattern: TIME_ZONE_PATTERN,
        description: 'A name of the IANA time zone database, such as `Europe/Berlin`',
      }),
    ),
  }),
  laterProblems: ({ time_zone: zone }) => (typeof zone === 'string' ? timeZoneProblems(zone) : []),
  responses: { 200: Profile },
  errors: ['validation_failed'],
  examples: { request: { displayName: 'Ada King', time_zone: 'Europe/Berlin' } },
});

export const startSelling = defineOperation({
  id: 'startSelling',
  permission: 'settings',
  method: 'post',
  path: '/v1/users/start-selling',
  tag: 'Accounts',
  summary: 'Become a developer, who sells agents and goes on buying',
  description:
    'Gives a buyer the role developer and a `developer_id` made of the name. Wallet, keys and calls stay. Changes nothing ' +
    'for developers and operators.',
  auth: 'session',
  responses: { 200: Profile },
});

const ada = {
  email: 'ada@example.com',
  password: 'correct horse battery',
  displayName: 'Ada Lovelace',
  role: 'developer',
};
const adaProfile = {
  user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  email: 'ada@example.com',
  displayName: 'Ada Lovelace',
  role: 'developer',
  developer_id: 'dev_ada-lovelace',
  registration_paid: false,
  time_zone: 'UTC',
  created_at: '2026-11-02T00:00:00.000Z',
};

export const register = defineOperation({
  id: 'register',
  method: 'post',
  path: '/v1/auth/register',
  tag: 'Accounts',
  summary: 'Create an account and start a session',
  description:
    'A mail asks to confirm the address. An address belongs to one account, confirmed or not: 409 `email_taken` for ' +
    'another one. After ten such answers to one client address within an hour, every sign-up from there is 429. An ' +
    'account that has not confirmed its address after a day, and has no credits, keys, agents or calls, is deleted ' +
    'and the address is free again. The 10,000 most common passwords are refused.',
  auth: 'public',
  body: strictObject({
    email: Email,
    password: NewPassword,
    displayName: DisplayName,
    role: Type.Union([Type.Literal('buyer'), Type.Literal('developer')]),
  }),
  responses: { 201: Profile },
  errors: ['email_taken'],
  examples: { request: ada, response: adaProfile },
});

export const login = defineOperation({
  id: 'login',
  method: 'post',
  path: '/v1/auth/login',
  tag: 'Accounts',
  summary: 'Start a session',
  description:
    'An account with an authenticator app also needs `totp_code`, a code of the app or a recovery code; without one ' +
    'the answer is `second_factor_required`.',
  auth: 'public',
  body: strictObject({
    email: text({ minLength: 1, maxLength: 254 }),
    password: Password,
    totp_code: Type.Optional(TotpCode),
  }),
  responses: { 200: Profile },
  errors: ['invalid_credentials', 'second_factor_required'],
  examples: { request: { email: ada.email, password: ada.password }, response: adaProfile },
});

export const logInByLink = defineOperation({
  id: 'logInByLink',
  method: 'post',
  path: '/v1/auth/login-link',
  tag: 'Accounts',
  summary: 'Start a session with a one-time login link of the local stack',
  description:
    'Only outside production; in production the answer is always 404. `npm start` prints the links of its ' +
    'demonstration accounts. A link works once, for 15 minutes. The session has no second factor.',
  auth: 'public',
  body: strictObject({ token: text({ minLength: 1, maxLength: 200 }) }),
  responses: { 200: Profile },
  errors: ['not_found'],
  examples: { request: { token: 'pKX0xO1b0Gd8Jw9mH4lqC0b2oYwz7uJtH6Xw3n1bV2E' }, response: adaProfile },
});

export const me = defineOperation({
  id: 'me',
  permission: 'self',
  method: 'get',
  path: '/v1/auth/me',
  tag: 'Accounts',
  summary: 'Get your profile, and for whom your session acts',
  description:
    '`acting_for` is the organisation that was chosen for the session (`PUT /v1/auth/owner`), with what your role permits; ' +
    'null for yourself.',
  auth: 'session',
  responses: { 200: SessionProfile },
  examples: { response: { ...adaProfile, acting_for: null } },
});

export const logout = defineOperation({
  id: 'logout',
  permission: 'self',
  method: 'post',
  path: '/v1/auth/logout',
  tag: 'Accounts',
  summary: 'End the session',
  auth: 'session',
  responses: { 204: null },
});

export const changePassword = defineOperation({
  id: 'changePassword',
  permission: 'self',
  method: 'post',
  path: '/v1/auth/password',
  tag: 'Accounts',
  summary: 'Change the password',
  description:
    'Ends every other session of the account, tokens of mails that reset the password, and logins of devices that wait ' +
    'for their key. The current session continues under a new id. API keys and OAuth grants go on unless `end_keys` ' +
    'and `end_grants` say otherwise; `GET /v1/auth/security` counts those that are left.',
  auth: 'session',
  body: strictObject({ old_password: Password, new_password: NewPassword, ...EndedAccess }),
  responses: { 204: null },
  errors: ['invalid_credentials'],
  examples: { request: { old_password: ada.password, new_password: 'another long passphrase' } },
});

export const accountOperations = [
  register,
  login,
  logInByLink,
  me,
  changeProfile,
  startSelling,
  logout,
  changePassword,
];
