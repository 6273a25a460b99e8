import { Type } from '@sinclair/typebox';
import { Credits, named, Nullable, strictObject, Timestamp } from './common';
import { JobDurations, NO_JOBS } from './job-durations';
import { defineOperation } from './operation';

const Count = Type.Integer({ minimum: 0 });

const sums = {
  calls: Type.Integer({ description: 'Calls that ended' }),
  failed: Type.Integer(),
  agent_errors: Type.Integer({ description: 'Failures that count against agents' }),
  p95_ms: Nullable(
    Type.Integer({ description: '95% of the successes were as fast as this, or faster; without jobs' }),
  ),
  jobs: JobDurations,
  volume_credits: Type.Number({
    description: 'What calls were charged, also where the charge was given back',
  }),
  fees_credits: Credits,
  refunded_credits: Type.Number({ description: 'What disputes gave back' }),
  new_accounts: Type.Integer({ minimum: 0, maximum: 10_000, description: 'Counted up to 10,000' }),
};
const part = { calls: Type.Integer(), failed: Type.Integer(), volume_credits: Credits };

const Figures = named(
  'MarketFigures',
  strictObject({
    as_of: Timestamp,
    last_hour: strictObject({
      ...sums,
      minutes: Type.Array(strictObject({ at: Timestamp, ...part }), {
        description: 'Minutes in which calls ended, in order',
      }),
    }),
    last_30_days: strictObject({
      ...sums,
      days: Type.Array(strictObject({ date: Type.String({ examples: ['2026-11-02'] }), ...part }), {
        description: 'UTC days with calls, in order',
      }),
    }),
    open_calls: Count,
  }),
);

const nothing = {
  calls: 0,
  failed: 0,
  agent_errors: 0,
  p95_ms: null,
  jobs: NO_JOBS,
  volume_credits: 0,
  fees_credits: 0,
  refunded_credits: 0,
  new_accounts: 0,
};

export const getMarketFigures = defineOperation({
  id: 'getMarketFigures',
  method: 'get',
  path: '/v1/operator/figures',
  tag: 'Operators',
  summary: 'Get the figures of the marketplace: of the last hour by minute, of 30 days by day',
  description:
    'Calls, errors, durations and money. A call of the last hour counts in the minute in which its end was counted, ' +
    'which is a second or two after it ended; a call of a day counts in the UTC day in which it was accepted.',
  auth: 'session',
  roles: ['operator'],
  responses: { 200: Figures },
  examples: {
    response: {
      as_of: '2026-11-02T00:00:00.000Z',
      last_hour: { ...nothing, minutes: [] },
      last_30_days: { ...nothing, days: [] },
      open_calls: 0,
    },
  },
});
