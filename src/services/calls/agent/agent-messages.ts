/**
 * The calls of A2A agents (ADR 0342): a call is a message, and a task that works on is a job of agents that take jobs.
 * For all others it is asked for its result within the time of the call. The address of such a job is its task, as
 * text.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobTaken } from '../../../domain/jobs/job-taken';
import { type AskedQuestion, askedQuestion } from '../../../domain/jobs/question';
import { MarketError } from '../../../domain/errors';
import { asRecord } from '../../../domain/json-value';
import { EgressError } from '../../../egress/egress-error';
import { isUnusableSecret } from '../../catalogue/upstream-credentials';
import type { AnswerReview } from '../answers/answer-task';
import type { MessageWith, RemoteAgents, RemoteAnswer } from '../../a2a/remote/client';
import type { RemoteTask, TaskStatus } from '../../a2a/remote/reply';
import type { RemoteLimits, RemoteTarget } from '../../a2a/remote/target';
import { styleOf } from '../../a2a/remote/wire';
import { type AgentCallerDeps, answerLimit, performFor } from './agent-answer';
import type { Envelope, OutgoingCall } from './agent-envelope';
import { deliverPieces, type PiecesReader } from './agent-streamer';
import { type TaskQuestionAnswer, type TaskRequest, tellOfFailure } from './agent-tools';
import type { CallOutput } from './in-flight';

type MessageDeps = AgentCallerDeps & { remote: RemoteAgents };

interface MessageLimits extends RemoteLimits {
  timeoutMs: number;
  /** The call may become a job, if the agent takes jobs. */
  mayBeTaken: boolean;
  review: (() => AnswerReview) | undefined;
  /** What receives the pieces of a streamed answer. */
  reader: Pick<PiecesReader, 'delivery' | 'meter' | 'isBudgeted' | 'onDelivery'>;
}

/** How long a task is given up on may take to be cancelled. */
const CANCEL_MS = 5_000;
const LEAST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 2_000;

export function createAgentMessages(deps: MessageDeps) {
  const { remote } = deps;
  const limitsOf = ({ call, signal, timeoutMs }: TaskRequest): RemoteLimits => ({
    deadlineMs: Date.now() + timeoutMs,
    maxResponseBytes: answerLimit(call.version),
    signal,
  });

  return {
    /** Sends the input as a message. What the agent does wrong throws. */
    call: (call: OutgoingCall, body: Buffer, limits: MessageLimits) => sendInput(deps, call, body, limits),

    /** Asks for the result of a task. A task that has failed throws `agent_error` with what its agent says of it. */
    async look(request: TaskRequest, location: string): Promise<CallOutput | JobTaken> {
      const { taskId } = addressIn(location);
      const { target, envelope } = await targetOf(deps, request);
      const reply = await remote.read(target, taskId, limitsOf(request));
      if (reply.kind === 'answer') return outputOf(reply, envelope);
      const { task } = reply;
      if (task.status === 'working') return takenBy(task);
      if (task.asks) return { ...takenBy(task), question: questionOf(task.asks) };
      await endOpenTask(deps, target, task);
      throw failureOf(task);
    },

    /** Answers a question of a task by a message. Returns whether the agent has accepted it. */
    async answer(
      request: TaskRequest,
      location: string,
      { questionId, input }: TaskQuestionAnswer,
    ): Promise<boolean> {
      const { taskId } = addressIn(location);
      try {
        const { target } = await targetOf(deps, request);
        const { task } = await remote.read(target, taskId, limitsOf(request));
        // An attempt whose response was lost has answered it.
        if (task?.asks?.id !== questionId) return true;
        const { json: parts } = await partsOf(
          deps,
          request,
          Buffer.from(JSON.stringify({ text: textIn(input) })),
        );
        const message = {
          messageId: `${request.call.invocationId}-${questionId}`,
          parts,
          task: { id: taskId, contextId: task.contextId },
          returnsAtOnce: true,
        };
        await remote.send(target, message, limitsOf(request));
        return true;
      } catch (error) {
        const isOfAgent =
          error instanceof EgressError || error instanceof MarketError || isUnusableSecret(error);
        if (!isOfAgent) throw error;
        return false;
      }
    },

    /** Cancels a task that is no longer wanted. Throws if the agent cannot be reached. */
    async cancel(request: TaskRequest, location: string): Promise<void> {
      const { target } = await targetOf(deps, request);
      await remote.cancel(target, addressIn(location).taskId, limitsOf(request));
    },
  };
}

async function sendInput(
  deps: MessageDeps,
  call: OutgoingCall,
  body: Buffer,
  limits: MessageLimits,
): Promise<CallOutput | JobTaken> {
  const { timeoutMs, mayBeTaken, review, reader, ...remoteLimits } = limits;
  const options = { call, timeoutMs, input: body, review };
  const { target, envelope } = await targetOf(deps, options);
  const isJob = mayBeTaken && call.version.jobs !== null;
  const { json: parts, contextId = call.conversation } = await partsOf(deps, options, body);
  const push = isJob ? envelope.push : undefined;
  const message = { messageId: call.invocationId, parts, contextId, returnsAtOnce: isJob, push };
  if (reader.delivery && call.version.streaming && !isJob) {
    const whole = { ...reader, deadlineMs: limits.deadlineMs, timeoutMs, guard: envelope.guard };
    const perform = performFor(deps, call, review);
    const output = await streamed(deps, target, message, remoteLimits, { ...whole, perform });
    envelope.answered(output.json);
    return output;
  }
  const reply = await deps.remote.send(target, message, remoteLimits);
  if (isJob && reply.kind === 'task' && isOpen(reply.task)) return takenBy(reply.task);
  return outputOf(await answerIn(deps, target, reply, remoteLimits), envelope);
}

/** Delivers the answer as it comes. A task that goes on when its reader has left, or at the ceiling, is cancelled. */
async function streamed(
  deps: MessageDeps,
  target: RemoteTarget,
  message: MessageWith,
  limits: RemoteLimits,
  reader: PiecesReader,
): Promise<CallOutput> {
  let open: RemoteTask | undefined;
  async function* pieces(): AsyncGenerator<string, Buffer, undefined> {
    const stream = deps.remote.stream(target, message, limits, (task) => (open = task));
    const reply = yield* stream;
    open = undefined;
    return (await answerIn(deps, target, reply, limits)).json;
  }
  try {
    return await deliverPieces(pieces(), reader, () => undefined);
  } finally {
    if (open && isOpen(open)) await cancelNow(deps, target, open);
  }
}

/** Asks about a task until its answer is there. Throws what it failed with. */
async function answerIn(
  deps: MessageDeps,
  target: RemoteTarget,
  first: RemoteAnswer,
  limits: RemoteLimits,
): Promise<Extract<RemoteAnswer, { kind: 'answer' }>> {
  let reply = first;
  for (let asked = 0; reply.kind === 'task'; asked += 1) {
    const { task } = reply;
    if (task.status !== 'working') {
      await endOpenTask(deps, target, task);
      throw failureOf(task);
    }
    reply = await nextReply(deps, target, task, { ...limits, asked });
  }
  return reply;
}

/** Asks again about a task that works within the time of its call. A task that takes longer is cancelled. */
async function nextReply(
  deps: MessageDeps,
  target: RemoteTarget,
  task: RemoteTask,
  { asked, ...limits }: RemoteLimits & { asked: number },
): Promise<RemoteAnswer> {
  const pauseMs = Math.min(MOST_PAUSE_MS, LEAST_PAUSE_MS * 1.5 ** Math.min(asked, 20));
  try {
    await sleep(Math.min(pauseMs, Math.max(0, limits.deadlineMs - Date.now())), undefined, {
      signal: limits.signal,
    });
    if (Date.now() >= limits.deadlineMs)
      throw new EgressError('timeout', 'the task exceeded the time of its call');
    return await deps.remote.read(target, task.id, limits);
  } catch (error) {
    if (error instanceof MarketError && error.code !== 'agent_unreachable') throw error;
    if (error instanceof EgressError && error.kind === 'too_large') throw error;
    await cancelNow(deps, target, task);
    if (limits.signal.aborted) throw new EgressError('aborted', 'the call was aborted');
    throw error;
  }
}

/** A task that waits for something that no buyer gives is not left open. */
async function endOpenTask(deps: MessageDeps, target: RemoteTarget, task: RemoteTask): Promise<void> {
  if (task.status === 'input_required' || task.status === 'auth_required')
    await cancelNow(deps, target, task);
}

/** Fire and forget, but within its time: an agent that does not cancel does not change how the call ends. */
async function cancelNow({ remote }: MessageDeps, target: RemoteTarget, { id }: RemoteTask): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_MS);
  const limits = { deadlineMs: Date.now() + CANCEL_MS, maxResponseBytes: CANCEL_BYTES, signal };
  await remote.cancel(target, id, limits).catch(() => undefined);
}
const CANCEL_BYTES = 1024 * 1024;

const isOpen = ({ status }: RemoteTask): boolean => status === 'working' || status === 'input_required';

/** The beginning of the words for a call whose task has not succeeded. */
const SAID: Partial<Record<TaskStatus, string>> = {
  failed: 'The task failed',
  rejected: 'The agent rejected the task',
  canceled: 'The agent canceled its task',
  auth_required: 'The agent asks for an authorization that the marketplace cannot give',
  input_required: 'The agent asks for more input, and does not declare jobs',
};

function failureOf({ status, message }: RemoteTask): MarketError {
  const beginning = SAID[status] ?? 'The task has no result';
  const agentMessage = message === null ? `${beginning}.` : `${beginning}: ${message}`;
  // By this, an agent declines the tests of a call.
  const detail = [{ loc: ['status', 'state'], msg: 'rejects the task', type: 'rejected' }];
  return new MarketError('agent_error', { agentMessage, ...(status === 'rejected' && { detail }) });
}

/** A question of a task is one text. */
function questionOf({ id, prompt }: { id: string; prompt: string }): AskedQuestion {
  const schema = {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1 } },
    required: ['text'],
  };
  return askedQuestion({ prompt, schema, question_id: id });
}

function textIn(input: unknown): string {
  const { text } = asRecord(input);
  return typeof text === 'string' ? text : '';
}

function partsOf(
  deps: MessageDeps,
  { call }: Pick<TaskRequest, 'call'>,
  input: Buffer,
): Promise<{ json: Buffer; contextId: string | undefined }> {
  const style = styleOf(cardOf(call));
  return performFor(deps, call)({ kind: 'message_parts', style }, input, false);
}

async function targetOf(
  deps: MessageDeps,
  { call, timeoutMs, input, review }: Omit<TaskRequest, 'signal'>,
): Promise<{ target: RemoteTarget; envelope: Envelope }> {
  const envelope = await deps.envelopeOf(call, timeoutMs, input);
  const { common, ofCall, ofStep, guard } = envelope;
  const perform = performFor(deps, call, review);
  const at = cardOf(call);
  const target: RemoteTarget = {
    at,
    headers: common,
    sign: (body, isMessage) => (isMessage ? ofCall(body) : ofStep(body)),
    wrap: (stream) => guard.receiveMessage(stream, 'credential_in_answer'),
    onFailure: (error) => tellOfFailure(error, at.url, envelope),
    read: (message, id) => perform({ kind: 'remote_reply', ...(id !== undefined && { id }) }, message),
    readWhole: (json) => perform({ kind: 'document' }, json),
    readEvent: (data, id) => perform({ kind: 'remote_event', ...(id !== undefined && { id }) }, data, false),
  };
  return { target, envelope };
}

function cardOf({ version }: OutgoingCall) {
  if (!version.card) throw new Error('an A2A agent without its card');
  return version.card;
}

function outputOf(
  { json, sha256, found }: Extract<RemoteAnswer, { kind: 'answer' }>,
  { answered }: Pick<Envelope, 'answered'>,
): CallOutput {
  answered(json);
  return { json, sha256, plain: null, isToolError: false, truncatedBy: null, found };
}

interface MessageAddress {
  taskId: string;
}

const takenBy = ({ id, message }: RemoteTask): JobTaken => ({
  location: JSON.stringify({ taskId: id } satisfies MessageAddress),
  retryAfterMs: null,
  message,
});

const addressIn = (location: string) => JSON.parse(location) as MessageAddress;
