import { Type } from '@sinclair/typebox';
import { named, strictObject, Timestamp } from './common';

/** The schema of a question: an object of plain fields (docs/jobs.md#ask). */
export const QuestionSchema = named(
  'QuestionSchema',
  Type.Object(
    {
      type: Type.Literal('object'),
      properties: Type.Record(
        Type.String(),
        Type.Object(
          {
            type: Type.Union([
              Type.Literal('string'),
              Type.Literal('number'),
              Type.Literal('integer'),
              Type.Literal('boolean'),
            ]),
            title: Type.Optional(Type.String()),
            description: Type.Optional(Type.String()),
          },
          { additionalProperties: true, description: 'A field: a text, a number or a truth value' },
        ),
      ),
      required: Type.Optional(Type.Array(Type.String())),
    },
    { additionalProperties: true, description: 'A flat JSON Schema, as for elicitation in MCP' },
  ),
);

/** A question that waits for the buyer. */
export const Question = named(
  'Question',
  strictObject({
    question_id: Type.String(),
    prompt: Type.String({ description: 'What the agent asks: untrusted text' }),
    schema: QuestionSchema,
    asked_at: Timestamp,
    expires_at: Type.String({
      format: 'date-time',
      description: 'Without an answer by then, the call is canceled and refunded',
    }),
  }),
);
