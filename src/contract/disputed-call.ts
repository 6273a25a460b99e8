import { Type } from '@sinclair/typebox';
import { Credits, named, Nullable, strictObject, Timestamp, TruncatedBy } from './common';
import { AnsweredQuestions } from './evidence';

const Size = Nullable(Type.Integer({ minimum: 0 }));

export const Attachments = named(
  'DisputeAttachments',
  strictObject(
    {
      input: Type.Optional(Type.Unknown({ description: 'The input of the call' })),
      output: Type.Optional(Type.Unknown({ description: 'The output of the call' })),
    },
    {
      description:
        'What the buyer attached for the developer and the operator, at most 256 KiB each: JSON, or text where it was no JSON. Its SHA-256 is the one that the call recorded',
    },
  ),
);

/** Facts about the call, for both sides. Its input and output are shown only when the buyer attaches them. */
export const DisputedCall = named(
  'DisputedCall',
  strictObject(
    {
      version: Type.String(),
      surface: Type.String(),
      invoked_at: Timestamp,
      settled_at: Nullable(Timestamp),
      duration_ms: Size,
      tokens_in: Size,
      tokens_out: Size,
      input_sha256: Type.String(),
      output_sha256: Nullable(Type.String()),
      answers: Type.Optional(AnsweredQuestions),
      input_bytes: Size,
      output_bytes: Size,
      schema_valid: Nullable(Type.Boolean()),
      truncated_by: Nullable(TruncatedBy),
      credits_charged: Credits,
    },
    { description: 'Facts about the call; its input and output are shown only in `attachments`' },
  ),
);
