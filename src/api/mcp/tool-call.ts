/**
 * `tools/call`: a paid call on the surface `mcp`. Refused and failed calls are reported as a result of the tool, so
 * that the model can react. Errors of the message itself are JSON-RPC errors.
 */
import { admittedCallOf } from '../../services/calls/invocations';
import type { TObject } from '@sinclair/typebox';
import type { Request, Response } from 'express';
import { MarketError, type ErrorCode, type FieldProblem } from '../../domain/errors';
import { paymentRequired } from '../../domain/calls/payment-required';
import type { CompletedCall, InvokeEngine } from '../../engine/invoke';
import { mirrorProblem, type HeaderMirror } from '../../kit/streams/mcp-mirrors';
import type { InputCheck } from '../../services/calls/agent/input-check';
import type { Mandates } from '../../services/mandates/mandates';
import type { Era } from '../../services/mcp/protocol';
import type { AgentTool, McpTools } from '../../services/mcp/mcp-tools';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { readEvery, sentenceOf } from '../requests/request-fields';
import { clientGone } from '../identity/context';
import { reportDelivery } from '../answers/answer-call';
import { REPLAYED_HEADERS } from '../answers/replayed';
import { errorBody, toMarketError, type FaultDeps } from '../answers/errors';
import { onAnswer } from '../bodies/large-answers';
import type { HandlerInput } from '../bodies/handler-input';
import type { Principal } from '../identity/principal';
import type { DividedMessage } from '../bodies/divided-mcp';
import { optionReaders } from './call-options';
import { mismatch } from './era';
import { McpFault, RPC, type McpMessage, type RpcId } from './protocol';
import { errorResult, ownResult, passedResult, sendResult, type WriteJson } from './results';
import { asRecord } from '../../domain/json-value';

export interface ToolCallDeps extends FaultDeps {
  engine: InvokeEngine;
  mcpTools: McpTools;
  mandates: Mandates;
  inputCheck: InputCheck;
  config: { PUBLIC_ORIGIN: string };
}

/** A request that follows the rules of its era. */
export interface McpRequest {
  id: RpcId;
  message: McpMessage;
  era: Era;
  version: ServingVersion;
  principal: Principal;
  traceId: string;
  hops: number;
  /** The input of a tool call, if the message is one. */
  prepared: DividedMessage;
  req: Request;
  res: Response;
  perform: HandlerInput<TObject, TObject, unknown>['perform'];
}

/** Errors of the service or of a missing agent, which are not results of a tool. */
const NOT_RESULTS: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'not_ready',
  'overloaded',
  'not_authenticated',
]);

export async function callTool(deps: ToolCallDeps, request: McpRequest): Promise<void> {
  const { id, era, version, traceId, req, res } = request;
  const { name, args, ...parts } = await readCall(deps, request);
  const tool = await toolOf(deps, request, name);
  if (!tool)
    throw new McpFault(
      RPC.invalidParams,
      `Unknown tool: ${name.slice(0, 128)}. Ask tools/list for the tools of this agent.`,
    );
  if (era === 'modern') requireMirrors(tool.mirrors, args, req);
  let call: CompletedCall;
  try {
    call = await invokeAgent(deps, request, parts);
  } catch (error) {
    if (error instanceof McpFault) throw error;
    const failure = aboutArguments(toMarketError(error, deps, traceId), version);
    if (NOT_RESULTS.has(failure.code)) throw failure;
    if (failure.code === 'internal_error') throw internalFault(failure, traceId);
    if (failure.retryAfterSeconds !== undefined) res.setHeader('Retry-After', failure.retryAfterSeconds);
    const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
    const payment = paymentRequired(failure, { origin, resourceUrl: `${origin}/mcp/a/${version.agentId}` });
    sendResult(res, id, errorResult({ era, version, error: failure, traceId, tool, payment }));
    return;
  }
  reportDelivery(res, call);
  if (call.replayed) res.set(REPLAYED_HEADERS);
  const write: WriteJson = async (task, output) =>
    (await onAnswer<{ json: Buffer }>(request.perform, task, output)).json;
  const result =
    version.kind === 'mcp'
      ? passedResult(era, version, call, write)
      : ownResult(era, version, tool, call, write);
  sendResult(res, id, await result);
}

/** Makes the paid call. While it runs, only the bytes of the arguments are kept. */
async function invokeAgent(
  deps: ToolCallDeps,
  request: McpRequest,
  { input, mandate, maxCostCredits, idempotencyKey }: Omit<ReadCall, 'name' | 'args'>,
): Promise<CompletedCall> {
  const { version, principal, traceId, hops } = request;
  const presented = mandate();
  const { canonical = '' } = request.prepared;
  request.prepared = { body: null };
  const order = await admittedCallOf(deps.mandates, {
    principal,
    agentId: version.agentId,
    surface: 'mcp',
    input,
    canonicalInput: () => canonical,
    maxCostCredits,
    idempotencyKey,
    mandate: presented,
    traceId,
    hops,
    gone: clientGone(request.res),
  });
  return deps.engine.invoke(order);
}

type ReadCall = Awaited<ReturnType<typeof readCall>>;

/** Reads a call. Throws one `McpFault` (-32602) that names every wrong parameter, header and argument. */
async function readCall({ inputCheck }: ToolCallDeps, { message, prepared, version, req }: McpRequest) {
  const { input, shortArguments: args = {} } = prepared;
  try {
    const { input: given, ...rest } = await readEvery(
      {
        name: () => {
          if (typeof message.params.name === 'string') return message.params.name;
          throw wrong('name', 'params.name must be text.');
        },
        input: () => {
          if (input) return input;
          throw wrong('arguments', 'params.arguments must be an object.');
        },
        ...optionReaders(req, asRecord(message.params._meta)),
      },
      async () => {
        const problems = input ? await inputCheck.ofVersion(version, input.body) : [];
        return problems.map((problem) => inArguments(problem, version));
      },
    );
    return { ...rest, args, input: given };
  } catch (error) {
    if (!(error instanceof MarketError) || !error.detail) throw error;
    throw new McpFault(RPC.invalidParams, sentenceOf(error), { data: { detail: error.detail } });
  }
}

function wrong(name: string, msg: string): MarketError {
  return new MarketError('validation_failed', {
    message: msg,
    detail: [{ loc: ['params', name], msg, type: 'type' }],
  });
}

/** Finds a tool. If an MCP agent cannot list its tools, the call is made anyway and reveals the problem. */
async function toolOf(
  deps: ToolCallDeps,
  { version, hops }: McpRequest,
  name: string,
): Promise<AgentTool | undefined> {
  try {
    return await deps.mcpTools.find(version, name, hops);
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    return {
      name,
      mirrors: [],
      structured: { legacy: 'never', modern: 'never' },
      declaresOutput: { legacy: true, modern: true },
    };
  }
}

function requireMirrors(mirrors: readonly HeaderMirror[], args: Record<string, unknown>, req: Request): void {
  const problem = mirrorProblem(mirrors, args, (header) => req.get(header));
  if (problem !== undefined) throw mismatch(problem);
}

/** Moves problems of the input to the place where the client wrote it. */
function aboutArguments(error: MarketError, version: ServingVersion): MarketError {
  if (error.code !== 'input_schema_mismatch') return error;
  const { message, invocationId } = error;
  const detail = error.detail?.map((problem) => inArguments(problem, version));
  return new MarketError(error.code, { message, detail, invocationId });
}

/** The input of an MCP agent is `{tool, arguments}`, which the client wrote as `name` and `arguments`. */
function inArguments(problem: FieldProblem, { kind }: ServingVersion): FieldProblem {
  const [, , ...path] = problem.loc;
  if (kind !== 'mcp') return { ...problem, loc: ['params', 'arguments', ...path] };
  const [member, ...rest] = path;
  return { ...problem, loc: ['params', ...(member === 'tool' ? ['name'] : path.slice(0, 1)), ...rest] };
}

function internalFault(error: MarketError, traceId: string): McpFault {
  return new McpFault(RPC.internalError, error.message, { status: 500, data: errorBody(error, traceId) });
}
