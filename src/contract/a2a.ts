import { Type } from '@sinclair/typebox';
import { getAgentTermsSchema } from './a2a-terms';
import { CALL_REFUSALS } from './call-errors';
import { AgentId, named, strictObject, text } from './common';
import { outputExpired, Usage } from './invocations';
import { Job } from './job-reports';
import { PresentedMandate } from './mandates';
import { defineOperation, type HttpMethod, type Operation } from './operation';

const tag = 'A2A';
const access = { auth: { scope: 'agents:invoke' }, acceptsToken: true } as const;
const base = '/v1/a2a/{agent_id}';
const agentParams = strictObject({ agent_id: AgentId });
const TaskId = text({ maxLength: 64 });
const taskParams = strictObject({ agent_id: AgentId, task_id: TaskId });
const IdempotencyKey = text({ minLength: 1, maxLength: 255 });
const BODY_LIMIT_BYTES = 12 * 1024 * 1024;

const TaskStatus = named(
  'TaskStatus',
  Type.Union(
    (['accepted', 'running', 'succeeded', 'failed', 'canceled', 'rejected'] as const).map((status) =>
      Type.Literal(status),
    ),
  ),
);

const PolledTask = named(
  'Task',
  strictObject({
    task_id: Type.String({ examples: ['inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    status: TaskStatus,
    trace_id: Type.String(),
    job: Type.Optional(Job),
    output: Type.Optional(Type.Unknown({ description: "The agent's answer, valid under its output schema" })),
    content_type: Type.Optional(Type.String({ description: 'Media type of an output that is not JSON' })),
    output_encoding: Type.Optional(
      Type.Literal('base64', { description: 'Set for an output that is neither JSON nor UTF-8 text' }),
    ),
    output_expired: outputExpired,
    usage: Type.Optional(Usage),
    error: Type.Optional(
      strictObject({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() }),
    ),
  }),
);

/** Open for additional members: A2A 1.0 defines the card, and this schema names only its required members. */
const AgentCard = named(
  'AgentCard',
  Type.Object(
    {
      name: Type.String(),
      description: Type.String(),
      version: Type.String(),
      supportedInterfaces: Type.Array(
        Type.Object({ url: Type.String(), protocolBinding: Type.String(), protocolVersion: Type.String() }),
        { minItems: 1 },
      ),
      capabilities: Type.Object({}),
      defaultInputModes: Type.Array(Type.String(), { minItems: 1 }),
      defaultOutputModes: Type.Array(Type.String(), { minItems: 1 }),
      skills: Type.Array(Type.Object({}), { minItems: 1 }),
      signatures: Type.Array(Type.Object({ protected: Type.String(), signature: Type.String() })),
    },
    {
      additionalProperties: true,
      description:
        'AgentCard of A2A 1.0, signed (detached JWS over RFC 8785 JSON). Unless the request has `A2A-Version: 1.0`, with the ' +
        'members that clients of A2A 0.3 read',
    },
  ),
);

const card = {
  method: 'get',
  tag,
  summary: 'Get the public agent card',
  description:
    'Signed with the keys of /.well-known/jwks.json. Responds with 404 when the agent is not live or ' +
    'cannot be invoked by other agents.',
  auth: 'public',
  knowsCaller: true,
  params: agentParams,
  headers: strictObject({
    'If-None-Match': Type.Optional(Type.String()),
    'A2A-Version': Type.Optional(Type.String({ description: '`1.0`: without the members of 0.3' })),
  }),
  responses: { 200: AgentCard, 304: null },
  errors: ['not_found'],
} as const;

/** Specification, "A2A": the agent card. */
export const getAgentCard = defineOperation({
  ...card,
  id: 'getAgentCard',
  path: '/.well-known/agents/{agent_id}/agent-card.json',
});

export const getAgentCardAtBase = defineOperation({
  ...card,
  id: 'getAgentCardAtBase',
  path: `${base}/.well-known/agent-card.json`,
});

/** Where clients of A2A before 0.3 look for the card. */
export const getAgentCardOfOldClients = defineOperation({
  ...card,
  id: 'getAgentCardOfOldClients',
  summary: 'Get the public agent card at its address of before A2A 0.3',
  path: `${base}/.well-known/agent.json`,
});

/** Specification, "A2A": creating a task. */
export const createTask = defineOperation({
  id: 'createTask',
  method: 'post',
  path: `${base}/tasks`,
  tag,
  summary: 'Create a task that a mandate pays for',
  description:
    'Responds before the task runs; poll the task for its outcome. The mandate names the account that pays ' +
    '(docs/mandates.md); its issuer may omit the proof. Without `idempotency_key`, every request creates a ' +
    'new task.',
  ...access,
  params: agentParams,
  headers: strictObject({ 'Idempotency-Key': Type.Optional(IdempotencyKey) }),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  body: strictObject({
    input: Type.Object({}, { additionalProperties: true, description: "The agent's input" }),
    mandate: PresentedMandate,
    idempotency_key: Type.Optional(IdempotencyKey),
  }),
  responses: {
    202: strictObject({ task_id: Type.String(), status: TaskStatus, trace_id: Type.String() }),
  },
  errors: [...CALL_REFUSALS, 'a2a_not_allowed'],
  examples: {
    response: {
      task_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      status: 'accepted',
      trace_id: '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
    },
  },
});

const Version = Type.Optional(Type.String({ description: 'Header or query: `1.0`, or over JSON-RPC `0.3`' }));

/** Polls a task in the specification's form. With `A2A-Version`, the same path is GetTask of the standard binding. */
export const pollTask = defineOperation({
  id: 'pollTask',
  method: 'get',
  path: `${base}/tasks/{task_id}`,
  tag,
  summary: 'Get a task',
  description:
    'Without `A2A-Version` (header or query), the response has the form below. With it, the operation is ' +
    'GetTask of A2A 1.0 and responds with a `Task` as application/a2a+json.',
  ...access,
  params: taskParams,
  query: strictObject({ 'A2A-Version': Version, historyLength: Type.Optional(Type.String()) }),
  headers: strictObject({ 'A2A-Version': Version }),
  responses: { 200: PolledTask },
  alternatives: ['application/a2a+json'],
  errorForm: 'a2aOrOwn',
  errors: ['not_found'],
  examples: {
    response: {
      task_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      status: 'succeeded',
      trace_id: '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      output: { value: 42.164812, unit: 'km' },
      usage: { tokens_in: 14, tokens_out: 11, duration_ms: 6, credits_charged: 1 },
    },
  },
});

const wire = {
  tag,
  ...access,
  rawBody: true,
  errorForm: 'a2a',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  headers: strictObject({
    'A2A-Version': Version,
    'A2A-Extensions': Type.Optional(Type.String()),
    'X-A2A-Extensions': Type.Optional(Type.String({ description: 'The same in A2A 0.3' })),
  }),
  query: Type.Object({ 'A2A-Version': Version }, { additionalProperties: true }),
} as const;
const A2A_JSON = { mediaType: 'application/a2a+json', description: 'The response that A2A 1.0 defines' };
const A2A_STREAM = {
  mediaType: 'text/event-stream',
  description: 'Server-sent events; each `data:` is a `StreamResponse`',
};

export const a2aRpc = defineOperation({
  ...wire,
  errorForm: 'jsonRpc',
  payable: true,
  alternatives: ['text/event-stream'],
  id: 'a2aRpc',
  method: 'post',
  path: `${base}/rpc`,
  summary: 'Call A2A methods over JSON-RPC',
  description:
    'SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask and the push ' +
    'notification configs. Streams are server-sent events. Without `A2A-Version`, or with `0.3`, the methods, ' +
    'requests and responses are those of A2A 0.3: message/send, message/stream, tasks/get, tasks/cancel, ' +
    'tasks/resubscribe and tasks/pushNotificationConfig/set, get, list and delete.',
  params: agentParams,
  responses: { 200: { mediaType: 'application/json', description: 'A JSON-RPC 2.0 response' } },
});

const agentWire = (id: string, method: HttpMethod, path: string, summary: string, response = A2A_JSON) =>
  defineOperation({
    ...wire,
    id,
    method,
    path: `${base}${path}`,
    summary: `${summary} (A2A 1.0, HTTP+JSON)`,
    params: agentParams,
    responses: { 200: response },
  });

const taskWire = (
  id: string,
  method: HttpMethod,
  path: string,
  summary: string,
  response: typeof A2A_JSON | null = A2A_JSON,
  status = 200,
) =>
  defineOperation({
    ...wire,
    id,
    method,
    path: `${base}/tasks/{task_id}${path}`,
    summary: `${summary} (A2A 1.0, HTTP+JSON)`,
    params: path.includes('{config_id}')
      ? strictObject({ agent_id: AgentId, task_id: TaskId, config_id: text({ maxLength: 255 }) })
      : taskParams,
    responses: { [status]: response },
  });

const PUSH = '/pushNotificationConfigs';

/** The standard HTTP+JSON binding, except GetTask (`pollTask`). One handler serves all of these operations. */
export const a2aRest: readonly Operation[] = [
  agentWire('a2aSendMessage', 'post', '/message:send', 'SendMessage'),
  agentWire('a2aStreamMessage', 'post', '/message:stream', 'SendStreamingMessage', A2A_STREAM),
  agentWire('a2aListTasks', 'get', '/tasks', 'ListTasks'),
  agentWire('a2aExtendedCard', 'get', '/extendedAgentCard', 'GetExtendedAgentCard'),
  taskWire('a2aCancelTask', 'post', ':cancel', 'CancelTask'),
  taskWire('a2aSubscribe', 'get', ':subscribe', 'SubscribeToTask', A2A_STREAM),
  taskWire('a2aSubscribePost', 'post', ':subscribe', 'SubscribeToTask', A2A_STREAM),
  taskWire('a2aCreatePush', 'post', PUSH, 'CreateTaskPushNotificationConfig', A2A_JSON, 201),
  taskWire('a2aListPush', 'get', PUSH, 'ListTaskPushNotificationConfigs'),
  taskWire('a2aGetPush', 'get', `${PUSH}/{config_id}`, 'GetTaskPushNotificationConfig'),
  taskWire('a2aDeletePush', 'delete', `${PUSH}/{config_id}`, 'DeleteTaskPushNotificationConfig', null, 204),
];

export const a2aOperations = [
  getAgentTermsSchema,
  getAgentCard,
  getAgentCardAtBase,
  getAgentCardOfOldClients,
  createTask,
  pollTask,
  a2aRpc,
  ...a2aRest,
];
