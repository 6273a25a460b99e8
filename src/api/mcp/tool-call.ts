/**
 * `tools/call`: a paid call on the surface `mcp`. Refused and failed calls are reported as a result of the tool, so
 * that the model can react. Errors of the message itself are JSON-RPC errors.
 */
import { admittedCallOf } from '../../services/calls/invocations';
import type { Request } from 'express';
import { MarketError, type ErrorCode, type FieldProblem } from '../../domain/errors';
import { paymentRequired } from '../../domain/calls/payment-required';
import type { CompletedCall, InvokeEngine } from '../../engine/invoke';
import { mirrorProblem, type HeaderMirror } from '../../kit/streams/mcp-mirrors';
import type { InputCheck } from '../../services/calls/agent/input-check';
import type { Mandates } from '../../services/mandates/mandates';
import { JOB_RESULT_TOOL, type AgentTool, type McpTools } from '../../services/mcp/mcp-tools';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { asyncPreferenceOf } from '../requests/prefer';
import { readEvery, sentenceOf } from '../requests/request-fields';
import { clientGone } from '../identity/context';
import { reportDelivery } from '../answers/answer-call';
import { REPLAYED_HEADERS } from '../answers/replayed';
import { errorBody, toMarketError, type FaultDeps } from '../answers/errors';
import { optionReaders } from './wire/call-options';
import { mismatch } from './wire/era';
import { patienceOf } from './call-patience';
import { writerFor } from './tasks/ended-call';
import { fetchResult, resumeCall } from './job-result';
import type { McpRequest } from './wire/mcp-request';
import { McpFault, RPC } from './wire/protocol';
import type { Piece } from './wire/reply';
import { askingPieces, errorResult, ownResult, passedResult } from './wire/results';
import { type NoticeDeps, type PayingCaller, payingCaller } from './notices';
import { askingResult, isRoundState, keyOfRound, readRound, type RoundDeps } from './rounds';
import { createdTask, runningAnswer } from './running-call';
import { formResult, heldForm } from './tasks/held-forms';
import { readCallOf, type TaskFollowDeps } from './tasks/follow';
import type { QuestionDeps } from './tasks/questions';
import { asRecord } from '../../domain/json-value';

export interface ToolCallDeps extends FaultDeps, TaskFollowDeps, QuestionDeps, RoundDeps, NoticeDeps {
  engine: Pick<InvokeEngine, 'begin'>;
  mcpTools: McpTools;
  mandates: Mandates;
  inputCheck: InputCheck;
  config: { PUBLIC_ORIGIN: string };
}

/** Errors of the service or of a missing agent, which are not results of a tool. */
const NOT_RESULTS: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'not_ready',
  'overloaded',
  'not_authenticated',
]);

export async function callTool(deps: ToolCallDeps, request: McpRequest): Promise<void> {
  const { id, era, version, client, req, res, reply } = request;
  const { requestState } = request.message.params;
  if (era === 'modern' && requestState !== undefined && !isRoundState(requestState))
    return resumeCall(deps, request);
  const round = await readRound(deps, request);
  const { name, args, ...parts } = await readCall(deps, request);
  const tool = await toolOf(deps, request, name);
  if (!tool)
    throw new McpFault(
      RPC.invalidParams,
      `Unknown tool: ${name.slice(0, 128)}. Ask tools/list for the tools of this agent.`,
    );
  if (tool.gone !== undefined)
    return answerFailure(deps, request, tool, new MarketError('agent_error', { message: tool.gone }));
  if (era === 'modern') requireMirrors(tool.mirrors, args, req);
  if (version.kind !== 'mcp' && name === JOB_RESULT_TOOL) return fetchResult(deps, request, args);
  let call: CompletedCall | StillRunning;
  const told = payingCaller(deps, request, round);
  try {
    call = await invokeAgent(deps, request, { ...parts, toolCaller: told });
    await told?.sent();
  } catch (error) {
    await told?.sent();
    answerFailure(deps, request, tool, error);
    return;
  }
  if ('running' in call) {
    reply.result(id, await answerRunning(deps, request, tool, call.running));
    return;
  }
  if (client.wantsTask) {
    call.served?.(false);
    const scope = { buyerUserId: request.principal.userId, agentId: version.agentId };
    reply.result(id, createdTask(request, await readCallOf(deps, scope, call.invocationId)));
    return;
  }
  reportDelivery(res, call);
  if (call.replayed && !reply.begun) res.set(REPLAYED_HEADERS);
  reply.result(id, await resultOf(deps, request, tool, call));
}

async function resultOf(
  deps: ToolCallDeps,
  request: McpRequest,
  tool: AgentTool,
  call: CompletedCall,
): Promise<Piece[]> {
  const { era, version } = request;
  const write = writerFor(request);
  if (version.kind !== 'mcp') return ownResult(era, version, tool, call, write);
  const asking = await askingResult(deps, request, call.output);
  return asking ? askingPieces(era, version, call, asking) : passedResult(era, version, call, write);
}

/** A call that goes on. `isOwn`: its caller pays for it, and so can read it. */
interface StillRunning {
  running: { invocationId: string; isOwn: boolean };
}

async function answerRunning(
  deps: ToolCallDeps,
  request: McpRequest,
  tool: AgentTool,
  { invocationId, isOwn }: StillRunning['running'],
): Promise<Piece[]> {
  const { era, client, principal, version } = request;
  const form = heldForm(deps, request, invocationId);
  if (form) return formResult(request, invocationId, form);
  const scope = { buyerUserId: principal.userId, agentId: version.agentId };
  const call = isOwn ? await readCallOf(deps, scope, invocationId) : undefined;
  if (call && (client.takesTasks || client.wantsTask)) return createdTask(request, call);
  const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
  return runningAnswer(request, { invocationId, call, origin, declaresOutput: tool.declaresOutput[era] });
}

/** Answers a call that was refused or has failed. Throws what is no result of a tool. */
function answerFailure(deps: ToolCallDeps, request: McpRequest, tool: AgentTool, error: unknown): void {
  if (error instanceof McpFault) throw error;
  const { id, era, version, traceId, client, res, reply } = request;
  const failure = aboutArguments(toMarketError(error, deps, traceId), version);
  if (NOT_RESULTS.has(failure.code)) throw failure;
  if (failure.code === 'internal_error') throw internalFault(failure, traceId);
  if (client.wantsTask)
    throw new McpFault(RPC.invalidParams, failure.message, { data: errorBody(failure, traceId) });
  if (failure.retryAfterSeconds !== undefined && !reply.begun)
    res.setHeader('Retry-After', failure.retryAfterSeconds);
  const { origin } = new URL(deps.config.PUBLIC_ORIGIN);
  const payment = paymentRequired(failure, { origin, resourceUrl: `${origin}/mcp/a/${version.agentId}` });
  reply.result(id, errorResult({ era, version, error: failure, traceId, tool, payment }));
}

/** Makes the paid call. While it runs, only the bytes of the arguments are kept. */
async function invokeAgent(
  deps: ToolCallDeps,
  request: McpRequest,
  parts: Omit<ReadCall, 'name' | 'args'> & { toolCaller: PayingCaller | undefined },
): Promise<CompletedCall | StillRunning> {
  const { version, principal, client, traceId, hops, req } = request;
  const { agentId } = version;
  const { input, mandate, maxCostCredits, metadata, quote, accept, toolCaller } = parts;
  const idempotencyKey = keyOfRound(parts.idempotencyKey, toolCaller?.round ?? null);
  const presented = mandate();
  const { canonical = '' } = request.prepared;
  request.prepared = { body: null };
  const order = await admittedCallOf(deps.mandates, {
    principal,
    agentId,
    surface: 'mcp',
    input,
    canonicalInput: () => canonical,
    maxCostCredits,
    idempotencyKey,
    metadata,
    quote,
    accept,
    mandate: presented,
    traceId,
    hops,
    toolCaller,
    gone: clientGone(request.res),
  });
  const { buyerUserId } = order;
  const isOwn = buyerUserId === principal.userId;
  if (client.wantsTask && !isOwn) throw new McpFault(RPC.invalidParams, NOT_A_TASK);
  const takesTask = isOwn && (client.takesTasks || client.wantsTask);
  if (!isOwn) toolCaller?.begun?.(null);
  const told = isOwn ? toolCaller : undefined;
  const mayLeave = takesTask || told?.begun !== undefined || asyncPreferenceOf(req) !== undefined;
  const patience = patienceOf(deps, request, { buyerUserId, agentId }, takesTask, told);
  const call = await deps.engine.begin(mayLeave ? { ...order, detached: true } : order, patience);
  return 'usage' in call ? call : { running: { invocationId: call.invocationId, isOwn } };
}

const NOT_A_TASK =
  'A call that a mandate of another account pays is no task, because only the payer can read it. Send it without params.task.';

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

/** Throws `McpFault` if a header does not repeat its argument. */
export function requireMirrors(
  mirrors: readonly HeaderMirror[],
  args: Record<string, unknown>,
  req: Request,
): void {
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
