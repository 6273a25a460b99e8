import type { ErrorForm } from './operation';
import type { Json } from './openapi-schemas';

/** The failures of operations that do not have the error body of the contract. */
interface Form {
  /** Name of the response component. */
  name: string;
  description: string;
  /** Schema by media type. */
  content: Json;
  statuses: readonly number[];
}

const ref = (name: string): Json => ({ schema: { $ref: `#/components/schemas/${name}` } });
const either = (...names: string[]): Json => ({
  schema: { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) },
});

/** What the standard bindings answer when a request or a call is refused. */
const WIRE_STATUSES = [400, 401, 402, 403, 404, 409, 413, 415, 422, 429] as const;

const FORMS: Readonly<Record<ErrorForm, Form>> = {
  page: {
    name: 'ProblemPage',
    description:
      'A page that says what is wrong and what to do. A wrong password or code, and a spending cap that is no number, show the form again.',
    content: { 'text/html': { schema: { type: 'string' } } },
    statuses: [400, 401, 403, 404, 409, 413, 422, 429],
  },
  oauth: {
    name: 'OAuthFailure',
    description:
      'The error of RFC 6749, section 5.2, of RFC 7591, section 3.2.2, or of RFC 8628, section 3.5. `temporarily_unavailable` may succeed later.',
    content: { 'application/json': ref('OAuthError') },
    statuses: [400, 401, 403, 413, 415, 422, 429],
  },
  openai: {
    name: 'CompletionFailure',
    description:
      "An error in OpenAI's shape, with the members of the service's error body. `X-Should-Retry` says whether a repeated request may succeed.",
    content: { 'application/json': ref('CompletionError') },
    statuses: WIRE_STATUSES,
  },
  a2a: {
    name: 'A2aFailure',
    description:
      'The error of A2A 1.0 for HTTP+JSON. Its `details` have the reason: one of the protocol, or an error code of the service in capital letters.',
    content: { 'application/a2a+json': ref('A2aError') },
    statuses: WIRE_STATUSES,
  },
  a2aOrOwn: {
    name: 'TaskFailure',
    description:
      'The error body of the service; for a request with `A2A-Version`, the error of A2A 1.0 for HTTP+JSON.',
    content: { 'application/json': ref('Error'), 'application/a2a+json': ref('A2aError') },
    statuses: WIRE_STATUSES,
  },
  jsonRpc: {
    name: 'JsonRpcFailure',
    description:
      'A JSON-RPC 2.0 error for a request that is refused before its method: a wrong content type (415, -32005), an unreadable body, missing credentials, or a limit.',
    content: { 'application/json': ref('JsonRpcError') },
    statuses: WIRE_STATUSES,
  },
  jsonRpcOrOwn: {
    name: 'McpFailure',
    description:
      'A JSON-RPC 2.0 error for a message that is refused; the error body of the service for a request that is refused before its message is read.',
    content: { 'application/json': either('Error', 'JsonRpcError') },
    statuses: WIRE_STATUSES,
  },
};

/** The error responses of a form by status. Headers are those of a refusal by a limit. */
export function failuresOfForm(
  shared: (name: string, response: Json) => Json,
  form: ErrorForm,
  headers: Json,
): Json {
  const { name, description, content, statuses } = FORMS[form];
  const response = shared(name, { description, headers, content });
  return { ...Object.fromEntries(statuses.map((status) => [String(status), response])), default: response };
}

const COMPLETION_ERROR: Json = {
  type: 'object',
  description: "An error in OpenAI's shape.",
  required: ['error', 'trace_id'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code', 'retryable'],
      properties: {
        message: { type: 'string', description: 'What is wrong, and what to do next' },
        type: { type: 'string', description: 'Such as `invalid_request_error` or `rate_limit_error`' },
        param: {
          anyOf: [{ type: 'string' }, { type: 'null' }],
          description: 'The first field that is wrong',
        },
        code: { type: 'string', description: 'The error code of the service' },
        retryable: { type: 'boolean' },
      },
    },
    trace_id: { type: 'string' },
    invocation_id: { type: 'string' },
  },
};

/** The schemas that the forms reference. */
export function schemasOfForms(): Json {
  return {
    OAuthError: {
      type: 'object',
      description: 'An error of an OAuth endpoint.',
      required: ['error', 'error_description'],
      additionalProperties: false,
      properties: {
        error: { type: 'string', description: 'The code, such as `invalid_grant`' },
        error_description: { type: 'string', description: 'What is wrong, for developers' },
      },
    },
    CompletionError: COMPLETION_ERROR,
    A2aError: {
      type: 'object',
      description: 'An error of A2A 1.0 for HTTP+JSON: the JSON form of `google.rpc.Status`.',
      required: ['error'],
      properties: {
        error: {
          type: 'object',
          required: ['code', 'status', 'message'],
          properties: {
            code: { type: 'integer', description: 'The HTTP status' },
            status: { type: 'string', description: 'The name of the status, such as `INVALID_ARGUMENT`' },
            message: { type: 'string', description: 'What is wrong, and what to do next' },
            details: {
              type: 'array',
              items: { type: 'object' },
              description: 'An `ErrorInfo` with the reason',
            },
          },
        },
      },
    },
    JsonRpcError: {
      type: 'object',
      description: 'An error of JSON-RPC 2.0.',
      required: ['jsonrpc', 'error'],
      properties: {
        jsonrpc: { type: 'string', const: '2.0' },
        id: {
          anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }],
          description: 'The id of the request, if it was read',
        },
        error: {
          type: 'object',
          required: ['code', 'message'],
          properties: {
            code: { type: 'integer' },
            message: { type: 'string', description: 'What is wrong, and what to do next' },
            data: { description: 'Details of the error' },
          },
        },
      },
    },
  };
}
