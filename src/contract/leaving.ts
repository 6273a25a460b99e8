import { Type } from '@sinclair/typebox';
import { DELETION_BLOCKS, DELETION_STATES } from '../domain/leaving/deletion';
import { Password, TotpCode } from './account-fields';
import { named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Accounts';
const auth = 'session';

const AccountExport = named(
  'AccountExport',
  strictObject({
    export_id: Type.String(),
    status: Type.Union(
      ['waiting', 'running', 'ready', 'failed', 'expired'].map((state) => Type.Literal(state)),
      { description: 'expired: the archive was deleted' },
    ),
    requested_at: Timestamp,
    snapshot_at: Nullable(Timestamp),
    expires_at: Nullable(Timestamp),
    bytes: Nullable(Type.Integer({ description: 'Size of the archive' })),
    rows: Nullable(Type.Integer({ description: 'Rows of all lists in it' })),
    sha256: Nullable(Type.String({ description: 'SHA-256 of the archive, in hexadecimal digits' })),
  }),
);

const example = {
  export_id: 'exp_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  status: 'ready',
  requested_at: '2026-11-02T09:00:00.000Z',
  snapshot_at: '2026-11-02T09:00:01.000Z',
  expires_at: '2026-11-09T09:00:05.000Z',
  bytes: 48_213,
  rows: 912,
  sha256: '5f2c1f0a9f6f3d0e4f9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f',
} as const;
const waiting = {
  ...example,
  status: 'waiting',
  snapshot_at: null,
  expires_at: null,
  bytes: null,
  rows: null,
  sha256: null,
} as const;

export const requestExport = defineOperation({
  id: 'requestExport',
  permission: 'own',
  method: 'post',
  path: '/v1/account/export',
  tag,
  summary: 'Request an archive of everything that your account has stored',
  description:
    'The archive is a zip file with each list as JSON and as CSV and a README, all of one snapshot. A mail reports when it ' +
    'is ready; then it can be downloaded for 7 days. An account has one open export (409 `invalid_state`) and can request ' +
    'three within 24 hours. Secrets are not in it.',
  auth,
  responses: { 202: AccountExport },
  errors: ['invalid_state'],
  examples: { response: waiting },
});

export const listExports = defineOperation({
  id: 'listExports',
  permission: 'own',
  method: 'get',
  path: '/v1/account/exports',
  tag,
  summary: 'List the exports of your account, newest first',
  auth,
  query: strictObject(pageQuery),
  responses: { 200: page(AccountExport) },
});

export const downloadExport = defineOperation({
  id: 'downloadExport',
  permission: 'own',
  method: 'get',
  path: '/v1/account/exports/{export_id}/archive.zip',
  tag,
  summary: 'Download the archive of an export',
  description: '409 `invalid_state` unless the export is `ready` and has not expired.',
  auth,
  params: strictObject({ export_id: text({ maxLength: 40, pattern: '^exp_[0-9a-f]{32}$' }) }),
  responses: { 200: { mediaType: 'application/zip', description: 'The archive' } },
  errors: ['not_found', 'invalid_state'],
});

const DeletionStatus = Type.Union(
  DELETION_STATES.map((state) => Type.Literal(state)),
  {
    description:
      'confirmable: a mail asks for the confirmation; confirmed: it waits until nothing blocks it; lapsed: it was not confirmed',
  },
);
const deletionFields = {
  deletion_id: Type.String(),
  user_id: Type.String({ description: 'The account, or the organisation, that is deleted' }),
  status: DeletionStatus,
  forfeit_credits: Type.Boolean({ description: 'The credits that are left in the wallet are given up' }),
  requested_at: Timestamp,
  confirm_from: Timestamp,
  confirmed_at: Nullable(Timestamp),
  blocked_by: Type.Array(Type.String(), { description: 'What blocked it at the last look' }),
  ended_at: Nullable(Timestamp),
  gone_by: Nullable(
    Type.String({ format: 'date-time', description: 'When backups from before the deletion have ended' }),
  ),
};
const AccountDeletion = named('AccountDeletion', strictObject(deletionFields));

const deletion = {
  deletion_id: 'del_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  status: 'requested',
  forfeit_credits: false,
  requested_at: '2026-11-02T09:00:00.000Z',
  confirm_from: '2026-11-16T09:00:00.000Z',
  confirmed_at: null,
  blocked_by: [],
  ended_at: null,
  gone_by: null,
} as const;

export const getDeletion = defineOperation({
  id: 'getDeletion',
  method: 'get',
  path: '/v1/account/delete',
  tag,
  summary: 'Get what blocks the deletion of your account, and the deletion that is requested',
  auth,
  permission: 'own',
  responses: {
    200: strictObject({
      deletion: Nullable(AccountDeletion),
      blocked_by: Type.Array(
        strictObject({
          code: Type.Union(Object.keys(DELETION_BLOCKS).map((code) => Type.Literal(code))),
          message: Type.String(),
        }),
      ),
    }),
  },
  examples: { response: { deletion: null, blocked_by: [{ code: 'bond', message: DELETION_BLOCKS.bond }] } },
});

export const requestDeletion = defineOperation({
  id: 'requestDeletion',
  method: 'post',
  path: '/v1/account/delete',
  tag,
  summary: 'Request the deletion of your account',
  description:
    'After 14 days a mail asks for the confirmation; nothing is deleted before it. Then logins, keys and grants end, agents ' +
    'retire, and personal data is erased or replaced; the ledger, receipts and invoices stay with a pseudonym. 409 ' +
    '`invalid_state` with what blocks it, such as open disputes, unpaid earnings, a bond, or credits in the wallet unless ' +
    '`forfeit_credits` gives them up. A deletion that is requested already is answered as it is. An owner who acts for an ' +
    'organisation (`X-Owner`) requests its deletion with their own password: its members lose access and keep their accounts.',
  auth,
  permission: 'own',
  body: strictObject({
    password: Password,
    totp_code: Type.Optional(TotpCode),
    forfeit_credits: Type.Optional(
      Type.Boolean({ description: 'Give up the credits that are left in the wallet. Default: false' }),
    ),
  }),
  responses: { 202: AccountDeletion },
  errors: ['invalid_credentials', 'second_factor_required', 'invalid_state'],
  examples: { request: { password: 'correct horse battery' }, response: deletion },
});

export const withdrawDeletion = defineOperation({
  id: 'withdrawDeletion',
  method: 'delete',
  path: '/v1/account/delete',
  tag,
  summary: 'Withdraw the deletion of your account',
  description: 'Until its erasure begins; then 409 `invalid_state`.',
  auth,
  permission: 'own',
  responses: { 204: null },
  errors: ['not_found', 'invalid_state'],
});

export const confirmDeletion = defineOperation({
  id: 'confirmDeletion',
  method: 'post',
  path: '/v1/account/delete/confirm',
  tag,
  summary: 'Confirm the deletion of an account with the token of its mail',
  description: 'The erasure begins when nothing blocks it. It cannot be undone.',
  auth: 'public',
  body: strictObject({ token: text({ minLength: 1, maxLength: 200, description: 'The token of the mail' }) }),
  responses: { 202: AccountDeletion },
  examples: {
    request: { token: 'pKX0xO1b0Gd8Jw9mH4lqC0b2oYwz7uJtH6Xw3n1bV2E' },
    response: { ...deletion, status: 'confirmed', confirmed_at: '2026-11-16T10:00:00.000Z' },
  },
});

const operators = { auth: 'session', permission: 'operator', roles: ['operator'] } as const;

export const listDeletions = defineOperation({
  id: 'listDeletions',
  method: 'get',
  path: '/v1/operator/deletions',
  tag: 'Operators',
  summary: 'List deletions of accounts, newest first',
  ...operators,
  query: strictObject({ ...pageQuery, status: Type.Optional(DeletionStatus) }),
  responses: {
    200: page(named('OperatorDeletion', strictObject(deletionFields))),
  },
});

export const readRetainedRecord = defineOperation({
  id: 'readRetainedRecord',
  method: 'post',
  path: '/v1/operator/accounts/{user_id}/retained-record',
  tag: 'Operators',
  summary: 'Read what is kept of a deleted account for tax authorities',
  description:
    'Whom its invoices named, and its tax forms and payout methods if something was paid out. Each read is an audit log entry.',
  ...operators,
  params: strictObject({ user_id: text({ maxLength: 40, pattern: '^[a-z]{3}_[0-9a-f]{32}$' }) }),
  body: strictObject({ reason: text({ minLength: 1, maxLength: 4_000 }) }),
  responses: {
    200: strictObject({
      user_id: Type.String(),
      kept_at: Timestamp,
      ends_at: Timestamp,
      record: Type.Object({}, { additionalProperties: true }),
    }),
  },
  errors: ['not_found'],
  examples: {
    request: { reason: 'Request of the tax office of 2026-11-20.' },
    response: {
      user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      kept_at: '2026-11-16T10:00:00.000Z',
      ends_at: '2036-11-16T10:00:00.000Z',
      record: {
        invoices: [
          { billed_to: { name: 'Ada Lovelace' }, first: 'INV-2026-000001', last: 'INV-2026-000007' },
        ],
      },
    },
  },
});

export const leavingOperations = [
  requestExport,
  listExports,
  downloadExport,
  getDeletion,
  requestDeletion,
  withdrawDeletion,
  confirmDeletion,
  listDeletions,
  readRetainedRecord,
];
