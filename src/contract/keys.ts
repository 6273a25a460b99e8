import { Type, type TLiteral } from '@sinclair/typebox';
import { API_SCOPES, expiryProblems, MAX_GRACE_SECONDS, type ApiScope } from '../domain/accounts/api-key';
import { Instant, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';
import { limitFields, limitWishes } from './spending-limits';

const tag = 'API keys';
/** Keys are managed in a session, or made and ended by a key that may do it. */
const auth = { scope: 'keys:manage' } as const;
export const KeyId = text({ maxLength: 36, pattern: '^key_[0-9a-f]{32}$' });
const params = strictObject({ key_id: KeyId });

export const Scope = named(
  'Scope',
  Type.Union(API_SCOPES.map((scope) => Type.Literal(scope)) as unknown as [TLiteral<ApiScope>], {
    description:
      'agents:read covers listings, usage and trust reports; billing:read covers the wallet, earnings and ' +
      'disputes; keys:manage makes, lists and ends narrower keys',
  }),
);

const KeyRate = named(
  'KeyRate',
  strictObject({
    per_minute: Type.Integer({ minimum: 1, description: 'Most in a minute' }),
    used: Type.Integer({ minimum: 0, description: 'Counted in the minute that runs' }),
  }),
);

const fields = {
  key_id: KeyId,
  name: Type.String(),
  key_hint: Type.String({ description: 'The last four characters of the key' }),
  scopes: Type.Array(Scope),
  ...limitFields,
  spent_credits: Type.Number({
    description: 'Cost of its calls, less refunds; calls in progress count when they succeed',
  }),
  expires_at: Nullable(Timestamp),
  created_at: Timestamp,
  last_used_at: Type.Union([Timestamp, Type.Null()], { description: 'Accurate to the minute' }),
  rate_limits: Type.Optional(
    named(
      'KeyRateLimits',
      strictObject(
        { requests: KeyRate, invocations: KeyRate },
        {
          description:
            'In the list of your own keys: the limits of the key, and what it has used of them, at most half a second ago. ' +
            'The account has limits for all of its keys together.',
        },
      ),
    ),
  ),
  parent_key_id: Nullable(
    Type.String({ description: 'The key that made this one: it ends with it, and its limits hold for both' }),
  ),
};

/** An API key without its secret. */
export const Key = named('ApiKey', strictObject(fields));
const IssuedKey = named(
  'IssuedApiKey',
  strictObject({
    ...fields,
    key: Type.String({ description: 'Shown once, in this response', pattern: '^amk_live_[0-9A-Za-z]{36}$' }),
  }),
);

const example = {
  key_id: 'key_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  name: 'build server',
  key_hint: 'cZzJ',
  scopes: ['agents:invoke', 'agents:read'],
  credit_cap: 500,
  credit_cap_window: 'month' as const,
  used_credits: 80,
  window_ends_at: '2026-12-01T00:00:00.000Z',
  time_zone: 'UTC',
  call_cap: null,
  min_trust_score: null,
  agents: null,
  spent_credits: 120,
  expires_at: '2027-01-01T00:00:00.000Z',
  created_at: '2026-11-02T00:00:00.000Z',
  last_used_at: '2026-11-03T08:15:00.000Z',
  parent_key_id: null,
};
const listedExample = {
  ...example,
  rate_limits: { requests: { per_minute: 1_200, used: 26 }, invocations: { per_minute: 600, used: 3 } },
};
const issuedExample = {
  ...example,
  used_credits: 0,
  spent_credits: 0,
  last_used_at: null,
  key: 'amk_live_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA1NcZzJ',
};

/** What a person calls a key. */
export const KeyName = text({
  minLength: 1,
  maxLength: 80,
  pattern:
    '^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\u0000-\\u001f\\u007f-\\u009f\\s][^\\u0000-\\u001f\\u007f-\\u009f]*$',
});

export const createKey = defineOperation({
  id: 'createKey',
  method: 'post',
  path: '/v1/keys',
  tag,
  summary: 'Create an API key',
  description:
    'The key is shown once; only its SHA-256 is stored. Send it as `X-API-Key` to the operations that its ' +
    'scopes allow. `credit_cap` limits what the key may spend over its lifetime, or in each day, week or month ' +
    '(`credit_cap_window`), including calls in progress: a call that could exceed it is refused with 402 ' +
    '`credit_cap_exceeded` and does not run. `agents`, `min_trust_score` and `call_cap` limit which calls it may make. A key ' +
    'with the scope `keys:manage` makes keys that are no wider than itself in scopes, caps, agents and expiry: limits that are left ' +
    'out are its own, its limits hold for what they spend together, and they end with it.',
  auth,
  body: strictObject({
    name: KeyName,
    scopes: Type.Array(Scope, { minItems: 1, maxItems: API_SCOPES.length, uniqueItems: true }),
    ...limitWishes,
    expires_at: Type.Optional(Nullable(Instant('ISO 8601, in the future'))),
  }),
  laterProblems: ({ expires_at: expiresAt }) =>
    typeof expiresAt === 'string' ? expiryProblems(expiresAt, new Date()) : [],
  responses: { 201: IssuedKey },
  errors: ['invalid_state'],
  examples: {
    request: {
      name: example.name,
      scopes: example.scopes,
      credit_cap: example.credit_cap,
      credit_cap_window: example.credit_cap_window,
      expires_at: example.expires_at,
    },
    response: issuedExample,
  },
});

export const listKeys = defineOperation({
  id: 'listKeys',
  method: 'get',
  path: '/v1/keys',
  tag,
  summary: 'List your API keys, newest first',
  description: 'By a key: those that it made.',
  auth,
  query: strictObject(pageQuery),
  responses: { 200: page(Key) },
  examples: { response: { items: [listedExample], next_cursor: null, total: 1 } },
});

export const changeKey = defineOperation({
  id: 'changeKey',
  permission: 'keys',
  method: 'patch',
  path: '/v1/keys/{key_id}',
  tag,
  summary: 'Change the name and the limits of an API key',
  description:
    'Omitted fields keep their values, and null takes a limit away. A `credit_cap` over the lifetime counts from the creation ' +
    'of the key: it must cover what the key has spent and what its calls in flight may cost. One of a window may be lower, and ' +
    'then refuses until the window ends; another `credit_cap_window` counts calls from the change on. To stop a key at once, ' +
    'delete it.',
  auth: 'session',
  params,
  body: strictObject({ name: Type.Optional(KeyName), ...limitWishes }),
  responses: { 200: Key },
  errors: ['not_found', 'validation_failed'],
  examples: { request: { credit_cap: 800 }, response: { ...example, credit_cap: 800 } },
});

export const deleteKey = defineOperation({
  id: 'deleteKey',
  method: 'delete',
  path: '/v1/keys/{key_id}',
  tag,
  summary: 'Delete an API key',
  description:
    'The key, and keys that it made, are refused from the next request on, by every API process. Calls in progress are not ' +
    'affected. A key deletes only keys that it made.',
  auth,
  params,
  responses: { 204: null },
  errors: ['not_found'],
});

export const rotateKey = defineOperation({
  id: 'rotateKey',
  permission: 'keys',
  method: 'post',
  path: '/v1/keys/{key_id}/rotate',
  tag,
  summary: 'Rotate an API key',
  description:
    'Id, scopes, cap and spent credits stay the same. The old secret stops working at once, or after ' +
    '`grace_seconds`.',
  auth: 'session',
  params,
  body: strictObject({
    grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_GRACE_SECONDS, default: 0 })),
  }),
  responses: { 200: IssuedKey },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { grace_seconds: 3_600 }, response: issuedExample },
});

export const keyOperations = [createKey, listKeys, changeKey, deleteKey, rotateKey];
