/**
 * A2A tasks (specification, "A2A task"; contract, "MCP, A2A"): their states, and the names of the states in
 * the two wire formats. The state of a task follows the status of its invocation; a database trigger keeps
 * them in step.
 */
import type { ForwardStep } from '../calls/invocation-steps';
import type { ErrorCode } from '../errors';

/** The queue of the activities that call the agents of tasks, so that a task occupies no slot of other work. */
export function taskQueueOf(operations: string): string {
  return operations.replace(/operations$/, 'tasks');
}

export type TaskState = 'SUBMITTED' | 'WORKING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'REJECTED';

/** The status in the specification's form. */
export type TaskStatus = 'accepted' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'rejected';

export const TASK_STATUS = {
  SUBMITTED: 'accepted',
  WORKING: 'running',
  COMPLETED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'canceled',
  REJECTED: 'rejected',
} as const satisfies Record<TaskState, TaskStatus>;

/** True when the state is final. */
export function isTaskOver(state: TaskState): boolean {
  return state !== 'SUBMITTED' && state !== 'WORKING';
}

/** Why a task was rejected: the error as the caller received it. */
export interface TaskReason {
  code: ErrorCode;
  message: string;
  /** The invalid fields, for `input_schema_mismatch`. */
  detail?: { loc: (string | number)[]; msg: string; type: string }[];
  /** For `insufficient_credits`: the payment that is missing, as an informational x402 `PaymentRequired`. */
  paymentRequired?: Record<string, unknown>;
}

/**
 * Errors that reject the task itself (`TASK_STATE_REJECTED` in the A2A binding): the same task fails again
 * until something else changes, such as the balance. All other errors (rate limits, unavailability) are
 * errors of the request, which the client may retry.
 */
const REJECTIONS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'insufficient_credits',
  'max_cost_exceeded',
  'mandate_exceeded',
  'credit_cap_exceeded',
  'budget_exceeded',
  'mandate_invalid',
  'a2a_depth_exceeded',
  'input_schema_mismatch',
]);

/** True when this error rejects the task; false when it is an error of the request. */
export function rejectsTask(code: ErrorCode): boolean {
  return REJECTIONS.has(code);
}

/**
 * The result of calling the agent of a task, stored in the workflow's history. `queue`: only the process that received
 * the answer polls it.
 */
export type TaskForwardStep =
  | (Extract<ForwardStep, { kind: 'answered' }> & { queue: string })
  | Exclude<ForwardStep, { kind: 'answered' }>;

/** The result of `performTask`, for tasks whose workflow began with an earlier release. */
export type TaskStep =
  | { kind: 'ended'; outcome: { status: 'succeeded' | 'failed' | 'disputed'; code?: ErrorCode } }
  | { kind: 'failed'; code: ErrorCode };
