import { Type } from '@sinclair/typebox';
import { AgentId, Nullable, page, pageQuery, strictObject, Timestamp } from './common';
import { Manifest, Pricing, VersionNumber } from './manifest';
import { defineOperation } from './operation';
import { RegistrationView } from './registrations';

const VersionState = Type.Union([
  Type.Literal('draft'),
  Type.Literal('submitted'),
  Type.Literal('verifying'),
  Type.Literal('verified'),
  Type.Literal('live'),
  Type.Literal('superseded'),
  Type.Literal('rejected'),
]);
const AgentKind = Type.Unsafe<'manifest' | 'http' | 'mcp'>({
  type: 'string',
  enum: ['manifest', 'http', 'mcp'],
  description: 'Published by a manifest, or registered by its endpoint',
});
const AgentStatus = Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('retired')]);

const auth = { scope: 'agents:publish' } as const;
const roles = ['developer'] as const;
const tag = 'Publishing';
const params = strictObject({ agent_id: AgentId });

const Published = strictObject({
  agent_id: AgentId,
  slug: Type.String(),
  version: Type.String(),
  status: VersionState,
});

const AgentVersion = strictObject({
  version: Type.String(),
  status: VersionState,
  endpoint_url: Type.String({ description: 'Shown to its owner only' }),
  pricing: Pricing,
  reject_reason: Nullable(Type.String()),
  manifest_sha256: Type.String(),
  created_at: Timestamp,
  submitted_at: Nullable(Timestamp),
  live_at: Nullable(Timestamp),
});

const ownAgentFields = {
  agent_id: AgentId,
  slug: Type.String(),
  kind: AgentKind,
  status: AgentStatus,
  display_name: Type.String(),
  serving_version: Nullable(Type.String()),
  latest_version: AgentVersion,
  listed: Type.Boolean(),
  upstream_auth_set: Type.Boolean({ description: 'A credential is stored for the calls to this agent' }),
  badge: Nullable(Type.String()),
  trust_score: Nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const OwnAgent = strictObject(ownAgentFields);
const OwnAgentDetail = strictObject({
  ...ownAgentFields,
  signing_secret: Type.String({
    description: 'Standard Webhooks secret (whsec_…) with which calls to this agent are signed',
  }),
  manifest: Nullable(Manifest),
  registration: Nullable(RegistrationView),
});

const exampleManifest = {
  schema_version: '1.0',
  agent_id: 'word-counter',
  display_name: 'Word Counter',
  description:
    'Counts words, lines and characters of a text, in any language that separates words with spaces.',
  version: '1.0.0',
  category: 'data-processing',
  tags: ['text', 'statistics'],
  pricing: { model: 'per_call', credits_per_call: 2, free_tier_calls: 10 },
  endpoint: { url: 'https://agent.example.com', timeout_ms: 10_000 },
  input_schema: {
    type: 'object',
    properties: { text: { type: 'string', examples: ['to be or not to be'] } },
    required: ['text'],
  },
  output_schema: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
  data_handling: { pii_processed: false, data_retention_days: 0, residency: 'eu' },
};
const examplePublished = {
  agent_id: 'agt_word_counter_v1',
  slug: 'word-counter',
  version: '1.0.0',
  status: 'submitted',
};

/**
 * The manifest is checked by the service, not with the rest of the body, so that one 422 names every wrong field:
 * those of its document, those across fields, the endpoint's address and the two schemas.
 */
const ManifestInput = Type.Unsafe<Record<string, unknown>>(
  Type.Union([
    Manifest,
    Type.Object({}, { additionalProperties: true, description: 'Refused with 422, every field named' }),
  ]),
);

export const publishAgent = defineOperation({
  id: 'publishAgent',
  method: 'post',
  path: '/v1/developer/agents',
  tag,
  summary: 'Publish a version of an agent',
  description:
    'Stores the manifest for ever and submits the version for verification, unless `submit` is false (a draft). ' +
    'It goes live when verification passes. Needs the paid seller registration fee.',
  auth,
  roles,
  bodyLimitBytes: 12 * 1024 * 1024,
  body: strictObject({
    manifest: ManifestInput,
    bundle_base64: Type.Optional(
      Type.String({ minLength: 1, description: 'Source of the agent: gzipped tar, at most 8 MiB unpacked' }),
    ),
    submit: Type.Optional(Type.Boolean({ default: true, description: 'false: keep it as a draft' })),
  }),
  responses: { 201: Published },
  errors: [
    'registration_required',
    'slug_taken',
    'version_not_higher',
    'invalid_state',
    'unsafe_url',
    'unsafe_schema',
  ],
  examples: { request: { manifest: exampleManifest }, response: examplePublished },
});

export const listOwnAgents = defineOperation({
  id: 'listOwnAgents',
  method: 'get',
  path: '/v1/developer/agents',
  tag,
  summary: 'Your agents',
  auth,
  roles,
  query: strictObject(pageQuery),
  responses: { 200: page(OwnAgent) },
});

export const getOwnAgent = defineOperation({
  id: 'getOwnAgent',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}',
  tag,
  summary: 'One of your agents, with endpoint and signing secret',
  description:
    'The manifest, or the registration of a self-hosted agent, is that of the serving version, or of the latest when ' +
    'none serves yet.',
  auth,
  roles,
  params,
  responses: { 200: OwnAgentDetail },
  errors: ['not_found'],
});

export const listOwnVersions = defineOperation({
  id: 'listOwnVersions',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/versions',
  tag,
  summary: 'All versions of one of your agents, highest first',
  auth,
  roles,
  params,
  query: strictObject(pageQuery),
  responses: { 200: page(AgentVersion) },
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
  params: strictObject({ agent_id: AgentId, version: VersionNumber }),
  responses: { 202: Published },
  errors: ['not_found', 'invalid_state', 'registration_required'],
});

export const retireAgent = defineOperation({
  id: 'retireAgent',
  method: 'post',
  path: '/v1/developer/agents/{agent_id}/retire',
  tag,
  summary: 'Take one of your agents out of service for good',
  description: 'Calls that run end as usual; new ones are 404. Its name and versions stay taken.',
  auth,
  roles,
  params,
  responses: { 200: OwnAgent },
  errors: ['not_found', 'invalid_state'],
});

export const reverifyAgent = defineOperation({
  id: 'reverifyAgent',
  method: 'post',
  path: '/v1/developer/agents/{agent_id}/reverify',
  tag,
  summary: 'Ask for another verification',
  description: 'Of the version that waits or was rejected last, else of the serving one.',
  auth,
  roles,
  params,
  responses: { 202: Published },
  errors: ['not_found', 'invalid_state'],
});

export const getVisibility = defineOperation({
  id: 'getVisibility',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/visibility',
  tag,
  summary: 'Whether search finds one of your agents, and every reason why not',
  auth,
  roles,
  params,
  responses: {
    200: strictObject({
      listed: Type.Boolean(),
      reasons: Type.Array(
        strictObject({
          code: Type.String({ examples: ['not_verified', 'critical_finding'] }),
          message: Type.String(),
          since: Timestamp,
          deadline: Type.Optional(Timestamp),
        }),
      ),
    }),
  },
  errors: ['not_found'],
});

export const publishingOperations = [
  publishAgent,
  listOwnAgents,
  getOwnAgent,
  listOwnVersions,
  submitVersion,
  retireAgent,
  reverifyAgent,
  getVisibility,
] as const;
