import { MAX_COST_CREDITS } from '../domain/calls/cost-ceiling';
import { Type } from '@sinclair/typebox';
import { Accept } from './acceptance';
import { CALL_REFUSALS } from './call-errors';
import { AgentId, MaxCostHeader, named, strictObject, text } from './common';
import { PresentedMandate } from './mandates';
import { Metadata } from './metadata';
import { defineOperation } from './operation';
import { QuoteId } from './quotes';

const IdempotencyKey = text({ minLength: 1, maxLength: 255 });

/** Additional fields are passed on to the agent. */
const ChatMessage = named(
  'ChatMessage',
  Type.Object(
    {
      role: text({ minLength: 1, maxLength: 64, description: 'For example user, assistant or system' }),
      content: Type.Union([Type.String(), Type.Array(Type.Object({}, { additionalProperties: true }))], {
        description: 'Text, or a list of parts as the agent defines them',
      }),
    },
    { additionalProperties: true },
  ),
);

/** The members of a turn. */
export const ChatTurnFields = strictObject({
  messages: Type.Array(ChatMessage, { minItems: 1, maxItems: 1_000 }),
  session_id: Type.Optional(
    text({ minLength: 1, maxLength: 128, description: 'Continues one of your conversations' }),
  ),
  max_cost_credits: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_COST_CREDITS,
      description: 'Maximum cost of this turn, in whole credits',
    }),
  ),
  idempotency_key: Type.Optional(IdempotencyKey),
  metadata: Type.Optional(Metadata),
  accept: Type.Optional(Accept),
  quote_id: Type.Optional(QuoteId),
  mandate: Type.Optional(PresentedMandate),
});

const shared = {
  method: 'post',
  tag: 'Invocation',
  description:
    'The agent receives `{messages, session_id}` as its input, validated against its input schema. The ' +
    'response is a stream of server-sent events, each with one line of JSON that has a `type`: ' +
    '`output_chunk {chunk}` for each part of the answer, `usage {usage}`, and a final event. The final ' +
    'event is either `done {invocation_id, trace_id, usage, session_id, truncated?}`, sent after the call is ' +
    'settled, or `error {error, trace_id, invocation_id}`, for which nothing is charged. Closing the ' +
    'connection ends the call: it costs nothing before the first chunk, and else the price, or what was ' +
    'delivered of a metered answer. A metered answer that reaches `max_cost_credits` ends with `done`, ' +
    '`truncated: true` and that charge. An agent without streaming support answers in one chunk. Errors that ' +
    'refuse the turn are returned with their own HTTP status before the stream begins.',
  auth: { scope: 'agents:invoke' },
  headers: strictObject({
    'Idempotency-Key': Type.Optional(IdempotencyKey),
    'X-Max-Cost-Credits': MaxCostHeader,
  }),
  bodyLimitBytes: 12 * 1024 * 1024,
  responses: { 200: { mediaType: 'text/event-stream', description: 'The turn, as it is produced.' } },
  errors: [...CALL_REFUSALS, 'invalid_header', 'engine_unavailable'],
} as const;

const exampleTurn = { messages: [{ role: 'user', content: 'How far is a marathon?' }], max_cost_credits: 5 };
const USAGE = '{"tokens_in":14,"tokens_out":11,"duration_ms":640,"credits_charged":2}';
const exampleStream = [
  '{"type":"output_chunk","chunk":"A marathon is "}',
  '{"type":"output_chunk","chunk":"42.195 km long."}',
  `{"type":"usage","usage":${USAGE}}`,
  `{"type":"done","invocation_id":"inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b",` +
    `"trace_id":"0190b5c2f1e07c0e8a1b2c3d4e5f6a7b","usage":${USAGE},` +
    `"session_id":"ses_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b"}`,
]
  .map((event) => `data: ${event}\n\n`)
  .join('');

/** Specification, "Invocation": POST /v1/agents/{agent_id}/chat. */
export const chatWithAgent = defineOperation({
  ...shared,
  id: 'chatWithAgent',
  path: '/v1/agents/{agent_id}/chat',
  summary: 'Stream a conversational turn',
  params: strictObject({ agent_id: AgentId }),
  body: ChatTurnFields,
  examples: { request: exampleTurn, response: exampleStream },
});

/** Specification, "Invocation": POST /chat/. The API answers the path with and without the slash at its end. */
export const chat = defineOperation({
  ...shared,
  id: 'chat',
  path: '/chat/',
  summary: 'Stream a conversational turn with the agent named in the body',
  description: 'Answers as `POST /v1/agents/{agent_id}/chat` does.',
  body: strictObject({ agent_id: AgentId, ...ChatTurnFields.properties }),
  examples: { request: { agent_id: 'agt_marathon_coach_v1', ...exampleTurn }, response: exampleStream },
});

export const chatOperations = [chatWithAgent, chat];
