import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../../../src/api/app';
import { httpStatus } from '../../../src/api/answers/http-status';
import { expressPath } from '../../../src/api/binding/mount';
import { allRoutes } from '../../../src/api/routes';
import { operations } from '../../../src/contract/operations';
import { openapiDocument } from '../../../src/contract/openapi';
import { loadConfig } from '../../../src/config';
import { createLogger } from '../../../src/logger';
import { startTestApi, type TestApi } from '../../support/stack/api';

type Json = Record<string, unknown>;
interface Content {
  schema: Json;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}
interface Described {
  operationId: string;
  security: Json[];
  parameters?: { name: string; in: string; required: boolean; schema: Json }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}

const document = openapiDocument(operations, { version: '1.2.3', statusOf: httpStatus });
const described = Object.entries(document['paths'] as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** One for all operations: most of the time goes into reading the whole document. */
const ajv = addFormats(new Ajv({ strict: false, allErrors: true }));
beforeAll(() => {
  ajv.addSchema(document, 'document');
});

const compiled = new Map<string, ValidateFunction>();
/** Operations share most schemas, such as the one of errors. */
function validatorOf(schema: Json): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known) return known;
  const made = ajv.compile(JSON.parse(key.replaceAll('"#/', '"document#/')) as Json);
  compiled.set(key, made);
  return made;
}

/** A part of the document, or the component that it references. */
function resolved<T extends object>(part: T): T {
  const { $ref } = part as { $ref?: string };
  if ($ref === undefined) return part;
  const steps = $ref.split('/').slice(1);
  return steps.reduce<unknown>((value, step) => (value as Json)[step], document) as T;
}

interface Layer {
  route?: { path: string; methods: Record<string, boolean | undefined> };
  handle: { stack?: Layer[] };
}

/** Every method and path that Express answers with a handler of its own, as `get /v1/x/:y`. */
function expressRoutes(stack: Layer[]): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (!route) return handle.stack ? expressRoutes(handle.stack) : [];
    const methods = Object.keys(route.methods).filter((method) => method !== '_all' && route.methods[method]);
    return methods.map((method) => `${method} ${route.path}`);
  });
}

/** The whole application with every route file; its services are not needed to see what is mounted. */
function wholeApp(): Express {
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
  const deps = {
    config,
    logger: createLogger('openapi', 'silent'),
    authentication: {},
    isUnavailable: () => false,
  };
  const whole = new Proxy(deps, { get: (target, name): unknown => Reflect.get(target, name) ?? {} });
  return createApp(whole as never, allRoutes as never);
}

describe('/openapi.json', () => {
  it('has every route that Express has, and no other', () => {
    const app = wholeApp() as unknown as { router: { stack: Layer[] } };
    const served = expressRoutes(app.router.stack).sort();
    const documented = described.map(({ method, path }) => `${method} ${expressPath(path)}`).sort();
    expect(documented.length).toBeGreaterThanOrEqual(8);
    expect(served).toEqual(documented);
  });

  it('gives every operation an id of its own', () => {
    const ids = described.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(described.map((entry) => [entry.operation.operationId, entry] as const))(
    '%s is complete',
    (_id, { path, operation }) => {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? [])
        .map(resolved)
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      expect(declared.sort()).toEqual(inPath.sort());
      expect(Object.keys(operation.responses).some((status) => /^[23]/.test(status))).toBe(true);
      expect(operation.responses).toHaveProperty('default');
      // An operation that begins with the empty requirement ignores credentials that are not valid.
      const first = operation.security?.[0];
      const isOpen = operation.security?.length === 0 || (first && Object.keys(first).length === 0);
      if (!isOpen) expect(operation.responses).toHaveProperty('401');
    },
  );

  it.each(described.map((entry) => [entry.operation.operationId, entry.operation] as const))(
    '%s: its schemas compile and its examples fit them',
    (_id, operation) => {
      const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
        Object.values(resolved(part ?? {}).content ?? {}),
      );
      for (const part of contents) {
        const validate = validatorOf(part.schema);
        const values = Object.values(part.examples ?? {}).map((example) => resolved(example).value);
        const examples = [part.example, ...values];
        for (const example of examples) {
          if (example === undefined) continue;
          validate(example);
          expect(validate.errors ?? []).toEqual([]);
        }
      }
    },
  );
});

describe('reading it', () => {
  let api: TestApi;
  afterEach(() => api.close());

  it('needs no account while PUBLIC_READS is on', async () => {
    api = await startTestApi({ env: { PUBLIC_READS: 'true' } });
    const response = await request(api.url).get('/openapi.json').expect(200);
    expect(response.body).toMatchObject({ openapi: '3.1.0', info: { version: '0.0.0-test' } });
    expect(response.text.length).toBeLessThanOrEqual(350_000);
    await request(api.url).get('/v1/auth/me').expect(401);
  });
});
