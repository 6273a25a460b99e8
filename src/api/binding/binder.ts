import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { TObject } from '@sinclair/typebox';
import type { Operation } from '../../contract/operation';
import { MarketError, type FieldProblem } from '../../domain/errors';
import { clientNetwork } from '../../kit/client-address';
import { inLane } from '../../kit/concurrency/lanes';
import { compileCheck, type Check } from '../../kit/schemas/validator';
import type { Authentication } from '../identity/authentication';
import {
  DEFAULT_BODY_LIMIT_BYTES,
  parseJsonBody,
  readBytes,
  readJsonBytes,
  type UploadBudget,
} from '../requests/body';
import { contextOf } from './context';
import { sendJson } from '../answers/errors';
import { onBody } from '../requests/large-bodies';
import { readQuery } from '../requests/query';
import { Answer, HANDLED, type Handler, type HandlerInput, type RouteBinder } from './route';
import { mountRoutes } from './mount';

export interface BinderDeps {
  authentication: Pick<Authentication, 'authenticate'>;
  uploadBudget: UploadBudget;
  /** Counts the request against the caller's limits. Throws `rate_limited`. Runs once the caller is known. */
  admit: (operation: Operation, req: Request, res: Response) => void;
  /**
   * If true (outside of production), JSON responses are checked against the operation's schema; a mismatch is a 500.
   */
  checkResponses: boolean;
}

type AnyHandler = Handler<TObject, TObject, unknown, unknown>;
type Prepare = (body: unknown) => unknown;

interface BoundOperation {
  operation: Operation;
  handler: AnyHandler;
  prepare: Prepare | undefined;
  params: Check | undefined;
  query: Check | undefined;
  body: Check | undefined;
  responses: Map<number, Check>;
}

/**
 * Collects operations with their handlers. Every request runs the same way: the operation's own schemas check caller,
 * path, query and body; the handler returns or throws; and one function writes the response.
 */
export function createBinder(deps: BinderDeps): RouteBinder & { mount: () => void } {
  const operations: Operation[] = [];
  const routes: { operation: Operation; handle: RequestHandler }[] = [];
  const router = Router({ caseSensitive: true });

  function add(operation: Operation, handler: AnyHandler, prepare?: Prepare): void {
    if (operations.some(({ id }) => id === operation.id))
      throw new Error(`operation ${operation.id} is bound twice`);
    const bound = compile(operation, handler, prepare);
    operations.push(operation);
    routes.push({ operation, handle: (req, res) => run(bound, deps, req, res) });
  }

  return {
    router,
    operations,
    bind: (operation, handler) => add(operation, handler as unknown as AnyHandler),
    bindPrepared: (operation, prepare, handler) => add(operation, handler as unknown as AnyHandler, prepare),
    mount: () => mountRoutes(router, routes),
  };
}

function compile(operation: Operation, handler: AnyHandler, prepare: Prepare | undefined): BoundOperation {
  const responses = Object.entries(operation.responses).flatMap(([status, spec]) =>
    spec === null || 'mediaType' in spec ? [] : [[Number(status), compileCheck(spec, 'response')] as const],
  );
  return {
    operation,
    handler,
    prepare,
    params: operation.params && compileCheck(operation.params, 'path'),
    query: operation.query && compileCheck(operation.query, 'query', { defaults: true }),
    body: operation.body && compileCheck(operation.body, 'body'),
    responses: new Map(responses),
  };
}

async function run(bound: BoundOperation, deps: BinderDeps, req: Request, res: Response): Promise<void> {
  const { operation } = bound;
  const context = contextOf(req);
  context.route = operation.path;
  context.principal = await inLane(credentialLane(req), () =>
    deps.authentication.authenticate(operation, req, res),
  );
  const { principal } = context;
  const lane = principal ? `account/${principal.userId}` : `address/${clientNetwork(req.ip)}`;
  await inLane(lane, () => serve(bound, deps, req, res));
}

/** Checks and handles a request whose caller is known, and answers it. */
async function serve(bound: BoundOperation, deps: BinderDeps, req: Request, res: Response): Promise<void> {
  const { operation } = bound;
  deps.admit(operation, req, res);
  if (bound.params && bound.params(req.params).length > 0) throw new MarketError('not_found');
  const query = readQuery(operation.query, operation.auth === 'public', req.query);
  const problems: FieldProblem[] = [...query.problems, ...(bound.query?.(query.value) ?? [])];
  const body = await receiveBody(bound, deps, req, problems);
  const result = await bound.handler(toInput(operation, deps, req, res, { query: query.value, body }));
  if (result !== HANDLED) answer(bound, deps, res, result);
}

/** The lane of a request whose caller is not known yet. */
function credentialLane(req: Request): string {
  return `credential/${req.get('x-api-key') ?? req.headers.cookie ?? clientNetwork(req.ip)}`;
}

/** Reads the body for the handler. Throws `validation_failed` with the problems of query and body together. */
async function receiveBody(bound: BoundOperation, deps: BinderDeps, req: Request, problems: FieldProblem[]) {
  const { operation, prepare } = bound;
  const takesJson = operation.body !== undefined && !operation.rawBody;
  const limitBytes = operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
  const bytes = takesJson ? await readJsonBytes(req, limitBytes, deps.uploadBudget) : undefined;
  const understand = () => {
    const { value, nodes } = takesJson ? parseJsonBody(bytes) : { value: undefined, nodes: 0 };
    const all = takesJson ? [...problems, ...(bound.body?.(value, nodes) ?? [])] : problems;
    if (all.length > 0) throw new MarketError('validation_failed', { detail: all });
    if (prepare) return prepare(value);
    req.body = value;
    return value;
  };
  return onBody(bytes?.length ?? 0, understand);
}

function toInput(
  operation: Operation,
  deps: BinderDeps,
  req: Request,
  res: Response,
  values: { query: unknown; body: unknown },
): HandlerInput<TObject, TObject, unknown> {
  const { principal: caller, traceId, hops } = contextOf(req);
  return {
    params: req.params,
    query: values.query as Record<string, unknown>,
    body: values.body,
    get principal() {
      if (!caller) throw new Error(`operation ${operation.id} has no authenticated caller`);
      return caller;
    },
    caller,
    traceId,
    hops,
    readBytes: () => readBytes(req, operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES, deps.uploadBudget),
    req,
    res,
  };
}

function answer(bound: BoundOperation, deps: BinderDeps, res: Response, result: unknown): void {
  const { operation } = bound;
  const full: Answer<unknown> = result instanceof Answer ? result : new Answer(result);
  const { body, options } = full;
  const status = options.status ?? Number(Object.keys(operation.responses)[0] ?? 200);
  if (deps.checkResponses) checkResponse(bound, status, body);
  res.statusCode = status;
  for (const [name, value] of Object.entries(options.headers ?? {})) res.setHeader(name, value);
  if (operation.responses[status] === null || body === undefined) res.end();
  else sendJson(res, body);
}

function checkResponse(bound: BoundOperation, status: number, body: unknown): void {
  const { id, responses } = bound.operation;
  if (!(status in responses))
    throw new Error(`operation ${id} answers ${status}, which its contract does not name`);
  const problems = bound.responses.get(status)?.(body) ?? [];
  if (problems.length > 0)
    throw new Error(`operation ${id} answers outside its contract: ${JSON.stringify(problems)}`);
}
