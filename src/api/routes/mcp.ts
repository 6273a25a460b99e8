import type { TObject } from '@sinclair/typebox';
import { MARKET_META } from '../../domain/calls/mcp-meta';
import type { Config } from '../../config';
import { mcpAgent, mcpMarket } from '../../contract/mcp';
import { MarketError } from '../../domain/errors';
import type { CallGate } from '../../services/calls/call-gate';
import type { ServingVersion, ServingVersions } from '../../services/catalogue/serving-version-cache';
import type { PaidCalls } from '../../services/x402/paid-calls';
import type { InvokeEngine } from '../../engine/invoke';
import { isJsonUtf8 } from '../bodies/body';
import { agentGate } from '../requests/call-gates';
import { eraOf } from '../mcp/wire/era';
import { answerVisitor } from '../mcp/visitor-call';
import { toMessage } from '../mcp/wire/message';
import { offerOf } from '../mcp/wire/client-offer';
import { answerMarketRequest, type MarketMethodDeps } from '../mcp/market/methods';
import { MARKET_JOBS, marketServer } from '../mcp/market/server';
import { TOOL_NAMES } from '../mcp/market/tool-list';
import type { ToolName } from '../mcp/market/tool-schemas';
import { answerRequest, type MethodDeps } from '../mcp/methods';
import { refuseStrangeOrigin } from '../mcp/wire/origin';
import { challengeForToken } from '../oauth/challenge';
import type { DividedMessage, DivideOptions } from '../bodies/divided-mcp';
import { McpFault, RPC, type McpMessage, type RpcId } from '../mcp/wire/protocol';
import { createReply } from '../mcp/wire/reply';
import { answerQuestion, type AskedResponse, questionOf } from '../mcp/tasks/questions';
import { endedResult } from '../mcp/tasks/ended-call';
import { createLogLevels, type FormResponse, formResponseOf } from '../mcp/notices';
import { createTaskStreams } from '../mcp/tasks/streams';
import type { McpExchange, McpRequest, McpServer } from '../mcp/wire/mcp-request';
import { errorBody, toMarketError } from '../answers/errors';
import type { Authentication } from '../identity/authentication';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import type { HandlerInput } from '../bodies/handler-input';
import { ownOrigins } from '../setting-lists';

export interface McpRouteDeps extends Omit<MethodDeps & MarketMethodDeps, 'taskStreams' | 'logLevels'> {
  servingVersions: ServingVersions;
  paidCalls: PaidCalls;
  engine: Pick<InvokeEngine, 'begin' | 'invoke'>;
  callGate: CallGate;
  authentication: Pick<Authentication, 'isStillValid'>;
  config: Config;
}

type Input = Pick<
  HandlerInput<TObject, TObject, unknown>,
  'req' | 'res' | 'readBytes' | 'perform' | 'principal' | 'traceId' | 'hops'
>;

/** POST /mcp and POST /mcp/a/{agent_id}: stateless MCP servers; both eras use the same address. */
export function mcpRoutes(binder: RouteBinder, routeDeps: McpRouteDeps): void {
  const { config, authentication } = routeDeps;
  const deps = {
    ...routeDeps,
    logLevels: createLogLevels(),
    taskStreams: createTaskStreams(config, authentication),
  };
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  binder.router.use(
    '/mcp',
    challengeForToken(origin, ({ path }) => `/mcp${path}`),
    refuseStrangeOrigin(ownOrigins(config)),
  );
  binder.bind(
    mcpAgent,
    async (input) => {
      const { params, caller } = input;
      const version = await deps.servingVersions.ofAgent(params.agent_id, caller?.userId);
      if (!caller) return visit(deps, input, version);
      const { agentId, kind, jobs } = version;
      return exchange(deps, input, {
        divide: { namesTool: kind === 'mcp' },
        jobs,
        answer: (received) => {
          const server: McpServer = {
            identity: version,
            agentId,
            passesOn: kind === 'mcp',
            ended: (call, more) => endedResult(deps, request, call, more),
          };
          const request: McpRequest = { ...received, version, server };
          return answerRequest(deps, request);
        },
      });
    },
    agentGate(deps.callGate),
  );
  binder.bind(mcpMarket, (input) =>
    exchange(deps, input, {
      divide: { namesTool: false, market: MARKET_TOOLS },
      jobs: MARKET_JOBS,
      answer: (received) => answerMarketRequest(deps, { ...received, server: marketServer(received) }),
    }),
  );
}

const MARKET_TOOLS = { own: TOOL_NAMES, call: 'call_agent' satisfies ToolName };

/** A caller without credentials may pay for a call. */
async function visit(
  deps: McpRouteDeps,
  input: Omit<Input, 'principal'>,
  version: ServingVersion,
): Promise<typeof HANDLED> {
  const reply = createReply(input.req, input.res);
  let id: RpcId | undefined;
  try {
    const received = await receive(input, { namesTool: version.kind === 'mcp' });
    if (!('message' in received)) throw new MarketError('not_authenticated');
    ({ id } = received.message);
    const { req, res, perform, traceId, hops } = input;
    await answerVisitor(deps, { ...received, req, res, perform, traceId, hops, version, reply });
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    reply.fault(error.id ?? id ?? null, error);
  }
  return HANDLED;
}

/** The server that a message is for. */
interface Served {
  divide: Pick<DivideOptions, 'namesTool' | 'market'>;
  /** What the agent declares about jobs; null if its calls become none. */
  jobs: object | null;
  answer: (request: Omit<McpExchange, 'server'>) => Promise<void>;
}

/** Reads one message, and answers it. */
async function exchange(deps: McpRouteDeps, input: Input, served: Served): Promise<typeof HANDLED> {
  const { req, res, principal, traceId, hops, perform } = input;
  const reply = createReply(req, res);
  let id: RpcId | undefined;
  try {
    const received = await receive(input, served.divide);
    if ('form' in received) {
      const { formId, answer } = received.form;
      await deps.liveForms.answer(principal.userId, formId, answer);
      res.status(202).end();
      return HANDLED;
    }
    if ('question' in received) {
      const { question } = received;
      await answerQuestion(deps, { buyerUserId: principal.userId, ...question }, question.response);
      res.status(202).end();
      return HANDLED;
    }
    const { message, prepared } = received;
    ({ id } = message);
    const era = eraOf(message, req.headers);
    if (id === undefined) {
      // A notification is accepted and ignored, because the server has no sessions.
      res.status(202).end();
      return HANDLED;
    }
    const client = offerOf(message, era, served, req.get('mcp-session-id'));
    const caller = { principal, traceId, hops, req, res, reply, perform };
    await served.answer({ id, message, era, client, prepared, ...caller });
  } catch (error) {
    if (error instanceof McpFault) reply.fault(error.id ?? id ?? null, error);
    else if (reply.begun) reply.fault(id ?? null, faultOf(toMarketError(error, deps, traceId), traceId));
    else throw error;
  }
  return HANDLED;
}

/** One of our errors after a stream has begun. */
function faultOf(error: MarketError, traceId: string): McpFault {
  return new McpFault(RPC.internalError, error.message, { data: errorBody(error, traceId) });
}

/**
 * Reads the message of a body, without keeping its bytes. Large ones are parsed in a thread, at the caller's expense.
 */
async function receive(
  { req, readBytes, perform }: Pick<Input, 'req' | 'readBytes' | 'perform'>,
  divide: Served['divide'],
): Promise<
  { message: McpMessage; prepared: DividedMessage } | { question: AskedResponse } | { form: FormResponse }
> {
  if (!isJsonUtf8(req.headers['content-type'])) throw new MarketError('unsupported_media_type');
  const hasMandate = req.get('x-mandate') !== undefined;
  return readBytes(async (body) => {
    try {
      const options = { ...divide, hasMandate, mandateKey: MARKET_META.mandate };
      const prepared = await perform<DividedMessage>({ kind: 'mcp', ...options }, body);
      const form = formResponseOf(prepared.body);
      if (form) return { form };
      const question = questionOf(prepared.body);
      return question ? { question } : { message: toMessage(prepared.body), prepared };
    } catch (error) {
      if (!(error instanceof MarketError) || error.code !== 'malformed_json') throw error;
      throw new McpFault(RPC.parseError, error.message, { status: 400 });
    }
  });
}
