/** The versions of a developer's own agent. */
import { Type } from '@sinclair/typebox';
import { AgentId, named, Nullable, page, pageQuery, strictObject, Timestamp } from './common';
import { Manifest, Pricing, VersionNumber } from './manifest';
import { defineOperation } from './operation';
import { RegistrationView } from './registrations';

const VersionState = named(
  'VersionState',
  Type.Union([
    Type.Literal('draft'),
    Type.Literal('submitted'),
    Type.Literal('verifying'),
    Type.Literal('verified'),
    Type.Literal('live'),
    Type.Literal('superseded'),
    Type.Literal('rejected'),
  ]),
);

const auth = { scope: 'agents:publish' } as const;
const roles = ['developer'] as const;
const tag = 'Publishing';
const params = strictObject({ agent_id: AgentId });
const versionParams = strictObject({ agent_id: AgentId, version: VersionNumber });

export const Published = named(
  'PublishedVersion',
  strictObject({
    agent_id: AgentId,
    slug: Type.String(),
    version: Type.String(),
    status: VersionState,
  }),
);

const agentVersionFields = {
  version: Type.String(),
  status: VersionState,
  endpoint_url: Type.String({ description: 'Shown to the owner only' }),
  pricing: Pricing,
  price_effective_at: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'From when calls cost `pricing`; until then they cost `former_pricing`. Null: since the version is live',
    }),
  ),
  former_pricing: Nullable(Pricing),
  reject_reason: Nullable(Type.String()),
  manifest_sha256: Type.String(),
  created_at: Timestamp,
  submitted_at: Nullable(Timestamp),
  live_at: Nullable(Timestamp),
};

export const AgentVersion = named('AgentVersion', strictObject(agentVersionFields));
const AgentVersionDetail = named(
  'AgentVersionDetail',
  strictObject({
    ...agentVersionFields,
    manifest: Nullable(Manifest),
    registration: Nullable(RegistrationView),
  }),
);

export const listOwnVersions = defineOperation({
  id: 'listOwnVersions',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/versions',
  tag,
  summary: 'List all versions of one of your agents, highest first',
  auth,
  roles,
  params,
  query: strictObject(pageQuery),
  responses: { 200: page(AgentVersion) },
  errors: ['not_found'],
});

export const getOwnVersion = defineOperation({
  id: 'getOwnVersion',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/versions/{version}',
  tag,
  summary: 'Get a version of one of your agents, with its manifest',
  description:
    '`manifest` is the document as it was stored, with its defaults; `manifest_sha256` is the SHA-256 of its canonical ' +
    'JSON (RFC 8785). It can be read in every state of the version, also after a newer version went live. A ' +
    'self-hosted agent has a `registration` instead.',
  auth,
  roles,
  params: versionParams,
  responses: { 200: AgentVersionDetail },
  errors: ['not_found'],
});

export const submitVersion = defineOperation({
  id: 'submitVersion',
  method: 'post',
  path: '/v1/developer/agents/{agent_id}/versions/{version}/submit',
  tag,
  summary: 'Submit a draft for verification',
  auth,
  roles,
  params: versionParams,
  responses: { 202: Published },
  errors: ['not_found', 'invalid_state', 'registration_required'],
});

export const deleteDraft = defineOperation({
  id: 'deleteDraft',
  method: 'delete',
  path: '/v1/developer/agents/{agent_id}/versions/{version}',
  tag,
  summary: 'Delete a draft',
  description:
    'Its number can be published again. To edit a draft, publish its number again with `submit: false`. A version that ' +
    'was submitted cannot be deleted.',
  auth,
  roles,
  params: versionParams,
  responses: { 204: null },
  errors: ['not_found', 'invalid_state'],
});
