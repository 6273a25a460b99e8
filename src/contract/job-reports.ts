import { Type } from '@sinclair/typebox';
import { Nullable, strictObject, Timestamp } from './common';
import { Question } from './questions';

/** How the agent of a job reports its work. */
export const Job = strictObject(
  {
    accepted_at: Timestamp,
    ends_at: Timestamp,
    heard_at: Timestamp,
    progress: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    message: Nullable(Type.String({ description: "The agent's own sentence about its progress" })),
  },
  { description: 'How the agent reports its work, if it has accepted the call as a job' },
);

export const JobOfCall = Type.Composite(
  [
    Job,
    strictObject({
      pieces: Type.Integer({
        minimum: 0,
        description: 'Pieces of the answer that the agent has called back',
      }),
      milestones: Type.Array(strictObject({ name: Type.String(), reached_at: Timestamp }), {
        description: 'The milestones that were reached, in their order',
      }),
      question: Nullable(Question),
    }),
  ],
  {
    additionalProperties: false,
    description: 'How the agent reports its work, if it has accepted the call as a job',
  },
);
