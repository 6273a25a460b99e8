import { Type } from '@sinclair/typebox';
import { CONTEST_STATUSES, type ContestStatus } from '../domain/verification/contest';
import { type FindingStatus } from '../domain/verification/finding';
import {
  type Badge,
  BADGES,
  type Severity,
  SEVERITIES,
  type Stage,
  STAGE_MAX,
  STAGES,
} from '../domain/verification/trust';
import { AgentId, enumOf, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { Examined } from './examined';
import { JobDurations } from './job-durations';
import { defineOperation } from './operation';
import { ToolTests } from './tool-tests';

const auth = { scope: 'agents:read', publicReads: true } as const;
const own = { scope: 'agents:publish' } as const;
const tag = 'Trust';
const params = strictObject({ agent_id: AgentId });

export const FINDING_STATUSES = [
  'open',
  'acknowledged',
  'resolved',
] as const satisfies readonly FindingStatus[];

export const BadgeName = named('TrustBadge', enumOf<Badge>(BADGES));
const Milliseconds = Type.Integer({ minimum: 0 });
const Share = Type.Number({ minimum: 0, maximum: 1 });

const findingFields = {
  finding_id: Type.String({ examples: ['fnd_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
  severity: enumOf<Severity>(SEVERITIES),
  category: Type.String({ examples: ['dependency-pinning', 'secret-exposure'] }),
  description: Type.String(),
  risk: Type.String({ description: 'What the finding can mean for a buyer' }),
  remediation: Type.String(),
  file: Nullable(Type.String({ description: 'Path in the bundle', examples: ['src/config.js'] })),
  line: Nullable(Type.Integer({ minimum: 0 })),
  invocation_id: Nullable(
    Type.String({ description: "The probe that shows it; the agent's own log has the same id" }),
  ),
  points_lost: Type.Number({
    minimum: 0,
    description: 'Points that the finding took from its stage; 0 if it is waived',
  }),
  waiver: Nullable(
    strictObject(
      { reason: Type.String(), expires_at: Timestamp },
      { description: 'An operator has decided that the finding costs nothing until then' },
    ),
  ),
  status: enumOf<FindingStatus>(
    FINDING_STATUSES,
    'A finding is resolved only by a run that no longer detects it',
  ),
  stage: enumOf<Stage>(STAGES),
  first_seen_at: Timestamp,
};
export const Finding = named('Finding', strictObject(findingFields));

const stage = (max: number) =>
  strictObject({
    score: Type.Integer({ minimum: 0, maximum: max }),
    max: Type.Literal(max),
    coverage: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Share of the stage's checks that could be inspected; the rest earns no points",
    }),
    not_looked_at: Type.Array(
      named(
        'UninspectedCheck',
        strictObject({ check: Type.String(), coverage: Share, reasons: Type.Array(Type.String()) }),
      ),
    ),
    findings: Type.Array(Finding),
  });

const CodeStage = named('CodeStage', stage(STAGE_MAX.static_analysis));

const AuditResult = named('AuditResult', enumOf(['consistent', 'contradicted', 'not_audited']));
const NotAudited = Type.Literal('not_audited');

export const TrustReport = named(
  'TrustReport',
  strictObject({
    agent_id: AgentId,
    version: Type.String(),
    run_id: Type.String({ examples: ['ver_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    badge: Nullable(BadgeName),
    rubric_version: Type.String({ examples: ['2026.2'] }),
    verified_at: Timestamp,
    stages: strictObject({
      static_analysis: CodeStage,
      supply_chain: CodeStage,
      dynamic_testing: stage(STAGE_MAX.dynamic_testing),
      red_team: stage(STAGE_MAX.red_team),
    }),
    examined: Nullable(Examined),
    ceiling: strictObject(
      {
        score: Type.Integer({ minimum: 0, maximum: 100 }),
        badge: Nullable(BadgeName),
        reasons: Type.Array(
          strictObject({
            code: Type.String({ examples: ['no_bundle', 'no_lockfile', 'no_advisories'] }),
            points: Type.Number({ minimum: 0 }),
            why: Type.String(),
            remedy: Type.String(),
          }),
        ),
      },
      {
        description:
          'The score without any finding: what was not examined earns no points. Reasons, most points first',
      },
    ),
    advisories: Type.Array(strictObject({ ecosystem: enumOf(['npm', 'PyPI']), date: Timestamp }), {
      description: 'Until when the advisories reach that the run used; none for an ecosystem without data',
    }),
    summary: Type.String(),
    next_verification: Timestamp,
    data_handling: strictObject(
      {
        pii_processed: strictObject({ declared: Type.Boolean(), result: AuditResult }),
        subprocessors: strictObject({ declared: Type.Array(Type.String()), result: AuditResult }),
        residency: strictObject({ declared: Type.String(), result: NotAudited }),
        data_retention_days: strictObject({ declared: Type.Integer(), result: NotAudited }),
      },
      { description: 'Data-handling declarations, and whether observations contradict them' },
    ),
    latency: strictObject(
      {
        p50_ms: Nullable(Milliseconds),
        p95_ms: Nullable(Milliseconds),
        p99_ms: Nullable(Milliseconds),
        jobs: Nullable(JobDurations),
      },
      {
        description:
          'How long the agent took to answer the probes of the run, or to take them as jobs; null if it did neither',
      },
    ),
    tools: Nullable(ToolTests),
    declarations: Type.Array(
      strictObject({
        declaration: Type.String({ examples: ['capabilities.idempotent', 'data_handling.subprocessors'] }),
        contradicted_by: Type.Array(Type.String({ examples: ['fnd_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }), {
          description: 'The findings of this report that contradict it',
        }),
      }),
      { description: 'The declarations of the manifest that this run contradicts; empty if there is none' },
    ),
    serves: Type.Boolean({
      description: 'False for a rejected or superseded version, whose report only the owner sees',
    }),
    signature: Type.String({
      description:
        'Compact JWS (ES256). Its payload is the canonical JSON of the other members. Its protected header ' +
        'names the key (a `kid` of /.well-known/jwks.json), the `agent_id` and `typ` `trust-report+jws`',
    }),
  }),
);

export const getTrustReport = defineOperation({
  id: 'getTrustReport',
  method: 'get',
  path: '/v1/agents/{agent_id}/trust-report',
  tag,
  summary: 'Get the trust report of an agent',
  description:
    'Returns the report of the latest run of the serving version. For an agent that has never served, its ' +
    'owner gets the latest report of any version. Missing evidence earns no points and is not a finding; ' +
    'each stage lists what is missing. Reports never contain red team prompts.',
  auth,
  params,
  responses: { 200: TrustReport },
  errors: ['not_found'],
});

export const listTrustReports = defineOperation({
  id: 'listTrustReports',
  method: 'get',
  path: '/v1/agents/{agent_id}/trust-reports',
  tag,
  summary: 'List all trust reports of an agent, newest first',
  description:
    'The owner also sees reports of versions that never served. Each report shows the badge of its time.',
  auth,
  params,
  query: strictObject(pageQuery),
  responses: { 200: page(TrustReport) },
  errors: ['not_found'],
});

export const getBadge = defineOperation({
  id: 'getBadge',
  method: 'get',
  path: '/v1/agents/{agent_id}/badge.svg',
  tag,
  summary: 'Get the badge of an agent as an image',
  auth: 'public',
  knowsCaller: true,
  params,
  responses: { 200: { mediaType: 'image/svg+xml', description: 'The current badge and score' } },
  errors: ['not_found'],
});

export const OwnFinding = named(
  'OwnFinding',
  strictObject({
    ...findingFields,
    serves: Type.Boolean({ description: 'False for a rejected version' }),
    contest: Nullable(
      strictObject(
        {
          contest_id: Type.String({ examples: ['fct_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
          status: enumOf<ContestStatus>(CONTEST_STATUSES),
          statement: Type.String(),
          opened_at: Timestamp,
          decided_at: Nullable(Timestamp),
          decision_reason: Nullable(Type.String()),
        },
        { description: 'The newest contest of the finding' },
      ),
    ),
  }),
);

export const listFindings = defineOperation({
  id: 'listFindings',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/findings',
  tag,
  summary: 'List the findings of one of your agents, newest first',
  auth: own,
  roles: ['developer'],
  params,
  query: strictObject({
    status: Type.Optional(enumOf<FindingStatus>(FINDING_STATUSES)),
    ...pageQuery,
  }),
  responses: { 200: page(OwnFinding) },
  errors: ['not_found'],
});

export const acknowledgeFinding = defineOperation({
  id: 'acknowledgeFinding',
  method: 'post',
  path: '/v1/developer/agents/{agent_id}/findings/{finding_id}/acknowledge',
  tag,
  summary: 'Acknowledge a finding',
  description:
    'Changes neither score nor badge. Only an open finding can be acknowledged. A run that no longer ' +
    'detects the finding resolves it; a later run that detects it again reopens it.',
  auth: own,
  roles: ['developer'],
  params: strictObject({
    agent_id: AgentId,
    finding_id: text({ maxLength: 40, pattern: '^fnd_[0-9a-f]{32}$' }),
  }),
  responses: { 200: OwnFinding },
  errors: ['not_found', 'invalid_state'],
});

export const followListings = defineOperation({
  id: 'followListings',
  method: 'get',
  path: '/v1/listings/events',
  tag: 'Listings',
  summary: 'Stream changes of badge, score and visibility',
  description:
    'Server-sent events; each `data:` is JSON `{type: "listing.changed", change_id, agent_id, slug, badge, ' +
    'trust_score, listed, at}`. `after` resumes after a `change_id`; without it, the stream starts at the ' +
    'present. A change can arrive twice and slightly out of order; deduplicate and order by `change_id`. A stream ends ' +
    'after 5 minutes, and when its key or session ends; connect again with `after`.',
  auth: { scope: 'agents:read' },
  query: strictObject({
    after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  }),
  responses: {
    200: { mediaType: 'text/event-stream', description: 'A stream of at most 5 minutes' },
  },
  errors: ['concurrency_limited'],
});

export const trustOperations = [
  getTrustReport,
  listTrustReports,
  getBadge,
  listFindings,
  acknowledgeFinding,
  followListings,
];
