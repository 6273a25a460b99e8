import { defaultMessage, ERROR_CODES, isRetryable, type ErrorCode } from '../domain/errors';
import type { Operation } from './operation';
import { failuresOfForm, schemasOfForms } from './openapi-error-forms';
import type { Json } from './openapi-schemas';

/** Collects the error responses of a document. Responses with the same codes are one component. */
export interface ResponseCollector {
  responses: () => Record<string, Json>;
  /** The error responses of an operation by status, as references. */
  failures: (operation: Operation) => Json;
  /** The response without a body. */
  noContent: () => Json;
}

/**
 * Codes of most operations. A status with these codes only is described by the default response; a response with
 * another code of the same status lists these codes, too.
 */
const COMMON = new Set<ErrorCode>([
  'malformed_request',
  'cross_site_request',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal_error',
  'not_ready',
]);

export function createResponseCollector(statusOf: (code: ErrorCode) => number): ResponseCollector {
  const known = new Map<string, Json>();

  function shared(name: string, response: Json): Json {
    known.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  return {
    responses: () => Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1))),
    noContent: () => shared('NoContent', { description: 'Success; no body.' }),
    failures(operation) {
      if (operation.errorForm) return failuresOfForm(shared, operation.errorForm, headerRefs());
      const byStatus = new Map<number, ErrorCode[]>();
      for (const code of errorCodes(operation))
        byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
      const own = [...byStatus].filter(([, codes]) => !codes.every((code) => COMMON.has(code)));
      // Every operation has a response of the client's fault.
      if (!own.some(([status]) => status < 500)) own.push([statusOf('rate_limited'), ['rate_limited']]);
      const entries = own.map(([status, found]) => {
        const rare = found.filter((code) => !COMMON.has(code)).sort();
        const codes = [...rare, ...[...COMMON].filter((code) => statusOf(code) === status)];
        return [
          String(status),
          shared((rare.length > 0 ? rare : codes).map(pascal).join('Or'), failure(codes)),
        ];
      });
      const other = shared('Other', failure([...COMMON]));
      return { ...(Object.fromEntries(entries) as Json), default: other };
    },
  };
}

/** `not_found` as `NotFound`. */
export function pascal(name: string): string {
  return name.replaceAll(/(?:^|[_-])([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function failure(codes: readonly ErrorCode[]): Json {
  return {
    description: codes.map(described).join(' '),
    ...(codes.includes('rate_limited') && { headers: headerRefs() }),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    },
  };
}

/** A code with its message. The body is the same for every code, so its schema has the example. */
function described(code: ErrorCode): string {
  return `\`${code}\`${isRetryable(code) ? ' (retryable)' : ''}: ${defaultMessage(code)}`;
}

/** The error codes that an operation can return: its own, and those that follow from its definition. */
function errorCodes(operation: Operation): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(['malformed_request', 'rate_limited', 'internal_error', 'not_ready']);
  if (operation.auth !== 'public') codes.add('not_authenticated');
  if (typeof operation.auth === 'object') codes.add('insufficient_scope');
  if (operation.roles) codes.add('forbidden');
  if (operation.method !== 'get') codes.add('cross_site_request');
  if (operation.params) codes.add('not_found');
  if (operation.query ?? operation.body) codes.add('validation_failed');
  if (operation.body) codes.add('malformed_json');
  if (operation.body ?? operation.rawBody) codes.add('payload_too_large').add('unsupported_media_type');
  for (const code of operation.errors ?? []) codes.add(code);
  return codes;
}

const ERROR_EXAMPLE: Json = {
  error: {
    code: 'validation_failed',
    message: defaultMessage('validation_failed'),
    retryable: isRetryable('validation_failed'),
  },
  trace_id: '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  detail: [{ loc: ['body', 'email'], msg: 'is required', type: 'required' }],
};

const AGENT_MESSAGE =
  'Only with `agent_error`: why the agent refused the request, in its own words. Untrusted text of one line';

/** The schema of every error response (contract, "General"). */
export function errorSchemas(): Json {
  return {
    ...schemasOfForms(),
    Error: {
      type: 'object',
      description: 'Every error response of the service.',
      examples: [ERROR_EXAMPLE],
      required: ['error', 'trace_id'],
      additionalProperties: false,
      properties: {
        error: {
          type: 'object',
          required: ['code', 'message', 'retryable'],
          additionalProperties: false,
          properties: {
            code: { $ref: '#/components/schemas/ErrorCode' },
            message: { type: 'string', description: 'What is wrong, and what to do next' },
            retryable: { type: 'boolean', description: 'The same request may succeed later' },
            agent_message: { type: 'string', maxLength: 500, description: AGENT_MESSAGE },
          },
        },
        trace_id: {
          type: 'string',
          pattern: '^[0-9a-f]{32}$',
          description: 'Reference for tracing and support; also in the header X-Trace-Id',
        },
        invocation_id: { type: 'string', description: 'The call that failed, if one was accepted' },
        detail: {
          type: 'array',
          items: { $ref: '#/components/schemas/FieldProblem' },
          description: 'One element for each invalid field; only with status 422.',
        },
      },
    },
    ErrorCode: { type: 'string', description: 'Stable name of the error', enum: ERROR_CODES },
    FieldProblem: {
      type: 'object',
      description: 'What is wrong with one field.',
      required: ['loc', 'msg', 'type'],
      properties: {
        loc: {
          type: 'array',
          items: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
          description: 'Path of the field, such as `["body", "pricing", "credits_per_call"]`',
        },
        msg: { type: 'string', description: 'What is wrong with it' },
        type: { type: 'string', description: 'Kind of the problem, such as `required`' },
      },
    },
  };
}

const HEADERS: Record<string, { description: string; type: string }> = {
  'X-RateLimit-Limit': { description: 'Requests allowed in the current window', type: 'integer' },
  'X-RateLimit-Remaining': { description: 'Requests left in the current window', type: 'integer' },
  'Retry-After': { description: 'Seconds to wait before the next request', type: 'integer' },
  'X-RateLimit-Reset': { description: 'End of the current window, epoch seconds', type: 'integer' },
  RateLimit: {
    description:
      'What is left of each limit that the request counted against: `r` requests, and all again in `t` seconds ' +
      '(draft-ietf-httpapi-ratelimit-headers-11)',
    type: 'string',
  },
  'RateLimit-Policy': {
    description: 'Each of these limits: `q` requests in a window of `w` seconds',
    type: 'string',
  },
};

export function sharedHeaders(): Json {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, { description: text, type }]) => [
      name,
      { description: text, schema: { type } },
    ]),
  );
}

/** References to the headers of a refusal by a limit; docs/keys-and-limits.md describes them. */
function headerRefs(): Json {
  return Object.fromEntries(
    Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
