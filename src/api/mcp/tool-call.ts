/**
 * `tools/call`: a paid call on the surface `mcp`. Refused and failed calls are reported as a result of the tool, so
 * that the model can react. Errors of the message itself are JSON-RPC errors.
 */
import type { TObject } from '@sinclair/typebox';
import type { Request, Response } from 'express';
import { MarketError, type ErrorCode } from '../../domain/errors';
import { paymentRequired } from '../../domain/calls/payment-required';
import type { CompletedCall, InvokeEngine } from '../../engine/invoke';
import { mirrorProblem, type HeaderMirror } from '../../kit/streams/mcp-mirrors';
import type { PreparedInput } from '../../services/calls/prepared-input';
import type { Mandates } from '../../services/mandates/mandates';
import type { Era } from '../../services/mcp/protocol';
import type { AgentTool, McpTools } from '../../services/mcp/mcp-tools';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { admittedCallOf } from '../requests/call-request';
import { clientGone } from '../requests/client-gone';
import { reportDelivery } from '../answers/delivery';
import { REPLAYED_HEADERS } from '../answers/replayed';
import { errorBody, toMarketError, type FaultDeps } from '../answers/errors';
import { onAnswer } from '../bodies/large-answers';
import type { HandlerInput } from '../bodies/handler-input';
import type { Principal } from '../identity/principal';
import type { DividedMessage } from '../bodies/divided-mcp';
import { callOptionsOf, type CallOptions } from './call-options';
import { mismatch } from './era';
import { McpFault, RPC, type McpMessage, type RpcId } from './protocol';
import { errorResult, ownResult, passedResult, sendResult, type WriteJson } from './results';
import { asRecord } from '../../domain/json-value';

export interface ToolCallDeps extends FaultDeps {
  engine: InvokeEngine;
  mcpTools: McpTools;
  mandates: Mandates;
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
  const { id, message, era, version, traceId, req, res } = request;
  const { name, args, input } = toolCallOf(request);
  const options = callOptionsOf(req, asRecord(message.params._meta));
  const tool = await toolOf(deps, request, name);
  if (!tool)
    throw new McpFault(
      RPC.invalidParams,
      `Unknown tool: ${name.slice(0, 128)}. Ask tools/list for the tools of this agent.`,
    );
  if (era === 'modern') requireMirrors(tool.mirrors, args, req);
  let call: CompletedCall;
  try {
    call = await invokeAgent(deps, request, input, options);
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
  input: PreparedInput,
  options: CallOptions,
): Promise<CompletedCall> {
  const { version, principal, traceId, hops } = request;
  const { maxCostCredits, idempotencyKey } = options;
  const mandate = options.mandate();
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
    mandate,
    traceId,
    hops,
    gone: clientGone(request.res),
  });
  return deps.engine.invoke(order);
}

function toolCallOf({ message, prepared }: McpRequest) {
  const { name } = message.params;
  if (typeof name !== 'string') throw new McpFault(RPC.invalidParams, 'params.name must be text.');
  const { input, shortArguments: args = {} } = prepared;
  if (!input) throw new McpFault(RPC.invalidParams, 'params.arguments must be an object.');
  return { name, args, input };
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
function aboutArguments(error: MarketError, { kind }: ServingVersion): MarketError {
  if (error.code !== 'input_schema_mismatch') return error;
  const place = kind === 'mcp' ? ['params'] : ['params', 'arguments'];
  const detail = error.detail?.map((problem) => ({ ...problem, loc: [...place, ...problem.loc.slice(2)] }));
  return new MarketError(error.code, { message: error.message, detail, invocationId: error.invocationId });
}

function internalFault(error: MarketError, traceId: string): McpFault {
  return new McpFault(RPC.internalError, error.message, { status: 500, data: errorBody(error, traceId) });
}
