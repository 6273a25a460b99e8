import { Type } from '@sinclair/typebox';
import { named, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

export const DeveloperId = named(
  'DeveloperId',
  text({
    maxLength: 96,
    pattern: '^dev_[a-z0-9]+(-[a-z0-9]+)*$',
    description: 'A developer, such as `dev_ada-lovelace`',
  }),
);

const Count = Type.Integer({ minimum: 0 });

export const getDeveloper = defineOperation({
  id: 'getDeveloper',
  method: 'get',
  path: '/v1/developers/{developer_id}',
  tag: 'Listings',
  summary: 'Get a developer as buyers see them',
  description:
    'Of developers who have an agent that can be called. `GET /v1/listings?developer_id=` lists the agents.',
  auth: { scope: 'agents:read', publicReads: true },
  params: strictObject({ developer_id: DeveloperId }),
  responses: {
    200: named(
      'Developer',
      strictObject({
        developer_id: Type.String(),
        display_name: Type.String(),
        since: Timestamp,
        listed_agents: Count,
        disputes: strictObject(
          {
            answered: Count,
            unanswered: Type.Integer({ minimum: 0, description: 'Refunded because no answer came in time' }),
          },
          { description: 'Disputed successes of the last 365 days, at most the newest 1,000 disputes' },
        ),
      }),
    ),
  },
  errors: ['not_found'],
  examples: {
    response: {
      developer_id: 'dev_ada-lovelace',
      display_name: 'Ada Lovelace',
      since: '2026-11-02T00:00:00.000Z',
      listed_agents: 2,
      disputes: { answered: 3, unanswered: 0 },
    },
  },
});
