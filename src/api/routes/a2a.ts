import { admittedCallOf } from '../../services/calls/invocations';
import type { Request, RequestHandler, Response } from 'express';
import type { TObject } from '@sinclair/typebox';
import { jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import type { Config } from '../../config';
import {
  a2aRest,
  a2aRpc,
  createTask,
  getAgentCard,
  getAgentCardAtBase,
  getAgentCardOfOldClients,
  pollTask,
} from '../../contract/a2a';
import { agentTermsSchema, getAgentTermsSchema } from '../../contract/a2a-terms';
import { termsExtension } from '../../domain/a2a/a2a-terms';
import { A2A_VERSION, mandateExtension, textField } from '../../domain/a2a/a2a-card';
import { MarketError } from '../../domain/errors';
import type { AgentCards } from '../../services/a2a/a2a-cards';
import type { CallGate } from '../../services/calls/call-gate';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import { callerOf, knowCaller, knowVisitor, visitorOf } from '../a2a/caller';
import type { DividedA2a } from '../bodies/divided-a2a';
import { type A2aHandlerDeps, createA2aHandler } from '../a2a/handler';
import { writeUnsupportedVersion } from '../a2a/faults';
import { requireEnvelope } from '../a2a/envelope';
import { legacyRpcHandler } from '../a2a/legacy';
import { type A2aVisitDeps, createVisitorHandler } from '../a2a/visitor';
import { servedVersion, versionOf } from '../a2a/version';
import { challengeForToken } from '../oauth/challenge';
import { answerInItsOwnForm } from '../a2a/own-form';
import { createStreamLimit, type StreamLimit } from '../a2a/stream-limit';
import { holdAsItsKind } from '../../kit/json/held-json';
import { isA2aJson } from '../bodies/body';
import { prepareTask } from '../bodies/prepares';
import type { Authentication } from '../identity/authentication';
import { createStreamCredentials } from '../identity/stream-credentials';
import { agentGate, inputProblemsOf } from '../requests/call-gates';
import { acceptOf, idempotencyKeyOf, readEvery } from '../requests/request-fields';
import { whenClosed } from '../identity/context';
import { holdJsonFor } from '../answers/large-pieces';
import { replayable } from '../answers/replayed';
import { createdTaskView, polledTaskView } from '../views/tasks';
import { Answer, HANDLED } from '../answers/answer';
import { ASKED_AGAIN, isKnown, NEVER_SHARED } from '../answers/known-tag';
import type { RouteBinder } from '../binding/route';
import type { HandlerInput } from '../bodies/handler-input';

export interface A2aRouteDeps extends Omit<A2aHandlerDeps & A2aVisitDeps, 'origin'> {
  config: Config;
  authentication: Pick<Authentication, 'isStillValid'>;
  agentCards: AgentCards;
  callGate: CallGate;
  servingVersions: ServingVersions;
}

/** The schema of a release does not change. Cards do: agents are suspended, and versions go live. */
const SCHEMA_CACHE = 'public, max-age=300';
const KEEP_ALIVE_MS = 15_000; // Proxies close idle connections.

/** Agent cards, the two paths of the specification, and the standard binding below the same base path. */
export function a2aRoutes(binder: RouteBinder, deps: A2aRouteDeps): void {
  const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
  const challenge = challengeForToken(origin, ({ params }) => `/v1/a2a/${String(params['agent_id'])}`);
  binder.router.use('/v1/a2a/:agent_id', answerInItsOwnForm, challenge);
  bindCards(binder, deps);
  bindSpecification(binder, deps);
  const requestHandler = createA2aHandler({ ...deps, origin });
  const userBuilder = (req: Request) => Promise.resolve(callerOf(req));
  const streams = createStreamLimit(deps.config, createStreamCredentials(deps.authentication));
  const divide = messageDivider(deps, mandateExtension(origin));
  const common = { isLegacy: false, streams, divide };
  const rest = { ...common, isRpc: false, handler: restHandler({ requestHandler, userBuilder }) };
  const rpc = { ...common, isRpc: true, handler: jsonRpcHandler({ requestHandler, userBuilder }) };
  const legacyRpc = { ...rpc, isLegacy: true, handler: legacyRpcHandler(requestHandler) };
  const gate = agentGate(deps.callGate);
  const visit = visitsOf({ ...deps, origin }, divide);
  binder.bind(
    a2aRpc,
    async (input) => {
      const version = servedVersion(versionOf(input.req));
      // the library would answer this request with 500
      if (version === undefined) return writeUnsupportedVersion(input.res);
      if (!input.caller) return visit(input, version !== A2A_VERSION);
      return delegate(version === A2A_VERSION ? rpc : legacyRpc, input);
    },
    gate,
  );
  for (const operation of a2aRest)
    binder.bind(
      operation,
      (input) => delegate(rest, input),
      (input) => gate(input as Parameters<typeof gate>[0]),
    );
  binder.bind(pollTask, async (input) => {
    if (versionOf(input.req) !== undefined) return delegate(rest, input);
    const { params, principal, res } = input;
    const scope = { callerUserId: principal.userId, agentId: params.agent_id };
    return polledTaskView(await deps.taskViews.get(scope, params.task_id, holdJsonFor(res)));
  });
}

function bindCards(binder: RouteBinder, { agentCards, config }: A2aRouteDeps): void {
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  const schema = agentTermsSchema(termsExtension(origin));
  binder.bind(getAgentTermsSchema, async ({ res }) => {
    res.setHeader('Cache-Control', SCHEMA_CACHE);
    res.setHeader('Content-Type', 'application/schema+json; charset=utf-8');
    res.end(schema);
    return HANDLED;
  });
  for (const operation of [getAgentCard, getAgentCardAtBase, getAgentCardOfOldClients]) {
    binder.bind(operation, async ({ params, caller, req }) => {
      const { current, both, visibility } = await agentCards.of(params.agent_id, caller?.userId);
      const { card, etag } = servedVersion(versionOf(req)) === A2A_VERSION ? current : both;
      if (visibility === 'private')
        return new Answer(card as never, { headers: { 'Cache-Control': NEVER_SHARED } });
      const headers = { 'Cache-Control': ASKED_AGAIN, ETag: etag, Vary: 'Accept-Encoding, A2A-Version' };
      if (isKnown(req.headers['if-none-match'], etag)) return new Answer(undefined, { status: 304, headers });
      return new Answer(card as never, { headers });
    });
  }
}

function bindSpecification(binder: RouteBinder, deps: A2aRouteDeps): void {
  const { inputCheck } = deps;
  const first = {
    prepare: prepareTask,
    gate: agentGate(deps.callGate),
    inputProblems: inputProblemsOf(inputCheck),
  };
  binder.bindPrepared(createTask, first, async ({ params, body, principal, traceId, hops, req }) => {
    const agentId = params.agent_id;
    const tests = () => acceptOf(req, null, []);
    const { idempotencyKey, accept } = await readEvery(
      { idempotencyKey: () => idempotencyKeyOf(req, body.idempotency_key), accept: tests },
      () => inputCheck.ofAgent({ agentId, userId: principal.userId, input: body.input.body }),
    );
    await deps.a2aTasks.requireInvocable(agentId, principal.userId);
    const call = await admittedCallOf(deps.mandates, {
      principal,
      agentId,
      surface: 'a2a',
      input: body.input,
      canonicalInput: () => body.canonicalInput,
      maxCostCredits: null,
      accept,
      idempotencyKey,
      mandate: body.mandate,
      traceId,
      hops,
    });
    const scope = { callerUserId: principal.userId, agentId };
    const { taskId, start } = await deps.taskEngine.submit({
      ...scope,
      contextId: null,
      message: null,
      push: null,
      call,
    });
    const answer = createdTaskView(await deps.taskViews.get(scope, taskId));
    return replayable(answer, start === null, 202);
  });
}

type WireInput = Pick<
  HandlerInput<TObject, TObject, unknown>,
  'params' | 'principal' | 'caller' | 'traceId' | 'hops' | 'req' | 'res' | 'readBytes' | 'perform'
>;

interface Binding {
  handler: RequestHandler;
  isRpc: boolean;
  isLegacy: boolean;
  streams: StreamLimit;
  divide: ReturnType<typeof messageDivider>;
}

/** Passes a request to the library, with its body parsed by our rules and its path relative to the agent's base. */
async function delegate(
  { handler, isRpc, isLegacy, streams, divide }: Binding,
  input: WireInput,
): Promise<typeof HANDLED> {
  const { req, res, principal, traceId, hops } = input;
  const gone = goneWith(res);
  const agentId = (input.params as { agent_id: string }).agent_id;
  req.headers['a2a-version'] = versionOf(req);
  streams.require(principal.userId, req);
  const divided = hasJsonBody(req) ? await divide(input, agentId, isRpc) : undefined;
  if (divided) {
    // The library compares the type with those that it knows for each binding.
    req.headers['content-type'] = 'application/json';
    req.body = divided.body;
    if (isRpc) req.body = requireEnvelope(divided.body);
  }
  if (gone.signal.aborted) return HANDLED;
  streams.enter(principal.userId, req, res);
  req.url = isRpc ? '/' : req.url.replace(/^\/v1\/a2a\/[^/]+/, '');
  keepAlive(res);
  const hold = isLegacy ? holdAsItsKind(holdJsonFor(res)) : holdJsonFor(res);
  return new Promise((resolve, reject) => {
    const closed = gone.signal;
    const ways = { isRpc, isLegacy, hold, closed, refuse: reject };
    knowCaller({ principal, agentId, traceId, hops, req, divided, ...ways });
    whenClosed(res, () => resolve(HANDLED));
    void handler(req, res, (error?: unknown) =>
      reject(error instanceof Error ? error : new Error('not answered')),
    );
  });
}

/**
 * Whether a request has a body to read. Throws `unsupported_media_type` for a body that is declared as another type.
 */
function hasJsonBody({ method, headers }: Request): boolean {
  const contentType = headers['content-type'];
  if (method !== 'POST' || contentType === undefined) return false;
  if (isA2aJson(contentType)) return true;
  throw new MarketError('unsupported_media_type', {
    message: 'Send application/json or application/a2a+json, in UTF-8.',
  });
}

/**
 * Reads requests without keeping their bytes. Large ones are parsed and prepared in a thread, at the caller's expense.
 */
function messageDivider({ servingVersions }: Pick<A2aRouteDeps, 'servingVersions'>, mandateKey: string) {
  /** A version that the caller cannot call is refused by the operation, which names the reason. */
  async function formOf(agentId: string, userId: string | undefined) {
    const version = await servingVersions.ofAgent(agentId, userId).catch(ignoreRefusal);
    if (!version || version.kind === 'mcp') return { textField: undefined, takesParts: false };
    const { inputSchema, kind } = version;
    const schema = inputSchema === null ? null : (JSON.parse(inputSchema) as unknown);
    return { textField: textField(schema), takesParts: kind === 'a2a' };
  }

  return ({ readBytes, perform, caller }: Omit<WireInput, 'principal'>, agentId: string, isRpc: boolean) =>
    readBytes(async (body) => {
      if (body.length === 0) return { body: undefined };
      const form = await formOf(agentId, caller?.userId);
      return perform<DividedA2a>({ kind: 'a2a', isRpc, ...form, mandateKey }, body);
    });
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof MarketError)) throw error;
}

/** Requests without credentials, whose messages may pay for a call by x402. */
function visitsOf(deps: A2aVisitDeps, divide: ReturnType<typeof messageDivider>) {
  const requestHandler = createVisitorHandler(deps);
  const rpc = jsonRpcHandler({ requestHandler, userBuilder: (req) => Promise.resolve(visitorOf(req)) });
  const legacy = legacyRpcHandler(requestHandler, visitorOf);
  return async (input: Omit<WireInput, 'principal'>, isLegacy: boolean): Promise<typeof HANDLED> => {
    const { req, res, traceId, hops } = input;
    const agentId = (input.params as { agent_id: string }).agent_id;
    if (!hasJsonBody(req)) throw new MarketError('not_authenticated');
    req.headers['a2a-version'] = versionOf(req);
    const divided = await divide(input, agentId, true);
    req.headers['content-type'] = 'application/json';
    req.body = requireEnvelope(divided.body);
    req.url = '/';
    const hold = isLegacy ? holdAsItsKind(holdJsonFor(res)) : holdJsonFor(res);
    const { signal: closed } = goneWith(res);
    return new Promise((resolve, reject) => {
      knowVisitor({
        agentId,
        traceId,
        hops,
        req,
        divided,
        isRpc: true,
        isLegacy,
        hold,
        closed,
        refuse: reject,
      });
      whenClosed(res, () => resolve(HANDLED));
      const handler = isLegacy ? legacy : rpc;
      void handler(req, res, (error?: unknown) =>
        reject(error instanceof Error ? error : new Error('not answered')),
      );
    });
  };
}

function goneWith(res: Response): AbortController {
  const gone = new AbortController();
  whenClosed(res, () => gone.abort());
  return gone;
}

function keepAlive(res: Response): void {
  const timer = setInterval(() => {
    const isStream = String(res.getHeader('content-type')).startsWith('text/event-stream');
    if (isStream && res.headersSent && !res.writableEnded && !res.writableNeedDrain)
      res.write(': keep-alive\n\n');
  }, KEEP_ALIVE_MS);
  whenClosed(res, () => clearInterval(timer));
}
