/**
 * Tasks in the JSON of A2A 1.0 (ProtoJSON of `lf.a2a.v1`): camelCase, enums by their names, no field that is empty.
 * Results are artifacts, failures and refusals are the status message, and what only we know is metadata.
 */
import { isTaskOver, type TaskReason, type TaskState } from './a2a-task';
import { defaultMessage, type ErrorCode, isRetryable } from '../errors';
import { PAYMENT_REQUIRED_KEYS, PAYMENT_REQUIRED_STATUS } from '../calls/payment-required';

/** Keys of metadata, in and out. */
export const A2A_META = {
  maxCostCredits: 'io.market/max_cost_credits',
  idempotencyKey: 'io.market/idempotency_key',
  invocationId: 'io.market/invocation_id',
  traceId: 'io.market/trace_id',
  creditsCharged: 'io.market/credits_charged',
  errorCode: 'io.market/error_code',
  disputed: 'io.market/disputed',
  outputExpired: 'io.market/output_expired',
} as const;

/** A task as it is shown. */
export interface TaskView {
  taskId: string;
  contextId: string;
  traceId: string;
  state: TaskState;
  stateAt: Date;
  lastSeq: number;
  /** The A2A message that it came with, while it is kept. */
  message: Record<string, unknown> | null;
  /** Of a completed task: null when it is kept no longer, undefined when nobody looked. */
  output: TaskOutput | null | undefined;
  errorCode: ErrorCode | null;
  reason: TaskReason | null;
  disputed: boolean;
  /** Null while it runs. */
  usage: { tokensIn: number; tokensOut: number; durationMs: number; chargedCredits: number } | null;
}

/** `contentType` is null for a JSON output. */
export interface TaskOutput {
  value: unknown;
  contentType: string | null;
}

export type Json = Record<string, unknown>;

export interface TaskShape {
  /** How many messages at most; undefined: all (there is one). */
  historyLength?: number | undefined;
  artifacts?: boolean;
}

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

/** `StreamResponse` of a change of state. */
export function statusUpdateJson(view: TaskView, state: TaskState, at: Date): Json {
  return {
    statusUpdate: {
      taskId: view.taskId,
      contextId: view.contextId,
      status: statusJson(view, state, at),
      ...(isTaskOver(state) && { metadata: metadataOf(view) }),
    },
  };
}

/** `StreamResponse` of the result; undefined when there is none to show. */
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
  const { value, contentType } = output;
  const part =
    contentType === null
      ? { data: value, mediaType: 'application/json' }
      : { text: String(value), mediaType: contentType };
  return { artifactId: `${taskId}-output`, name: 'output', parts: [part] };
}

function statusJson(view: TaskView, state: TaskState, at: Date): Json {
  const message = state === view.state ? statusMessage(view) : undefined;
  return {
    state: `TASK_STATE_${state}`,
    ...(message && { message }),
    timestamp: at.toISOString(),
  };
}

/** Why the task did not succeed: a text for people, and the stable code for programs. */
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
    ...(view.usage && { [A2A_META.creditsCharged]: view.usage.chargedCredits }),
    ...(code !== null && { [A2A_META.errorCode]: code }),
    ...(view.disputed && { [A2A_META.disputed]: true }),
    ...(view.state === 'COMPLETED' && view.output === null && { [A2A_META.outputExpired]: true }),
  };
}

/** The message as it came, with the ids that the task was given. */
function ownMessage(view: TaskView, message: Json): Json {
  return { ...message, taskId: view.taskId, contextId: view.contextId };
}
