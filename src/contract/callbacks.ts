import { Type } from '@sinclair/typebox';
import { JOB_LIMITS } from '../domain/catalogue/capabilities';
import { MOST_PROMPT_CHARACTERS, QUESTION_ID_PATTERN } from '../domain/jobs/question';
import { named, strictObject, text } from './common';
import { QuestionSchema } from './questions';
import { defineOperation } from './operation';

/** The largest body: the largest answer of an agent, and the members around it. */
const MAX_CALLBACK_BYTES = 10 * 1024 * 1024 + 1024;
const Message = text({ maxLength: 300, description: 'A sentence about it' });

const Piece = Type.Unknown({ description: 'A part of the answer, any JSON of at most 64 KiB' });

/** What an agent may call back, by `type`. The handler validates a body by the schema of its type. */
export const CALLBACKS = {
  progress: named(
    'JobProgress',
    strictObject({
      type: Type.Literal('progress'),
      progress: Type.Number({ minimum: 0, maximum: 1, description: 'The part of the work that is done' }),
      message: Type.Optional(Message),
    }),
  ),
  piece: named('JobPiece', strictObject({ type: Type.Literal('piece'), piece: Piece })),
  milestone: named(
    'JobMilestone',
    strictObject({
      type: Type.Literal('milestone'),
      name: text({
        minLength: 1,
        maxLength: JOB_LIMITS.milestoneName,
        description: 'A name in `capabilities.jobs.milestones` of the version that was called',
      }),
      piece: Piece,
    }),
  ),
  answer: named(
    'JobAnswer',
    strictObject({
      type: Type.Literal('answer'),
      output: Type.Unknown({
        description: 'The answer: any JSON that the output schema of the agent accepts',
      }),
    }),
  ),
  failure: named(
    'JobFailure',
    strictObject({ type: Type.Literal('failure'), message: Type.Optional(Message) }),
  ),
} as const;

/** A question as an agent sends it; `src/domain/jobs/question.ts` checks it. */
const JobQuestionCallback = named(
  'JobQuestionCallback',
  strictObject({
    type: Type.Literal('question'),
    prompt: text({ minLength: 1, maxLength: MOST_PROMPT_CHARACTERS, description: 'What the buyer is asked' }),
    schema: QuestionSchema,
    answer_url: Type.Optional(
      text({
        maxLength: 2_000,
        description:
          'Where the answer is sent; an address of the origin of the endpoint. Default: the `Location` of the 202, or the address of the call',
      }),
    ),
    question_id: Type.Optional(
      text({
        maxLength: 64,
        pattern: QUESTION_ID_PATTERN,
        description: 'An id of the agent, which stays the same when the question is asked again',
      }),
    ),
  }),
);

const JobCallback = named('JobCallback', Type.Union([...Object.values(CALLBACKS), JobQuestionCallback]));

export const receiveCallback = defineOperation({
  id: 'receiveCallback',
  method: 'post',
  path: '/v1/callbacks/{invocation_id}/{token}',
  tag: 'Jobs',
  summary: 'Receive what an agent reports about its job',
  description:
    'An agent that answered a call with 202 reports its progress and its end, and asks the buyer, at the address that the call had in ' +
    '`X-Callback-Url`. It signs the raw body by Standard Webhooks with its signing secret. The first answer or failure ' +
    'counts, and a message with a `webhook-id` that was received before changes nothing. A callback for a call that is ' +
    'over gets 409. At most 60 callbacks a minute for each call.',
  auth: 'public',
  params: strictObject({
    invocation_id: text({ maxLength: 40, pattern: '^inv_[0-9a-f]{32}$' }),
    token: Type.String({ maxLength: 64, description: 'The end of the address in `X-Callback-Url`' }),
  }),
  rawBody: true,
  bodyLimitBytes: MAX_CALLBACK_BYTES,
  body: JobCallback,
  headers: strictObject({
    'webhook-id': Type.String({
      description: 'Id of the message, which stays the same when it is sent again',
    }),
    'webhook-timestamp': Type.String({
      description: 'When it was signed, in seconds since 1970; at most 5 minutes from now',
    }),
    'webhook-signature': Type.String({
      description:
        '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several with spaces between them',
    }),
  }),
  responses: {
    202: strictObject({
      status: Type.Literal('accepted'),
      question_id: Type.Optional(Type.String({ description: 'The id of the question that was asked' })),
    }),
  },
  errors: [
    'invalid_credentials',
    'not_found',
    'invalid_state',
    'malformed_json',
    'validation_failed',
    'payload_too_large',
    'unsupported_media_type',
  ],
  examples: {
    request: { type: 'progress', progress: 0.4, message: 'Read 12 of 30 sources' },
    response: { status: 'accepted' },
  },
});

export const receiveTaskNotification = defineOperation({
  id: 'receiveTaskNotification',
  method: 'post',
  path: '/v1/callbacks/{invocation_id}/{token}/task',
  tag: 'Jobs',
  summary: 'Receive a push notification of an A2A agent about its task',
  description:
    'An A2A agent whose card declares `pushNotifications` gets this address, and the token of the header, in the ' +
    'configuration of the message that a job begins with. A notification is a reason to ask the agent for its task at ' +
    'once: its body is read up to the limit and discarded. One for a call that is over gets 409. At most 60 a minute for ' +
    'each call.',
  auth: 'public',
  params: strictObject({
    invocation_id: text({ maxLength: 40, pattern: '^inv_[0-9a-f]{32}$' }),
    token: Type.String({ maxLength: 64, description: 'As in the address that the agent got' }),
  }),
  rawBody: true,
  bodyLimitBytes: MAX_CALLBACK_BYTES,
  body: Type.Object(
    {},
    { additionalProperties: true, description: 'A `StreamResponse` of A2A 1.0, or a task of 0.3; not used' },
  ),
  headers: strictObject({
    'X-A2A-Notification-Token': Type.String({ description: 'The `token` that came with the address' }),
  }),
  responses: { 202: strictObject({ status: Type.Literal('accepted') }) },
  errors: ['invalid_credentials', 'not_found', 'invalid_state', 'payload_too_large'],
  examples: { response: { status: 'accepted' } },
});

export const callbackOperations = [receiveCallback, receiveTaskNotification];
