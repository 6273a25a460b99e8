import { Type } from '@sinclair/typebox';
import type { ScoreStepKind } from '../domain/verification/score-steps';
import { BADGES, STAGES, type Badge, type Stage } from '../domain/verification/trust';
import { AgentId, Credits, named, Nullable, strictObject, enumOf } from './common';
import { defineOperation } from './operation';
import { BadgeName } from './trust';

const Score = Type.Integer({ minimum: 0, maximum: 100 });
const KINDS = ['finding', 'gap', 'unearned'] as const satisfies readonly ScoreStepKind[];

export const getOwnScore = defineOperation({
  id: 'getOwnScore',
  method: 'get',
  path: '/v1/developer/agents/{agent_id}/score',
  tag: 'Trust',
  summary: 'Get the score of one of your agents, and what would raise it',
  description:
    'Of the version that serves, else of the newest one. `steps` are what took points from the newest report, the most ' +
    'points first; `scale` says what each badge needs and what the agent lacks. A badge needs the score, no critical ' +
    'finding and the bond; a high finding limits it to Basic.',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  params: strictObject({ agent_id: AgentId }),
  responses: {
    200: named(
      'OwnScore',
      strictObject({
        version: Nullable(Type.String()),
        score: Nullable(Score),
        badge: Nullable(BadgeName),
        earned_badge: Type.Union([enumOf<Badge>(BADGES), Type.Null()], {
          description: 'The badge by score and findings alone; the bond may limit what buyers see',
        }),
        bond_credits: Credits,
        scale: Type.Array(
          strictObject({
            badge: enumOf<Badge>(BADGES),
            least_score: Score,
            least_bond_credits: Credits,
            missing_score: Score,
            missing_bond_credits: Credits,
          }),
        ),
        steps: Type.Array(
          strictObject({
            kind: enumOf<ScoreStepKind>(
              KINDS,
              'finding: it takes points or limits the badge; gap: it could not be examined; unearned: probes were not answered correctly at the first try',
            ),
            stage: Nullable(enumOf<Stage>(STAGES)),
            points: Type.Number({ minimum: 0, description: 'What the step can bring' }),
            what: Type.String(),
            remedy: Type.String(),
            finding_id: Nullable(Type.String()),
          }),
        ),
      }),
    ),
  },
  errors: ['not_found'],
});
