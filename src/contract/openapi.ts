import type { TObject, TSchema } from '@sinclair/typebox';
import { SCOPE_WORDS } from '../domain/accounts/oauth-grant';
import { defaultMessage, ERROR_CODES, isRetryable, type ErrorCode } from '../domain/errors';
import type { Operation, ResponseSpec } from './operation';

/** Inputs of the document besides the operations. */
export interface DocumentOptions {
  version: string;
  /** Maps an error code to its HTTP status; the API owns the table. */
  statusOf: (code: ErrorCode) => number;
}

type Json = Record<string, unknown>;

/** Builds the OpenAPI 3.1 document of the given operations. */
export function openapiDocument(operations: readonly Operation[], options: DocumentOptions): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = describe(operation, options);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Marketplace',
      version: options.version,
      description: 'Publish agents, invoke them for credits, settle and pay out.',
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: errorSchema() },
      headers: sharedHeaders(),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'market_session',
          description: 'Set by register and login.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'An API key (POST /v1/keys) with the scope that the operation requires.',
        },
        oauth: {
          type: 'oauth2',
          description:
            'An OAuth access token for one MCP endpoint (docs/oauth.md). No other operation accepts it.',
          flows: {
            authorizationCode: {
              authorizationUrl: '/oauth/authorize',
              tokenUrl: '/oauth/token',
              refreshUrl: '/oauth/token',
              scopes: SCOPE_WORDS,
            },
          },
        },
      },
    },
  };
}

function describe(operation: Operation, options: DocumentOptions): Json {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(description(operation) && { description: description(operation) }),
    security: security(operation),
    ...(parameters(operation).length > 0 && { parameters: parameters(operation) }),
    ...((operation.body ?? operation.rawBody) && { requestBody: requestBody(operation) }),
    responses: { ...successes(operation), ...failures(operation, options) },
  };
}

function description({ description: text, auth, roles }: Operation): string {
  const scope = typeof auth === 'object' ? `API key scope: \`${auth.scope}\`.` : '';
  const role = roles ? `Role: ${roles.join(' or ')}.` : '';
  return [text, scope, role].filter(Boolean).join(' ');
}

function security({ auth, acceptsToken }: Operation): Json[] {
  if (auth === 'public') return [];
  if (auth === 'session') return [{ session: [] }];
  const byKey = [{ session: [] }, { apiKey: [auth.scope] }];
  return acceptsToken ? [...byKey, { oauth: [auth.scope] }] : byKey;
}

function parameters(operation: Operation): Json[] {
  return [
    ...parametersIn('path', operation.params),
    ...parametersIn('query', operation.query),
    ...parametersIn('header', operation.headers),
  ];
}

function parametersIn(where: 'path' | 'query' | 'header', schema: TObject | undefined): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || (schema?.required ?? []).includes(name),
    ...(property.description !== undefined && { description: property.description }),
    schema: plain(property),
  }));
}

function requestBody({ body, rawBody, examples }: Operation): Json {
  if (rawBody && !body) {
    return {
      required: false,
      content: { '*/*': { schema: {} } },
      description: 'The body is passed on verbatim.',
    };
  }
  const example = examples?.request === undefined ? {} : { example: examples.request };
  return { required: true, content: { 'application/json': { schema: plain(body as TSchema), ...example } } };
}

function successes({ responses, examples }: Operation): Json {
  const entries = Object.entries(responses).map(([status, spec], index) => {
    const example = index === 0 && examples?.response !== undefined ? { example: examples.response } : {};
    return [status, { description: describeStatus(spec), headers: headerRefs(), ...content(spec, example) }];
  });
  return Object.fromEntries(entries) as Json;
}

function describeStatus(spec: ResponseSpec): string {
  if (spec === null) return 'Success; no body.';
  return typeof spec.description === 'string' ? spec.description : 'Success.';
}

function content(spec: ResponseSpec, example: Json): Json {
  if (spec === null) return {};
  if ('mediaType' in spec)
    return { content: { [spec.mediaType as string]: { schema: { type: 'string' }, ...example } } };
  return { content: { 'application/json': { schema: plain(spec), ...example } } };
}

function failures(operation: Operation, { statusOf }: DocumentOptions): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodes(operation))
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  const entries = [...byStatus].map(([status, codes]) => [
    String(status),
    {
      description: codes.map((code) => `\`${code}\`: ${defaultMessage(code)}`).join(' '),
      headers: headerRefs(),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
        },
      },
    },
  ]);
  return Object.fromEntries(entries) as Json;
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

function errorExample(code: ErrorCode): Json {
  return {
    error: { code, message: defaultMessage(code), retryable: isRetryable(code) },
    trace_id: '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
    ...(code === 'validation_failed' && {
      detail: [{ loc: ['body', 'email'], msg: 'is required', type: 'required' }],
    }),
  };
}

function errorSchema(): Json {
  const problem = {
    type: 'object',
    required: ['loc', 'msg', 'type'],
    properties: {
      loc: { type: 'array', items: { type: ['string', 'integer'] } },
      msg: { type: 'string' },
      type: { type: 'string' },
    },
  };
  return {
    type: 'object',
    required: ['error', 'trace_id'],
    additionalProperties: false,
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'retryable'],
        additionalProperties: false,
        properties: {
          code: { enum: ERROR_CODES },
          message: { type: 'string' },
          retryable: { type: 'boolean' },
        },
      },
      trace_id: { type: 'string', pattern: '^[0-9a-f]{32}$' },
      invocation_id: { type: 'string' },
      detail: {
        type: 'array',
        items: problem,
        description: 'One element for each invalid field; only with status 422.',
      },
    },
  };
}

const SHARED_HEADERS: Record<string, { description: string; type: string }> = {
  'X-Trace-Id': { description: 'Reference for tracing and support', type: 'string' },
  'X-RateLimit-Limit': { description: 'Requests allowed in the current window', type: 'integer' },
  'X-RateLimit-Remaining': { description: 'Requests left in the current window', type: 'integer' },
  'X-RateLimit-Reset': { description: 'End of the current window, epoch seconds', type: 'integer' },
};

function sharedHeaders(): Json {
  return Object.fromEntries(
    Object.entries(SHARED_HEADERS).map(([name, { description: text, type }]) => [
      name,
      { description: text, schema: { type } },
    ]),
  );
}

function headerRefs(): Json {
  return Object.fromEntries(
    Object.keys(SHARED_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** Converts a TypeBox schema to plain JSON and removes the internal format `text`. */
function plain(schema: TSchema): Json {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'format' && value === 'text' ? undefined : value,
    ),
  ) as Json;
}
