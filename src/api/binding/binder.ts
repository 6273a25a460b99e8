import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Static, TObject } from '@sinclair/typebox';
import type { Operation } from '../../contract/operation';
import { operations } from '../../contract/operations';
import { permissionOf } from '../../contract/permissions';
import { isOfMembers } from '../../domain/accounts/roles';
import { MarketError, type FieldProblem } from '../../domain/errors';
import { clientNetwork } from '../../kit/client-address';
import { inLane } from '../../kit/concurrency/lanes';
import { compileCheck, type Check } from '../../kit/schemas/validator';
import type { Authentication } from '../identity/authentication';
import {
  type BodySource,
  declaredBytes,
  DEFAULT_BODY_LIMIT_BYTES,
  parseJsonBody,
  readBody,
  readJsonBody,
} from '../bodies/body';
import { bodyCheckOf, queryCheckOf } from '../bodies/body-check';
import type { BodyTask } from '../bodies/body-task';
import type { BodyThreads } from '../bodies/body-threads';
import { PREPARES } from '../bodies/prepares';
import { RefusedCall, refusedBody } from '../bodies/refused-call';
import { SMALL_BODY_BYTES, type Uploads } from '../bodies/uploads';
import type { OwnerLog } from '../identity/owner-log';
import { contextOf, type RequestContext } from '../identity/context';
import { sendJson } from '../answers/errors';
import { isProbe, isRescue } from '../requests/request-limits';
import { readQuery, withHeaderProblems, withOthers } from '../requests/request-fields';
import type { RefusalLine } from '../requests/refusal-line';
import { Answer, HANDLED } from '../answers/answer';
import { checkResponse } from './check-response';
import { type CredentialTurns, createCredentialTurns } from './credential-turns';
import type { Gate, Handler, RefusedInputOf, RouteBinder, VisitorGate } from './route';
import type { HandlerInput } from '../bodies/handler-input';
import { mountRoutes } from './mount';

export interface BinderDeps {
  authentication: Pick<Authentication, 'authenticate'>;
  uploads: Uploads;
  bodyThreads: Pick<BodyThreads, 'perform'>;
  /** Waits for the turn of a caller whose requests are refused again and again. Throws `concurrency_limited`. */
  line: RefusalLine;
  /** Whether the request has a session cookie that this service signed. */
  isSignedSession: (req: Request) => boolean;
  /** The call whose callback address the request has, if its token is right. */
  callbackOf: (operation: Operation, req: Request) => string | undefined;
  /**
   * Refuses a request whose caller is known, before authentication, to have used up its limits. Throws `rate_limited`.
   */
  refuseEarly: (operation: Operation, req: Request, res: Response, context: RequestContext) => void;
  /** Counts the request against the caller's limits. Throws `rate_limited`. Runs once the caller is known. */
  count: (operation: Operation, req: Request, res: Response, context: RequestContext) => void;
  /** Notes in the log of an organisation what a member changed. */
  noteChange: OwnerLog['during'];
  /**
   * If true (outside of production), JSON responses are checked against the operation's schema; a mismatch is a 500.
   */
  checkResponses: boolean;
}

type AnyHandler = Handler<TObject, TObject, unknown, unknown>;
type AnyGate = Gate<TObject>;
type AnyVisitorGate = VisitorGate<TObject>;
type Prepare = (body: unknown) => unknown;
type InputProblems = (refused: RefusedInputOf<TObject>) => Promise<readonly FieldProblem[]>;

interface BoundOperation {
  operation: Operation;
  isProbe: boolean;
  isRescue: boolean;
  isOfMembers: boolean;
  handler: AnyHandler;
  prepare: Prepare | undefined;
  gate: AnyGate | undefined;
  visitorGate: AnyVisitorGate | undefined;
  inputProblems: InputProblems | undefined;
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
  const mine: Operation[] = [];
  const routes: { operation: Operation; handle: RequestHandler }[] = [];
  const router = Router({ caseSensitive: true });
  const turns = createCredentialTurns();

  function add(operation: Operation, parts: Parts): void {
    if (mine.some(({ id }) => id === operation.id))
      throw new Error(`operation ${operation.id} is bound twice`);
    if (PREPARES.get(operation.id)?.prepare !== parts.prepare)
      throw new Error(`operation ${operation.id} is not prepared as src/api/bodies/prepares.ts lists it`);
    const bound = compile(operation, parts);
    mine.push(operation);
    const handle: RequestHandler = (req, res) =>
      run({ bound, deps, turns, req, res, context: contextOf(req) });
    routes.push({ operation, handle });
  }

  return {
    router,
    operations: mine,
    bind: (operation, handler, gate, visitorGate) =>
      add(operation, { handler, gate, visitorGate } as unknown as Parts),
    bindPrepared: (operation, first, handler) => add(operation, { ...first, handler } as unknown as Parts),
    mount: () => mountRoutes(router, routes),
  };
}

interface Parts {
  handler: AnyHandler;
  prepare?: Prepare;
  gate?: AnyGate;
  visitorGate?: AnyVisitorGate;
  inputProblems?: InputProblems;
}

function compile(operation: Operation, parts: Parts): BoundOperation {
  const { handler, prepare, gate, visitorGate, inputProblems } = parts;
  const responses = Object.entries(operation.responses).flatMap(([status, spec]) =>
    spec === null || 'mediaType' in spec ? [] : [[Number(status), compileCheck(spec, 'response')] as const],
  );
  return {
    operation,
    isProbe: isProbe(operation),
    isRescue: isRescue(operation),
    isOfMembers: isOfMembers(permissionOf(operation)),
    handler,
    prepare,
    gate,
    visitorGate,
    inputProblems,
    params: operation.params && compileCheck(operation.params, 'path'),
    query: queryCheckOf(operation),
    body: bodyCheckOf(operation),
    responses: new Map(responses),
  };
}

/** A request on its way through its operation. */
interface Exchange {
  bound: BoundOperation;
  deps: BinderDeps;
  turns: CredentialTurns;
  req: Request;
  res: Response;
  context: RequestContext;
}

async function run(exchange: Exchange): Promise<void> {
  const { bound, deps, turns, req, res, context } = exchange;
  const { operation } = bound;
  context.route = operation.path;
  context.isOfMembers = bound.isOfMembers;
  const callbackOf = deps.callbackOf(operation, req);
  if (callbackOf !== undefined) context.callbackOf = callbackOf;
  const passes = bound.isProbe || callbackOf !== undefined || (bound.isRescue && deps.isSignedSession(req));
  if (passes) context.passedLine = true;
  else await deps.line.enter(req, res, context);
  deps.refuseEarly(operation, req, res, context);
  context.principal = await turns(req, context, () =>
    deps.authentication.authenticate(operation, req, res, context),
  );
  await inLane(tenantOf(exchange), () => serve(exchange));
}

/** Checks and handles a request whose caller is known, and answers it. */
async function serve(exchange: Exchange): Promise<void> {
  const { bound, deps, req, res, context } = exchange;
  const { operation } = bound;
  deps.count(operation, req, res, context);
  if (bound.params && bound.params(req.params).length > 0) throw new MarketError('not_found');
  const query = readQuery(operation.query, operation.auth === 'public', req.query);
  const problems: FieldProblem[] = [...query.problems, ...(bound.query?.(query.value) ?? [])];
  if (!context.principal && operation.payable) await bound.visitorGate?.({ params: req.params, req });
  await passGate(exchange);
  const body = await receiveBody(exchange, problems);
  const handle = () => bound.handler(toInput(exchange, { query: query.value, body }));
  const result = await deps.noteChange(operation, req, context, handle);
  if (result !== HANDLED) answer(bound, deps, res, result);
}

/** Asks the gate of an operation about a body that is declared as large, before it is read. */
async function passGate(exchange: Exchange): Promise<void> {
  const bytes = declaredBytes(exchange.req);
  if (bytes !== undefined && bytes > SMALL_BODY_BYTES) await askGate(exchange, bytes);
}

async function askGate(exchange: Exchange, bytes: number | null): Promise<void> {
  const { bound, req, context } = exchange;
  if (!bound.gate || !context.principal) return;
  const { params, principal } = toInput(exchange, { query: {}, body: undefined });
  const check = await bound.gate({ params, principal, req, bytes });
  if (check) context.inputCheck = check;
}

/** Lets the thread that parses a large body validate the input in it, too. */
function withCheck(task: BodyTask, { inputCheck: check }: RequestContext): BodyTask {
  return check ? { ...task, check } : task;
}

/** Who pays for the processor time of a request: the account, else the address. */
function tenantOf({ req, context: { principal, payer } }: Exchange): string {
  return principal ? `account/${principal.userId}` : (payer ?? `address/${clientNetwork(req.ip)}`);
}

function sourceOf(exchange: Exchange): BodySource {
  const { bound, deps, req } = exchange;
  const { bodyLimitBytes } = bound.operation;
  const owners = [...new Set([tenantOf(exchange), `address/${clientNetwork(req.ip)}`])];
  return {
    req,
    limitBytes: bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
    uploads: deps.uploads,
    owners,
    ...(bound.gate && { beforeLarge: () => askGate(exchange, null) }),
  };
}

/** Reads the body for the handler. Throws `validation_failed` with the problems of query and body together. */
async function receiveBody(exchange: Exchange, problems: FieldProblem[]) {
  const { bound, deps, req, context } = exchange;
  const { operation, prepare } = bound;
  if (operation.body === undefined || operation.rawBody) {
    if (problems.length > 0) throw new MarketError('validation_failed', { detail: problems });
    return undefined;
  }
  const understand = (bytes: Buffer | undefined) => {
    const { value, nodes } = parseJsonBody(bytes, !prepare);
    const all = [...problems, ...(bound.body?.(value, nodes) ?? [])];
    if (all.length > 0) throw refusedBody(operation.id, value, all);
    return prepare ? prepare(value) : value;
  };
  return readJsonBody(sourceOf(exchange), async (bytes) => {
    const task = { kind: 'operation' as const, operationId: operation.id, problems };
    const isKnown = bytes !== undefined && operations.includes(operation);
    const work = isKnown
      ? deps.bodyThreads.perform(tenantOf(exchange), withCheck(task, context), bytes, () => understand(bytes))
      : Promise.resolve(bytes).then(understand);
    const value = await work.catch(async (error: unknown) => {
      throw withHeaderProblems(await withInputProblems(exchange, error), operation, req);
    });
    if (!prepare) req.body = value;
    return value;
  });
}

/** Adds what the agent's own schema refuses to the refusal of a body that is a call. */
async function withInputProblems({ bound, req, context }: Exchange, error: unknown): Promise<unknown> {
  const { inputProblems } = bound;
  const { principal } = context;
  if (!(error instanceof RefusedCall) || !inputProblems || !principal) return error;
  const params = req.params as Static<TObject>;
  const detail = withOthers(error.detail ?? [], await inputProblems({ params, principal, ...error.call }));
  return new MarketError(error.code, { detail });
}

function toInput(
  exchange: Exchange,
  values: { query: unknown; body: unknown },
): HandlerInput<TObject, TObject, unknown> {
  const { bound, deps, req, res, context } = exchange;
  const { operation } = bound;
  const { principal: caller, traceId, hops } = context;
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
    readBytes: (work) => readBody(sourceOf(exchange), work),
    perform: (task, bytes) => deps.bodyThreads.perform(tenantOf(exchange), withCheck(task, context), bytes),
    req,
    res,
  };
}

function answer(bound: BoundOperation, deps: BinderDeps, res: Response, result: unknown): void {
  const { operation } = bound;
  const full: Answer<unknown> = result instanceof Answer ? result : new Answer(result);
  const { body, options } = full;
  const status = options.status ?? Number(Object.keys(operation.responses)[0] ?? 200);
  if (deps.checkResponses) checkResponse(operation, bound.responses, status, body);
  res.statusCode = status;
  for (const [name, value] of Object.entries(options.headers ?? {})) res.setHeader(name, value);
  if (operation.responses[status] === null || body === undefined) res.end();
  else sendJson(res, body);
}
