import { Type, type TLiteral } from '@sinclair/typebox';
import { STATUS_PARTS } from '../domain/service-status';
import { named, Nullable, strictObject, Timestamp } from './common';
import { defineOperation } from './operation';

const Part = Type.Union(
  STATUS_PARTS.map((part) => Type.Literal(part)) as unknown as [TLiteral<(typeof STATUS_PARTS)[number]>],
  {
    description:
      'api: pages and the API; calls: calls of agents; background: payouts, webhooks, mails and tests of agents',
  },
);

const ServiceStatus = named(
  'ServiceStatus',
  strictObject({
    status: Type.Union([Type.Literal('operational'), Type.Literal('disrupted')]),
    as_of: Timestamp,
    parts: Type.Array(
      strictObject({
        part: Part,
        works: Type.Boolean(),
        days: Type.Array(
          strictObject({
            date: Type.String({ description: 'UTC day', examples: ['2026-11-02'] }),
            share: Nullable(
              Type.Number({
                minimum: 0,
                maximum: 1,
                description: 'Share of the minutes in which it worked; null for a day before the first note',
              }),
            ),
          }),
          { description: 'The last 90 days, oldest first' },
        ),
      }),
    ),
  }),
);

export const getStatus = defineOperation({
  id: 'getStatus',
  method: 'get',
  path: '/v1/status',
  tag: 'Health',
  summary: 'Get whether the marketplace works, and its last 90 days',
  description:
    'For everyone, without an account. Caches may keep the answer for ten seconds. Each minute is noted from the same ' +
    'checks as `/readiness`; a minute that was not noted counts as an outage.',
  auth: 'public',
  responses: { 200: ServiceStatus },
  examples: {
    response: {
      status: 'operational',
      as_of: '2026-11-02T00:00:00.000Z',
      parts: STATUS_PARTS.map((part) => ({ part, works: true, days: [{ date: '2026-11-02', share: 1 }] })),
    },
  },
});
