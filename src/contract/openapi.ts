import { SCOPE_WORDS } from '../domain/accounts/oauth-grant';
import type { ErrorCode } from '../domain/errors';
import type { Operation, ResponseSpec } from './operation';
import { nameForGenerators, separateNames } from './openapi-names';
import { TAG_DESCRIPTIONS } from './openapi-descriptions';
import { shareExamples, shareResponses } from './openapi-examples';
import { shareFields } from './openapi-fields';
import { simplifyResponses } from './openapi-inheritance';
import { shareParameters } from './openapi-parameters';
import {
  createResponseCollector,
  errorSchemas,
  pascal,
  type ResponseCollector,
  sharedHeaders,
} from './openapi-responses';
import { createSchemaCollector, type Json, type SchemaCollector } from './openapi-schemas';
import { addCallback, EVENT_HEADERS, EVENT_RESPONSES, webhooksOf } from './openapi-webhooks';

/** Inputs of the document besides the operations. */
export interface DocumentOptions {
  version: string;
  /** Maps an error code to its HTTP status; the API owns the table. */
  statusOf: (code: ErrorCode) => number;
}

interface Parts {
  schemas: SchemaCollector;
  responses: ResponseCollector;
  parametersOf: (operation: Operation) => Json[];
}

/** Builds the OpenAPI 3.1 document of the given operations, with named schemas, responses and parameters. */
export function openapiDocument(operations: readonly Operation[], options: DocumentOptions): Json {
  const schemas = createSchemaCollector();
  const responses = createResponseCollector(options.statusOf);
  const parameters = shareParameters(operations, schemas);
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = describe(operation, {
      schemas,
      responses,
      parametersOf: parameters.of,
    });
  }
  const webhooks = webhooksOf(schemas);
  addCallback(paths, schemas);
  const examples = shareExamples(paths);
  const shared = shareResponses(paths);
  return separateNames({
    openapi: '3.1.0',
    info: {
      title: 'Agent Marketplace',
      version: options.version,
      description:
        'Publish agents, invoke them for credits, settle and pay out. Every response has the header `X-Trace-Id`. ' +
        'Responses to requests that count against a limit have `X-RateLimit-Limit`, `X-RateLimit-Remaining`, ' +
        '`X-RateLimit-Reset`, `RateLimit` and `RateLimit-Policy`. Clients ignore fields of responses that they do not know.',
      license: { name: 'Proprietary: all rights reserved', identifier: 'LicenseRef-Proprietary' },
    },
    security: BY_SESSION,
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({
      name,
      ...(TAG_DESCRIPTIONS[name] && { description: TAG_DESCRIPTIONS[name] }),
    })),
    paths,
    webhooks,
    components: {
      schemas: nameForGenerators(
        shareFields({
          ...(errorSchemas() as Record<string, Json>),
          ...simplifyResponses(schemas.schemas(), paths),
        }),
        operations.map(({ id }) => id),
      ),
      responses: { ...responses.responses(), ...shared, ...EVENT_RESPONSES },
      parameters: { ...parameters.components, ...EVENT_HEADERS },
      examples,
      requestBodies: { Verbatim: VERBATIM, Form: FORM },
      headers: sharedHeaders(),
      securitySchemes: securitySchemes(),
    },
  });
}

/** What applies to every operation that does not say otherwise. */
const BY_SESSION: Json[] = [{ session: [] }];

function securitySchemes(): Json {
  return {
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
  };
}

function describe(operation: Operation, parts: Parts): Json {
  const parameters = parts.parametersOf(operation);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(description(operation) && { description: description(operation) }),
    ...(operation.auth !== 'session' && { security: security(operation) }),
    ...(parameters.length > 0 && { parameters }),
    ...((operation.body ?? operation.rawBody) && { requestBody: requestBody(operation, parts) }),
    responses: { ...successes(operation, parts), ...parts.responses.failures(operation) },
  };
}

function description({ description: text, auth, roles }: Operation): string {
  const open =
    typeof auth === 'object' && auth.publicReads ? ' Without an account while PUBLIC_READS is on.' : '';
  const scope = typeof auth === 'object' ? `Scope: \`${auth.scope}\`.${open}` : '';
  const role = roles ? `Role: ${roles.join(' or ')}.` : '';
  return [text, scope, role].filter(Boolean).join(' ');
}

function security({ auth, acceptsToken, knowsCaller }: Operation): Json[] {
  if (auth === 'public') return knowsCaller ? [{}, { session: [] }, { apiKey: ['agents:read'] }] : [];
  if (auth === 'session') return BY_SESSION;
  return [
    { session: [] },
    { apiKey: [auth.scope] },
    ...(acceptsToken ? [{ oauth: [auth.scope] }] : []),
    // OpenAPI: an empty requirement makes authentication optional.
    ...(auth.publicReads ? [{}] : []),
  ];
}

/** The bodies of operations that do not declare one. Most generators of clients know no media type but the first. */
const VERBATIM: Json = {
  required: false,
  content: { 'application/json': { schema: {} }, '*/*': { schema: {} } },
  description: 'The body is passed on verbatim.',
};
const FORM: Json = {
  required: false,
  content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } }, '*/*': { schema: {} } },
  description: 'The parameters that OAuth defines.',
};

function requestBody({ id, body, rawBody, examples }: Operation, { schemas }: Parts): Json {
  if (!body || (rawBody && !body)) {
    return { $ref: `#/components/requestBodies/${rawBody === 'form' ? 'Form' : 'Verbatim'}` };
  }
  const example = examples?.request === undefined ? {} : { example: examples.request };
  const schema = schemas.convert(body, `${pascal(id)}Request`);
  return { required: true, content: { 'application/json': { schema, ...example } } };
}

function successes({ id, responses, alternatives = [], examples }: Operation, parts: Parts): Json {
  const entries = Object.entries(responses).map(([status, spec], index) => {
    if (spec === null && status === '204') return [status, parts.responses.noContent()];
    const example = index === 0 && examples?.response !== undefined ? { example: examples.response } : {};
    const name = `${pascal(id)}${index === 0 ? '' : status}Response`;
    return [
      status,
      {
        description: describeStatus(spec),
        ...content(spec, { name, example, alternatives: index === 0 ? alternatives : [] }, parts),
      },
    ];
  });
  return Object.fromEntries(entries) as Json;
}

function describeStatus(spec: ResponseSpec): string {
  if (spec === null) return 'Success; no body.';
  return typeof spec.description === 'string' ? spec.description : 'OK';
}

interface Shown {
  /** Name of the component of an unnamed schema. */
  name: string;
  example: Json;
  alternatives: readonly string[];
}

function content(spec: ResponseSpec, { name, example, alternatives }: Shown, { schemas }: Parts): Json {
  if (spec === null) return {};
  const first: Json =
    'mediaType' in spec
      ? { [spec.mediaType as string]: { schema: schemaOf(spec.mediaType as string), ...example } }
      : { 'application/json': { schema: schemas.convert(spec, name), ...example } };
  const others = alternatives.map((mediaType) => [mediaType, { schema: schemaOf(mediaType) }]);
  return { content: { ...first, ...(Object.fromEntries(others) as Json) } };
}

/** The schema of a response that the contract describes by its media type only. */
function schemaOf(mediaType: string): Json {
  return { type: /[/+]json$/.test(mediaType) ? 'object' : 'string' };
}
