import { Type } from '@sinclair/typebox';
import { DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS } from '../domain/webhooks/webhook';
import { AgentId, named, Nullable, page, pageQuery, strictObject, Timestamp } from './common';
import { Manifest } from './manifest';
import { issueLocalCertificate } from './local-certificates';
import { defineOperation } from './operation';
import { OwnRun } from './own-run';
import {
  AgentVersion,
  deleteDraft,
  getOwnVersion,
  listOwnVersions,
  Published,
  submitVersion,
} from './publishing-versions';
import { Ownership } from './endpoint-ownership';
import { RegistrationView } from './registrations';
import { AgentVisibility, visibilityOperations } from './visibility';

const AgentKind = named(
  'AgentKind',
  Type.Unsafe<'manifest' | 'http' | 'mcp' | 'a2a'>({
    type: 'string',
    enum: ['manifest', 'http', 'mcp', 'a2a'],
    description: '`manifest`: published with a manifest; `http`, `mcp` and `a2a`: registered by endpoint',
  }),
);
const AgentStatus = named(
  'AgentStatus',
  Type.Union([Type.Literal('active'), Type.Literal('suspended'), Type.Literal('retired')]),
);

const auth = { scope: 'agents:publish' } as const;
const roles = ['developer'] as const;
const tag = 'Publishing';
const params = strictObject({ agent_id: AgentId });

const ownAgentFields = {
  agent_id: AgentId,
  slug: Type.String(),
  kind: AgentKind,
  status: AgentStatus,
  display_name: Type.String(),
  serving_version: Nullable(Type.String()),
  latest_version: AgentVersion,
  listed: Type.Boolean(),
  visibility: AgentVisibility,
  upstream_auth_set: Type.Boolean({ description: 'Whether an upstream credential is stored' }),
  badge: Nullable(Type.String()),
  trust_score: Nullable(Type.Integer()),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const OwnAgent = named('OwnAgent', strictObject(ownAgentFields));
const OwnAgentDetail = named(
  'OwnAgentDetail',
  strictObject({
    ...ownAgentFields,
    signing_secret: Type.String({
      description: 'Standard Webhooks secret (whsec_…) that signs calls to this agent',
    }),
    previous_secret_expires_at: Nullable(Timestamp),
    manifest: Nullable(Manifest),
    registration: Nullable(RegistrationView),
    ownership: Nullable(Ownership),
    latest_run: Nullable(OwnRun),
  }),
);

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
 * The service validates the manifest, not the request validator, so that one 422 names every invalid field: of the
 * document, across fields, in the endpoint's address and in the two schemas.
 */
const ManifestInput = Type.Unsafe<Record<string, unknown>>(
  Type.Union([
    Manifest,
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Any other object: refused with 422',
      },
    ),
  ]),
);

export const publishAgent = defineOperation({
  id: 'publishAgent',
  method: 'post',
  path: '/v1/developer/agents',
  tag,
  summary: 'Publish a version of an agent',
  description:
    'Stores the manifest permanently and submits the version for verification; with `submit: false` the ' +
    'version stays a draft. A version goes live when it passes verification. It replaces a version of the same number ' +
    'that never went live; this is also how a draft is edited. A lower major takes new versions while one of its ' +
    'versions serves. Requires the paid seller registration fee.',
  auth,
  roles,
  bodyLimitBytes: 12 * 1024 * 1024,
  body: strictObject({
    manifest: ManifestInput,
    bundle_base64: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Source bundle of the agent: gzipped tar, at most 8 MiB unpacked',
      }),
    ),
    submit: Type.Optional(Type.Boolean({ default: true, description: 'false keeps the version as a draft' })),
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
  summary: 'List your agents',
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
  summary: 'Get one of your agents, with endpoint and signing secret',
  description:
    '`manifest`, or `registration` for a self-hosted agent, is that of the serving version, or of the ' +
    'latest version when none serves yet.',
  auth,
  roles,
  params,
  responses: { 200: OwnAgentDetail },
  errors: ['not_found'],
});

export const retireAgent = defineOperation({
  id: 'retireAgent',
  method: 'post',
  path: '/v1/developer/agents/{agent_id}/retire',
  tag,
  summary: 'Retire one of your agents permanently',
  description:
    'Calls in progress are not affected; new calls are refused with 404. The name and the version numbers cannot be reused.',
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
  summary: 'Request another verification',
  description:
    'Verifies the version that is waiting or was rejected last; otherwise the serving version. At most once an hour for an agent (429 with Retry-After), and not while a verification goes on (409).',
  auth,
  roles,
  params,
  responses: { 202: Published },
  errors: ['not_found', 'invalid_state'],
});

export const rotateSigningSecret = defineOperation({
  id: 'rotateSigningSecret',
  method: 'post',
  path: '/v1/developer/agents/{agent_id}/rotate-signing-secret',
  tag,
  summary: 'Rotate the secret that signs the calls to one of your agents',
  description:
    'For `grace_seconds`, every call carries two signatures, by the new and by the previous secret, so that a running agent ' +
    'can change secrets without refusing calls. With 0, the previous secret stops signing. Calls are signed by the new secret ' +
    'after 30 seconds at the latest. A proof of ownership stays valid.',
  auth,
  roles,
  params,
  body: strictObject({
    grace_seconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_GRACE_SECONDS, default: DEFAULT_GRACE_SECONDS }),
    ),
  }),
  responses: {
    200: strictObject({
      signing_secret: Type.String(),
      previous_secret_expires_at: Nullable(Timestamp),
    }),
  },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { grace_seconds: 3_600 } },
});

export const publishingOperations = [
  publishAgent,
  listOwnAgents,
  getOwnAgent,
  listOwnVersions,
  getOwnVersion,
  submitVersion,
  deleteDraft,
  retireAgent,
  reverifyAgent,
  rotateSigningSecret,
  ...visibilityOperations,
  issueLocalCertificate,
] as const;
