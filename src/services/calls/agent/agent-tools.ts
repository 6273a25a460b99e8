/**
 * The calls of agents that are MCP servers: their tools, and the tasks that they make of calls. A task is a job
 * (ADR 0314); its address is that of a job, as text.
 */
import { flawNotice, redirectNotice } from '../../../domain/catalogue/agent-notice';
import { type JobTaken, pauseBeforeAsking } from '../../../domain/jobs/job-taken';
import {
  type AskedQuestion,
  askedQuestion,
  isTooLong,
  QUESTION_ID_PATTERN,
  questionProblems,
} from '../../../domain/jobs/question';
import { formProblem } from '../../../domain/jobs/passed-form';
import type { UnpassedRequest } from '../../../domain/jobs/unpassed';
import { MarketError } from '../../../domain/errors';
import { EgressError, egressErrorToCode } from '../../../egress/egress-error';
import { asRecord } from '../../../domain/json-value';
import { sha256Hex } from '../../../kit/json/canonical-json';
import type { AnswerReview } from '../answers/answer-task';
import { isUnusableSecret } from '../../catalogue/upstream-credentials';
import type { ToolCaller } from '../../mcp/caller';
import { type McpQuestion, type ServerSurvey, UNDECLARED_TASKS } from '../../mcp/client';
import type { McpLimits, McpTarget } from '../../mcp/target';
import type { JsonObject, McpForm, McpTask, ToolResult } from '../../mcp/protocol';
import type { TaskAddress } from '../../mcp/tasks';
import { type AgentCallerDeps, answerLimit, MAX_ANSWER_BYTES, performFor } from './agent-answer';
import type { Envelope, OutgoingCall } from './agent-envelope';
import type { CallOutput } from './in-flight';

/** A question about a task. */
export interface TaskRequest {
  call: OutgoingCall;
  /** The buyer's input, which answers may repeat. */
  input: Buffer;
  signal: AbortSignal;
  timeoutMs: number;
  /** How long ago the task was made, in ms; default: long ago. */
  ageMs?: number;
  review?: (() => AnswerReview) | undefined;
}

/** A buyer's answer to a question of a task. */
export interface TaskQuestionAnswer {
  questionId: string;
  input: unknown;
}

interface ToolLimits extends McpLimits {
  timeoutMs: number;
  /** The call may become a job, if the agent takes jobs. */
  mayBeTaken: boolean;
  review: (() => AnswerReview) | undefined;
  toolCaller: ToolCaller | undefined;
}

/** How long a server is to keep a task behind the longest job: as long as its hold. */
const KEPT_MS = 3_600_000;

export type AgentTools = ReturnType<typeof createAgentTools>;

export function createAgentTools(deps: AgentCallerDeps) {
  return {
    /** Calls the tool that the input names. What the agent does wrong throws. */
    call: (call: OutgoingCall, body: Buffer, limits: ToolLimits) => callTool(deps, call, body, limits),

    /** Lists the tools of an MCP agent as its server describes them. Throws `MarketError` if the server fails. */
    list: (call: OutgoingCall, limits: AskLimits): Promise<JsonObject[]> =>
      asked(deps, call, limits, (target, mcpLimits) => deps.mcp.listTools(target, mcpLimits)),

    /** Lists the tools of an MCP agent, with what its server declares. Throws `MarketError` if the server fails. */
    survey: (
      call: OutgoingCall,
      { onUnpassed, ...limits }: AskLimits & { onUnpassed: (request: UnpassedRequest) => void },
    ): Promise<ServerSurvey> =>
      asked(deps, call, limits, (target, mcpLimits) => deps.mcp.survey({ ...target, onUnpassed }, mcpLimits)),

    /** What the MCP server of an agent offers. Throws `MarketError` if the server fails. */
    capabilities: (call: OutgoingCall, limits: AskLimits) =>
      asked(deps, call, limits, (target, mcpLimits) => deps.mcp.capabilities(target, mcpLimits)),

    /** Passes a request on to the MCP server of an agent. Throws `MarketError` if the server fails. */
    request: (
      call: OutgoingCall,
      question: McpQuestion & { caller: ToolCaller | undefined },
      limits: AskLimits,
    ) =>
      asked(deps, call, limits, (target, mcpLimits) =>
        deps.mcp.request({ ...target, caller: question.caller }, question, mcpLimits),
      ),

    /** Asks for the result of a task. A task that has failed throws `agent_error` with what its server says of it. */
    look: (request: TaskRequest, location: string) => lookAtTask(deps, request, location),

    /** Sends the buyer's answer to a question of a task. Returns whether the server has accepted it. */
    async answer(
      request: TaskRequest,
      location: string,
      { questionId, input }: TaskQuestionAnswer,
    ): Promise<boolean> {
      try {
        const { target } = await targetOf(deps, { ...request, mayBeTaken: true });
        const form = { isAsked: (key: string) => questionIdOf(key) === questionId, content: asRecord(input) };
        await deps.mcp.answerForm(target, addressIn(location), form, limitsOf(request));
        return true;
      } catch (error) {
        const isOfAgent =
          error instanceof EgressError || error instanceof MarketError || isUnusableSecret(error);
        if (!isOfAgent) throw error;
        return false;
      }
    },

    /** Cancels a task that is no longer wanted. Throws if the server cannot be reached. */
    async cancel(request: TaskRequest, location: string): Promise<void> {
      const { target } = await targetOf(deps, { ...request, mayBeTaken: true });
      await deps.mcp.cancelTask(target, addressIn(location), limitsOf(request));
    },
  };
}

const limitsOf = ({ call, signal, timeoutMs }: TaskRequest): McpLimits => ({
  deadlineMs: Date.now() + timeoutMs,
  maxResponseBytes: answerLimit(call.version),
  signal,
});

async function lookAtTask(
  deps: AgentCallerDeps,
  request: TaskRequest,
  location: string,
): Promise<CallOutput | JobTaken> {
  const address = addressIn(location);
  const { firstMs, ...mcpAddress } = address;
  const { ageMs = Infinity } = request;
  if (ageMs < firstMs) return { location, retryAfterMs: firstMs - ageMs };
  const { target } = await targetOf(deps, { ...request, mayBeTaken: true });
  const { task, result } = await deps.mcp.readTask(target, mcpAddress, limitsOf(request));
  if (result) return outputOf(result);
  if (task.status === 'working') return takenBy(task, address);
  const [form] = task.asks ?? [];
  if (form) return { ...takenBy(task, address), question: questionOf(form) };
  throw new MarketError('agent_error', { agentMessage: task.message ?? SAID_NOTHING[task.status] });
}

async function callTool(
  deps: AgentCallerDeps,
  call: OutgoingCall,
  body: Buffer,
  limits: ToolLimits,
): Promise<CallOutput | JobTaken> {
  const { timeoutMs, mayBeTaken, review, toolCaller, ...mcpLimits } = limits;
  const perform = performFor(deps, call, review);
  const options = { call, timeoutMs, input: body, review, mayBeTaken };
  const { target, tell } = await targetOf(deps, options);
  const tool = await perform({ kind: 'tool_call' }, body);
  if (!call.ofVerification) await deps.requireTool(call.version.versionId, tool.tool);
  const answer = await deps.mcp
    .callTool({ ...target, caller: toolCaller }, tool, mcpLimits)
    .catch((error: unknown) => {
      const isUndeclared = error instanceof MarketError && error.agentMessage === UNDECLARED_TASKS;
      if (isUndeclared) void tell('task_without_jobs');
      throw error;
    });
  if (!('address' in answer)) return outputOf(answer);
  const { task, address } = answer;
  return takenBy(task, { ...address, firstMs: pauseBeforeAsking(0, task.pollMs) });
}

interface AskLimits {
  timeoutMs?: number;
  signal: AbortSignal;
}

/** Asks the MCP server of an agent something that is no call. Throws `MarketError` if the server fails. */
async function asked<T>(
  deps: AgentCallerDeps,
  call: OutgoingCall,
  { timeoutMs = call.version.timeoutMs, signal }: AskLimits,
  work: (target: McpTarget, limits: McpLimits) => Promise<T>,
): Promise<T> {
  const deadlineMs = Date.now() + timeoutMs;
  try {
    const { target } = await targetOf(deps, { call, timeoutMs, input: Buffer.alloc(0) });
    return await work(target, { deadlineMs, maxResponseBytes: MAX_ANSWER_BYTES, signal });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new MarketError(egressErrorToCode(error.kind), { cause: error });
  }
}

/** The key of a form is the id of its question, if it can be one. */
const questionIdOf = (key: string) => (QUESTION_ID.test(key) ? key : `form_${sha256Hex(key).slice(0, 32)}`);
const QUESTION_ID = new RegExp(QUESTION_ID_PATTERN);

/** The form of a task as a question to the buyer. Throws `agent_error` with what is wrong with it. */
function questionOf({ key, prompt, schema }: McpForm): AskedQuestion {
  const given = { prompt, schema, question_id: questionIdOf(key) };
  const loc = ['inputRequests', key];
  const problems = isTooLong(given)
    ? [{ loc, msg: 'is larger than 8 KiB', type: 'maxLength' }]
    : questionProblems(given, loc);
  if (problems.length > 0) {
    const agentMessage = formProblem({ message: prompt, requestedSchema: schema })?.words;
    throw new MarketError('agent_error', { detail: problems, agentMessage });
  }
  return askedQuestion(given);
}

const SAID_NOTHING: Partial<Record<McpTask['status'], string>> = {
  input_required: 'The task of the MCP server asks for something that cannot be passed on.',
  failed: 'The task of the MCP server failed.',
  cancelled: 'The MCP server cancelled its task.',
};

interface TargetOptions extends Pick<TaskRequest, 'call' | 'timeoutMs' | 'input' | 'review'> {
  mayBeTaken?: boolean;
}

async function targetOf(
  deps: AgentCallerDeps,
  options: TargetOptions,
): Promise<{ target: McpTarget; tell: Envelope['tell'] }> {
  const { call, timeoutMs, input, review, mayBeTaken = false } = options;
  const { version } = call;
  const envelope = await deps.envelopeOf(call, timeoutMs, input);
  const { common, ofCall, ofStep, guard, tell } = envelope;
  const perform = performFor(deps, call, review);
  const target: McpTarget = {
    url: version.endpointUrl,
    headers: common,
    sign: (body, { method }) => (method === 'tools/call' ? ofCall(body) : ofStep(body)),
    idempotent: version.idempotent,
    cacheKey: version.versionId,
    wrap: (stream) => guard.receiveMessage(stream, 'credential_in_mcp_answer'),
    onFailure: (error) => tellOfFailure(error, version.endpointUrl, envelope),
    onUnpassed: (request) => void tell(`asks_${request}`),
    read: {
      toolReply: (message, id, about) => perform({ kind: 'tool_reply', id, about }, message),
      message: async (message) => (await perform({ kind: 'message' }, message)).value,
    },
    ...(mayBeTaken && version.jobs && { tasks: { ttlMs: version.jobs.maxSeconds * 1_000 + KEPT_MS } }),
  };
  return { target, tell };
}

/**
 * Informs the owner of an endpoint that redirects, because redirects are not followed, or whose answer has a wrong
 * header.
 */
export function tellOfFailure(error: unknown, url: string, { tell }: Pick<Envelope, 'tell'>): void {
  if (!(error instanceof EgressError)) return;
  if (error.kind === 'redirect') void tell(redirectNotice(url, error.location));
  else if (error.flaw) void tell(flawNotice(error.flaw));
}

function outputOf({ json, sha256, isError, found }: ToolResult): CallOutput {
  return { json, sha256, plain: null, isToolError: isError, truncatedBy: null, found };
}

/** The address of a job. `firstMs`: when the server wants to be asked for the first time. */
type JobAddress = TaskAddress & { firstMs: number };

const takenBy = ({ pollMs, message }: McpTask, address: JobAddress): JobTaken => ({
  location: JSON.stringify(address),
  retryAfterMs: pollMs,
  message,
});

const addressIn = (location: string) => JSON.parse(location) as JobAddress;
