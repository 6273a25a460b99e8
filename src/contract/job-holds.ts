import { Type } from '@sinclair/typebox';
import { Credits, named, strictObject, Timestamp } from './common';

export const JobWait = Type.Unsafe<'agent' | 'buyer' | 'settlement'>({
  type: 'string',
  enum: ['agent', 'buyer', 'settlement'],
  description:
    '`agent`: for its answer; `buyer`: for your answer to its question; `settlement`: it has answered, and the charge is being settled',
});

export const JobHold = named(
  'JobHold',
  strictObject({
    invocation_id: Type.String(),
    agent_id: Type.String(),
    credits: Credits,
    held_at: Timestamp,
    ends_at: Type.String({
      format: 'date-time',
      description:
        'Until when it waits for the answer of the agent, or for yours to its question; without one, the credits come back',
    }),
    waits_for: JobWait,
  }),
);
