import { Type } from '@sinclair/typebox';
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

export const leavingOperations = [requestExport, listExports, downloadExport];
