import { Type } from '@sinclair/typebox';
import { named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';
import { WhyIfAny } from './operators';

const auth = { scope: 'agents:read', publicReads: true } as const;
const tag = 'Trust';
const params = strictObject({ version: text({ maxLength: 9, pattern: '^[0-9]{4}\\.[1-9][0-9]{0,3}$' }) });
const Document = named(
  'RubricDocument',
  Type.Object({}, { additionalProperties: true, description: 'Points, severities, thresholds and texts' }),
);

const rubricFields = {
  version: Type.String({ examples: ['2026.1'] }),
  status: Type.Unsafe<'announced' | 'rolling_out' | 'in_effect' | 'withdrawn'>({
    type: 'string',
    enum: ['announced', 'rolling_out', 'in_effect', 'withdrawn'],
    description:
      'rolling_out: new runs use it, and every agent runs again within 30 days; in_effect: every agent has. When ' +
      'several are in effect, the newest is used',
  }),
  changelog: Type.String(),
  rfc_url: Nullable(Type.String({ description: 'Where the change is discussed until `comment_ends_at`' })),
  weights_changed: Type.Boolean({
    description: 'True when it can change scores; its comment period is then at least 30 days',
  }),
  published_at: Timestamp,
  comment_ends_at: Timestamp,
  effective_at: Nullable(Timestamp),
};
const Rubric = named('Rubric', strictObject(rubricFields));
const RubricDetail = named('RubricDetail', strictObject({ ...rubricFields, document: Document }));

export const listRubrics = defineOperation({
  id: 'listRubrics',
  method: 'get',
  path: '/v1/rubrics',
  tag,
  summary: 'List rubrics with their changelog, newest first',
  auth,
  query: strictObject(pageQuery),
  responses: { 200: page(Rubric) },
});

export const getRubric = defineOperation({
  id: 'getRubric',
  method: 'get',
  path: '/v1/rubrics/{version}',
  tag,
  summary: 'Get a rubric with its document',
  auth,
  params,
  responses: { 200: RubricDetail },
  errors: ['not_found'],
});

export const publishRubric = defineOperation({
  id: 'publishRubric',
  method: 'post',
  path: '/v1/operator/rubrics',
  tag,
  summary: 'Announce a rubric',
  description:
    'The rubric takes effect at the end of its comment period. The period is at least 30 days, whatever ' +
    '`comment_days` says, when anything except texts differs from the rubric in effect. All agents are ' +
    'then verified again within 30 days. Every developer gets a notice and the event `rubric.announced`.',
  auth: 'session',
  roles: ['operator'],
  body: strictObject({
    document: Document,
    changelog: text({ minLength: 1, maxLength: 10_000 }),
    rfc_url: Type.Optional(
      text({
        maxLength: 2_000,
        pattern: '^https://[A-Za-z0-9\\[][A-Za-z0-9.:\\]-]*([/?#][\\x21-\\x7e]*)?$',
        description:
          'Where the change is discussed: the request for comments. Required when anything except texts differs from the rubric in effect.',
      }),
    ),
    comment_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 365, default: 30 })),
  }),
  responses: { 201: RubricDetail },
  errors: ['invalid_state'],
});

export const withdrawRubric = defineOperation({
  id: 'withdrawRubric',
  method: 'post',
  path: '/v1/operator/rubrics/{version}/withdraw',
  tag,
  summary: 'Withdraw an announced rubric',
  auth: 'session',
  roles: ['operator'],
  params,
  body: WhyIfAny,
  responses: { 200: RubricDetail },
  errors: ['not_found', 'invalid_state'],
});

export const rubricOperations = [listRubrics, getRubric, publishRubric, withdrawRubric];
