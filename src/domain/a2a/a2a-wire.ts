/**
 * Renders tasks as A2A 1.0 JSON (ProtoJSON of `lf.a2a.v1`): camelCase, enum values by name, empty fields left
 * out. A result is an artifact, a failure or refusal is the status message, and marketplace data is metadata.
 */
import { isTaskOver, type TaskReason, type TaskState } from './a2a-task';
import type { QuestionText } from '../jobs/question';
import { defaultMessage, type ErrorCode, isRetryable } from '../errors';
import { PAYMENT_REQUIRED_KEYS, PAYMENT_REQUIRED_STATUS } from '../calls/payment-required';

/** Metadata keys, in requests and responses. */
export const A2A_META = {
  maxCostCredits: 'io.market/max_cost_credits',
  idempotencyKey: 'io.market/idempotency_key',
  /** Pairs of the caller's own on the call. */
  metadata: 'io.market/metadata',
  quoteId: 'io.market/quote_id',
  /** Tests of the answer (ADR 0425). */
  accept: 'io.market/accept',
  invocationId: 'io.market/invocation_id',
  traceId: 'io.market/trace_id',
  creditsCharged: 'io.market/credits_charged',
  errorCode: 'io.market/error_code',
  disputed: 'io.market/disputed',
  outputExpired: 'io.market/output_expired',
  /** Of a task whose agent works on it as a job: from 0 to 1. */
  progress: 'io.market/progress',
  /** Of a task that waits for an answer, and of the message that answers: the id of the question. */
  questionId: 'io.market/question_id',
  /** Of a part in the history whose content was too long to be kept: its length as JSON. */
  omittedCharacters: 'io.market/omitted_characters',
} as const;

/** The data from which a task is rendered. */
export interface TaskView {
  taskId: string;
  contextId: string;
  /** Whose wallet pays. */
  buyerUserId: string;
  traceId: string;
  state: TaskState;
  stateAt: Date;
  lastSeq: number;
  /** The A2A message that created the task; null after its retention period. */
  message: Record<string, unknown> | null;
  /** Output of a completed task: null after its retention period, undefined when it was not loaded. */
  output: TaskOutput | null | undefined;
  errorCode: ErrorCode | null;
  reason: TaskReason | null;
  disputed: boolean;
  /** How a job goes that is not over; null for every other task. */
  job: TaskJob | null;
  /** Null while the task runs. */
  usage: { tokensIn: number; tokensOut: number; durationMs: number; chargedCredits: number } | null;
}

/** How the job of a task goes. */
export interface TaskJob {
  takenAt: Date;
  endsAt: Date;
  heardAt: Date;
  /** From 0 to 1; null if the agent has not said. */
  progress: number | null;
  /** The agent's own sentence; null if there is none. */
  message: string | null;
  /** What the agent asks, and waits for; null if nothing. */
  question: TaskQuestion | null;
}

/** A question of an agent that waits for the caller (ADR 0306). */
export interface TaskQuestion extends QuestionText {
  questionId: string;
  askedAt: Date;
  expiresAt: Date;
}

/** The output of an agent; `contentType` is null for JSON. */
export interface TaskOutput {
  value: unknown;
  contentType: string | null;
  /** True if the value is base64 of bytes that are not text. */
  isBase64: boolean;
  /** The parts of the answer of an A2A agent (ADR 0252); undefined for an answer that is one part. */
  parts?: Json[] | undefined;
}

export type Json = Record<string, unknown>;

/** Which parts of a task to include. */
export interface TaskShape {
  /** Maximum number of messages in `history`; undefined includes all. A task has one message. */
  historyLength?: number | undefined;
  artifacts?: boolean;
}

/** Renders a `Task`. */
export function taskJson(view: TaskView, { historyLength, artifacts = true }: TaskShape = {}): Json {
  const artifact = artifacts ? artifactJson(view) : undefined;
  const history = view.message && historyLength !== 0 ? [ownMessage(view, view.message)] : [];
  return {
    id: view.taskId,
    contextId: view.contextId,
    status: statusJson(view, view.state, view.stateAt),
    ...(artifact && { artifacts: [artifact] }),
    ...(history.length > 0 && { history }),
    metadata: metadataOf(view),
  };
}

/** Renders a `StreamResponse` with a status update. Metadata is included for final states, and while a job runs. */
export function statusUpdateJson(view: TaskView, state: TaskState, at: Date): Json {
  return {
    statusUpdate: {
      taskId: view.taskId,
      contextId: view.contextId,
      status: statusJson(view, state, at),
      ...((isTaskOver(state) || view.job) && { metadata: metadataOf(view) }),
    },
  };
}

/** True if a follower that was shown `before` of a job must be shown `now`. */
export function isJobNews(before: TaskJob | null, now: TaskJob | null): now is TaskJob {
  if (now === null) return false;
  const isSame =
    before?.progress === now.progress &&
    before.message === now.message &&
    before.question?.questionId === now.question?.questionId;
  return !isSame;
}

/** True if the task waits for its caller: it is WORKING in the database, and the clock of its job stands still. */
export function isAsking({ state, job }: Pick<TaskView, 'state' | 'job'>): boolean {
  return state === 'WORKING' && (job?.question ?? null) !== null;
}

/**
 * Renders a `StreamResponse` with the output as an artifact. Returns undefined when the task has no output.
 */
export function artifactUpdateJson(view: TaskView): Json | undefined {
  const artifact = artifactJson(view);
  return (
    artifact && {
      artifactUpdate: { taskId: view.taskId, contextId: view.contextId, artifact, lastChunk: true },
    }
  );
}

function artifactJson({ taskId, output }: TaskView): Json | undefined {
  if (!output) return undefined;
  return outputArtifact(taskId, output);
}

/** The artifact of a call's output. */
export function outputArtifact(callId: string, output: TaskOutput): Json {
  return { artifactId: `${callId}-output`, name: 'output', parts: output.parts ?? [partOf(output)] };
}

/** JSON is data, text is text, and other bytes are raw (in base64, as ProtoJSON writes bytes). */
function partOf({ value, contentType, isBase64 }: TaskOutput): Json {
  if (contentType === null) return { data: value, mediaType: 'application/json' };
  return isBase64
    ? { raw: String(value), mediaType: contentType }
    : { text: String(value), mediaType: contentType };
}

function statusJson(view: TaskView, state: TaskState, at: Date): Json {
  const message = state === view.state ? (jobMessage(view) ?? statusMessage(view)) : undefined;
  const shown = state === view.state && isAsking(view) ? 'INPUT_REQUIRED' : state;
  return {
    state: `TASK_STATE_${shown}`,
    ...(message && { message }),
    timestamp: at.toISOString(),
  };
}

/** The status message of a job that runs: what its agent has reported, as a sentence and as data. */
function jobMessage({ taskId, contextId, job }: TaskView): Json | undefined {
  if (job?.question) return questionMessage({ taskId, contextId }, job.question);
  if (!job || (job.progress === null && job.message === null)) return undefined;
  const percent = job.progress === null ? undefined : `${Math.floor(job.progress * 100)} % done.`;
  return {
    messageId: `${taskId}-progress-${job.heardAt.getTime()}`,
    contextId,
    taskId,
    role: 'ROLE_AGENT',
    parts: [
      { text: job.message ?? percent },
      ...(job.progress === null ? [] : [{ data: { progress: job.progress }, mediaType: 'application/json' }]),
    ],
  };
}

/** The status message of a task that waits for its caller: the question, and what an answer looks like. */
function questionMessage(
  { taskId, contextId }: Pick<TaskView, 'taskId' | 'contextId'>,
  { questionId, prompt, schema, askedAt, expiresAt }: TaskQuestion,
): Json {
  const question = {
    question_id: questionId,
    prompt,
    schema,
    asked_at: askedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
  return {
    messageId: `${taskId}-question-${questionId}`,
    contextId,
    taskId,
    role: 'ROLE_AGENT',
    parts: [{ text: prompt }, { data: { question }, mediaType: 'application/json' }],
  };
}

/**
 * The status message of a task that did not succeed: text for people, and the stable error code for programs.
 */
function statusMessage(view: TaskView): Json | undefined {
  const code = view.reason?.code ?? view.errorCode;
  if (code === null || view.state === 'COMPLETED') return undefined;
  const message = view.reason?.message ?? defaultMessage(code);
  const error = {
    code,
    message,
    retryable: isRetryable(code),
    ...(view.reason?.detail && { detail: view.reason.detail }),
  };
  const lacking = view.reason?.paymentRequired;
  return {
    messageId: `${view.taskId}-status`,
    contextId: view.contextId,
    taskId: view.taskId,
    role: 'ROLE_AGENT',
    parts: [{ text: message }, { data: { error }, mediaType: 'application/json' }],
    ...(lacking && {
      metadata: {
        [PAYMENT_REQUIRED_KEYS.a2aStatus]: PAYMENT_REQUIRED_STATUS,
        [PAYMENT_REQUIRED_KEYS.a2aRequired]: lacking,
      },
    }),
  };
}

function metadataOf(view: TaskView): Json {
  const code = view.reason?.code ?? view.errorCode;
  return {
    ...(view.reason === null && { [A2A_META.invocationId]: view.taskId }),
    [A2A_META.traceId]: view.traceId,
    ...(typeof view.job?.progress === 'number' && { [A2A_META.progress]: view.job.progress }),
    ...(view.job?.question && { [A2A_META.questionId]: view.job.question.questionId }),
    ...(view.usage && { [A2A_META.creditsCharged]: view.usage.chargedCredits }),
    ...(code !== null && { [A2A_META.errorCode]: code }),
    ...(view.disputed && { [A2A_META.disputed]: true }),
    ...(view.state === 'COMPLETED' && view.output === null && { [A2A_META.outputExpired]: true }),
  };
}

/** The original message with the task id and context id that the marketplace assigned. */
function ownMessage(view: TaskView, message: Json): Json {
  return { ...message, taskId: view.taskId, contextId: view.contextId };
}
