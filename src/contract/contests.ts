import { Type } from '@sinclair/typebox';
import { CONTEST_STATUSES, type ContestStatus, WAIVER_DAYS } from '../domain/verification/contest';
import type { FindingStatus } from '../domain/verification/finding';
import { type Severity, SEVERITIES } from '../domain/verification/trust';
import { AgentId, named, Nullable, page, pageQuery, strictObject, text, Timestamp, enumOf } from './common';
import { defineOperation } from './operation';
import { FINDING_STATUSES, OwnFinding } from './trust';

const tag = 'Trust';
const operator = { auth: 'session', roles: ['operator'] } as const;
const FindingId = text({ maxLength: 40, pattern: '^fnd_[0-9a-f]{32}$' });
const ContestId = text({ maxLength: 40, pattern: '^fct_[0-9a-f]{32}$' });
const WaiverId = text({ maxLength: 40, pattern: '^fwv_[0-9a-f]{32}$' });
/** Text that people write about a finding; not blank. */
const Prose = (description: string) => text({ minLength: 1, maxLength: 4_000, pattern: '\\S', description });
const Days = Type.Optional(
  Type.Integer({
    minimum: WAIVER_DAYS.least,
    maximum: WAIVER_DAYS.most,
    default: WAIVER_DAYS.usual,
    description: 'How long the waiver holds',
  }),
);

const ids = {
  finding_id: 'fnd_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  contest_id: 'fct_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  waiver_id: 'fwv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
};
const about = {
  severity: enumOf<Severity>(SEVERITIES),
  category: Type.String(),
  description: Type.String(),
};

const Contest = strictObject({
  contest_id: ContestId,
  agent_id: AgentId,
  finding_id: FindingId,
  developer_user_id: Type.String(),
  ...about,
  finding_status: enumOf<FindingStatus>(FINDING_STATUSES),
  status: enumOf<ContestStatus>(
    CONTEST_STATUSES,
    'open: waiting for an operator; accepted: the finding is waived; refused: it counts',
  ),
  statement: Type.String(),
  opened_at: Timestamp,
  decided_at: Nullable(Timestamp),
  decision_reason: Nullable(Type.String()),
  waiver_id: Nullable(Type.String()),
});

const OperatorContest = strictObject({
  ...Contest.properties,
  decided_by: Nullable(Type.String({ description: 'User id of the operator' })),
});

const Waiver = named(
  'Waiver',
  strictObject({
    waiver_id: WaiverId,
    agent_id: AgentId,
    finding_id: FindingId,
    ...about,
    reason: Type.String(),
    granted_by: Type.String({ description: 'User id of the operator' }),
    granted_at: Timestamp,
    expires_at: Timestamp,
    ended_at: Nullable(Timestamp),
    ended_by: Nullable(Type.String({ description: 'Null if the waiver expired' })),
    end_reason: Nullable(Type.String()),
  }),
);

const finding = {
  severity: 'high',
  category: 'malicious-code',
  description: 'index.js, line 3: the code decodes a text and runs it (1 in index.js:3).',
};
const contestExample = {
  contest_id: ids.contest_id,
  agent_id: 'agt_csv_profiler_v1',
  finding_id: ids.finding_id,
  developer_user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  ...finding,
  finding_status: 'open',
  status: 'open',
  statement: 'The text is a regular expression that the build encodes; build.js makes it.',
  opened_at: '2026-11-02T00:00:00.000Z',
  decided_at: null,
  decision_reason: null,
  waiver_id: null,
};
const waiverExample = {
  waiver_id: ids.waiver_id,
  agent_id: contestExample.agent_id,
  finding_id: ids.finding_id,
  ...finding,
  reason: 'The decoded text is a regular expression.',
  granted_by: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  granted_at: '2026-11-03T00:00:00.000Z',
  expires_at: '2027-05-02T00:00:00.000Z',
  ended_at: null,
  ended_by: null,
  end_reason: null,
};

export const contestFinding = defineOperation({
  id: 'contestFinding',
  method: 'post',
  path: '/v1/developer/agents/{agent_id}/findings/{finding_id}/contest',
  tag,
  summary: 'Contest a finding',
  description:
    'The contest waits for an operator, who waives the finding or refuses with a reason; you get a notice ' +
    'and an event (`finding.waived`, `finding.contest_refused`). Until then the finding counts. A finding ' +
    'can be contested 3 times, one contest at a time.',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  params: strictObject({ agent_id: AgentId, finding_id: FindingId }),
  body: strictObject({ statement: Prose('Why the finding is wrong or does no harm; operators read it') }),
  responses: { 201: Contest },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { statement: contestExample.statement }, response: contestExample },
});

export const listContests = defineOperation({
  id: 'listContests',
  method: 'get',
  path: '/v1/operator/contests',
  tag,
  summary: 'List contests of findings, newest first',
  description: 'Without `status`, lists contests that wait for a decision.',
  ...operator,
  query: strictObject({ ...pageQuery, status: Type.Optional(enumOf<ContestStatus>(CONTEST_STATUSES)) }),
  responses: { 200: page(OperatorContest) },
});

export const getContest = defineOperation({
  id: 'getContest',
  method: 'get',
  path: '/v1/operator/contests/{contest_id}',
  tag,
  summary: 'Get a contest of a finding',
  ...operator,
  params: strictObject({ contest_id: ContestId }),
  responses: { 200: OperatorContest },
  errors: ['not_found'],
});

export const resolveContest = defineOperation({
  id: 'resolveContest',
  method: 'post',
  path: '/v1/operator/contests/{contest_id}/resolve',
  tag,
  summary: 'Decide a contest of a finding',
  description:
    '`accepted` waives the finding for `waiver_days`, and a new verification begins. `refused` leaves it as it ' +
    'is. The owner gets the reason; with `accepted`, the trust report shows it to everybody.',
  ...operator,
  params: strictObject({ contest_id: ContestId }),
  body: strictObject({
    decision: enumOf<'accepted' | 'refused'>(['accepted', 'refused']),
    reason: Prose('For the owner, the audit log and, with `accepted`, the trust report'),
    waiver_days: Days,
  }),
  responses: { 200: OperatorContest },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { decision: 'accepted', reason: waiverExample.reason, waiver_days: 180 } },
});

export const listAgentFindings = defineOperation({
  id: 'listAgentFindings',
  method: 'get',
  path: '/v1/operator/agents/{agent_id}/findings',
  tag,
  summary: 'List the findings of any agent, newest first',
  ...operator,
  params: strictObject({ agent_id: AgentId }),
  query: strictObject({ ...pageQuery, status: Type.Optional(enumOf<FindingStatus>(FINDING_STATUSES)) }),
  responses: { 200: page(OwnFinding) },
  errors: ['not_found'],
});

export const waiveFinding = defineOperation({
  id: 'waiveFinding',
  method: 'post',
  path: '/v1/operator/agents/{agent_id}/findings/{finding_id}/waive',
  tag,
  summary: 'Waive a finding',
  description:
    'Until the waiver expires, the finding costs no points, does not limit the badge and does not reject a ' +
    'version. The waiver covers exactly what was found: another value, place or advisory is another ' +
    'finding. A new verification begins; a rejected version is verified again. Trust reports show the ' +
    'finding with the reason. An open contest of the finding is accepted.',
  ...operator,
  params: strictObject({ agent_id: AgentId, finding_id: FindingId }),
  body: strictObject({ reason: Prose('For the trust report and the audit log'), waiver_days: Days }),
  responses: { 201: Waiver },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { reason: waiverExample.reason, waiver_days: 180 }, response: waiverExample },
});

export const listWaivers = defineOperation({
  id: 'listWaivers',
  method: 'get',
  path: '/v1/operator/waivers',
  tag,
  summary: 'List waivers of findings, newest first',
  ...operator,
  query: strictObject({
    ...pageQuery,
    agent_id: Type.Optional(AgentId),
    holding: Type.Optional(
      enumOf(['true', 'false'], '`true`: only waivers that hold; `false`: only those that ended'),
    ),
  }),
  responses: { 200: page(Waiver) },
});

export const revokeWaiver = defineOperation({
  id: 'revokeWaiver',
  method: 'post',
  path: '/v1/operator/waivers/{waiver_id}/revoke',
  tag,
  summary: 'End a waiver before it expires',
  description: 'The finding counts from the next verification on, which begins at once.',
  ...operator,
  params: strictObject({ waiver_id: WaiverId }),
  body: strictObject({ reason: Prose('For the owner and the audit log') }),
  responses: { 200: Waiver },
  errors: ['not_found', 'invalid_state'],
  examples: { request: { reason: 'The package is malicious after all.' } },
});

export const contestOperations = [
  contestFinding,
  listContests,
  getContest,
  resolveContest,
  listAgentFindings,
  waiveFinding,
  listWaivers,
  revokeWaiver,
];
