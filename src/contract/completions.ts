/** OpenAI's shape for agents that chat (contract, "The market for machines"). */
import { Type } from '@sinclair/typebox';
import type { FieldProblem } from '../domain/errors';
import { CALL_FAILURES, CALL_REFUSALS } from './call-errors';
import { ChatTurnFields } from './chat';
import { MAX_PAGE_LIMIT, MaxCostHeader, named, Nullable, pageQuery, strictObject, text } from './common';
import { Pricing } from './manifest';
import { defineOperation } from './operation';

const Model = text({
  minLength: 1,
  maxLength: 200,
  description: 'The agent: its id, such as `agt_unit_converter_v1`, or `owner/slug`',
});

const CompletionUsage = named(
  'CompletionUsage',
  strictObject({
    prompt_tokens: Type.Integer(),
    completion_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
  }),
);
const CompletionCall = named(
  'CompletionCall',
  strictObject(
    {
      invocation_id: Type.String(),
      trace_id: Type.String(),
      credits_charged: Type.Number({ description: 'Credits, at most 2 decimals' }),
      session_id: Type.String({ description: 'Continues the conversation when it is sent again' }),
      output_expired: Type.Optional(
        Type.Literal(true, { description: 'The stored answer of this idempotency key is deleted' }),
      ),
    },
    { description: 'What the market adds: the call and its charge' },
  ),
);

/** Members of a request that an agent cannot honour, and what is accepted of them. */
const REFUSED: Readonly<Record<string, (value: unknown) => boolean>> = {
  n: (value) => value === 1,
  tools: (value) => Array.isArray(value) && value.length === 0,
  functions: (value) => Array.isArray(value) && value.length === 0,
  response_format: (value) => (value as { type?: unknown }).type === 'text',
  modalities: (value) => Array.isArray(value) && value.every((item) => item === 'text'),
  audio: () => false,
  logprobs: (value) => value === false,
};

/** An answer without what these members ask for would be taken for one with it, so they are refused by name. */
export function unsupportedProblems(body: Readonly<Record<string, unknown>>): FieldProblem[] {
  return Object.entries(REFUSED)
    .filter(([name, accepts]) => (body[name] ?? null) !== null && !accepts(body[name]))
    .map(([name]) => ({
      loc: ['body', name],
      msg: 'is not supported: an agent answers once, with text',
      type: 'unsupported',
    }));
}

const example = {
  model: 'agt_marathon_coach_v1',
  messages: [{ role: 'user', content: 'How far is a marathon?' }],
};

export const createChatCompletion = defineOperation({
  id: 'createChatCompletion',
  method: 'post',
  path: '/v1/chat/completions',
  tag: 'Invocation',
  summary: "Call an agent that chats, in the shape of OpenAI's chat completions",
  description:
    'For OpenAI client libraries, which send the key in `X-API-Key` when it is given to them as a default header. `model` ' +
    'is an agent. The call is paid like any turn of a chat: a failed one is free. With `stream: true` the answer is a ' +
    'stream of `chat.completion.chunk`, ended by `[DONE]`; an error in it is `{error}`, for which nothing is charged. ' +
    'Settings of a language model, such as `temperature` or `max_tokens`, have no meaning for an agent and are ' +
    'ignored. `tools`, more than one choice, formats of the response other than text and log probabilities are refused.',
  auth: { scope: 'agents:invoke' },
  body: Type.Object(
    {
      ...ChatTurnFields.properties,
      model: Model,
      stream: Type.Optional(Nullable(Type.Boolean())),
      stream_options: Type.Optional(
        Nullable(
          Type.Object(
            { include_usage: Type.Optional(Nullable(Type.Boolean())) },
            { additionalProperties: true },
          ),
        ),
      ),
    },
    { additionalProperties: true, description: 'Further members of the OpenAI API are accepted' },
  ),
  laterProblems: unsupportedProblems,
  headers: strictObject({
    'Idempotency-Key': Type.Optional(text({ minLength: 1, maxLength: 255 })),
    'X-Max-Cost-Credits': MaxCostHeader,
  }),
  bodyLimitBytes: 12 * 1024 * 1024,
  responses: {
    200: strictObject({
      id: Type.String(),
      object: Type.Literal('chat.completion'),
      created: Type.Integer({ description: 'Seconds since 1970' }),
      model: Type.String(),
      choices: Type.Array(
        strictObject({
          index: Type.Integer(),
          message: strictObject({
            role: Type.Literal('assistant'),
            content: Nullable(Type.String()),
            refusal: Type.Null(),
          }),
          logprobs: Type.Null(),
          finish_reason: Type.Union([Type.Literal('stop'), Type.Literal('length')], {
            description: '`length`: the answer reached the maximum cost',
          }),
        }),
      ),
      usage: CompletionUsage,
      market: CompletionCall,
    }),
  },
  alternatives: ['text/event-stream'],
  errorForm: 'openai',
  errors: [...CALL_REFUSALS, ...CALL_FAILURES, 'invalid_header', 'engine_unavailable'],
  examples: {
    request: example,
    response: {
      id: 'chatcmpl-0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      object: 'chat.completion',
      created: 1_793_577_600,
      model: example.model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'A marathon is 42.195 km long.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 14, completion_tokens: 11, total_tokens: 25 },
      market: {
        invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
        trace_id: '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
        credits_charged: 2,
        session_id: 'ses_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      },
    },
  },
});

const ModelView = named(
  'Model',
  strictObject({
    id: Type.String({ description: 'The id of the agent' }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Seconds since 1970' }),
    owned_by: Type.String({ description: 'The id of its developer' }),
    market: named(
      'ModelListing',
      strictObject({
        display_name: Type.String(),
        slug: Type.String(),
        pricing: Pricing,
        trust_score: Nullable(Type.Integer({ minimum: 0, maximum: 100 })),
        badge: Nullable(Type.String()),
      }),
    ),
  }),
);

export const listModels = defineOperation({
  id: 'listModels',
  method: 'get',
  path: '/v1/models',
  tag: 'Listings',
  summary: "List agents that chat, in the shape of OpenAI's models",
  description:
    'Listed agents whose input schema has `messages`, the best first, as searches of the marketplace order them.',
  auth: { scope: 'agents:invoke' },
  query: strictObject({
    ...pageQuery,
    // Pickers of models read one page.
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_LIMIT, default: MAX_PAGE_LIMIT })),
  }),
  responses: {
    200: strictObject({
      object: Type.Literal('list'),
      data: Type.Array(ModelView),
      next_cursor: Nullable(Type.String({ description: 'Cursor of the next page; `null` on the last page' })),
    }),
  },
  errorForm: 'openai',
});

export const getModel = defineOperation({
  id: 'getModel',
  method: 'get',
  path: '/v1/models/{model}',
  tag: 'Listings',
  summary: "Get an agent in the shape of OpenAI's models",
  auth: { scope: 'agents:invoke' },
  params: strictObject({ model: Model }),
  responses: { 200: ModelView },
  errorForm: 'openai',
  errors: ['not_found', 'invalid_state'],
});

export const completionOperations = [createChatCompletion, listModels, getModel];
