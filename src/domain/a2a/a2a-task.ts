/**
 * Tasks of agents for agents (specification, "A2A task"; contract, "MCP, A2A"): the states, and how the two forms on
 * the wire name them. The state follows the status of the task's invocation (migrations/0700).
 */
import type { ErrorCode } from '../errors';

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

export function isTaskOver(state: TaskState): boolean {
  return state !== 'SUBMITTED' && state !== 'WORKING';
}

/** Why a task was rejected; kept as it was told. */
export interface TaskReason {
  code: ErrorCode;
  message: string;
  /** Fields that did not match, for `input_schema_mismatch`. */
  detail?: { loc: (string | number)[]; msg: string; type: string }[];
  /** What a payment would need, in the form of x402 (read-only). */
  paymentRequired?: Record<string, unknown>;
}

/**
 * Refusals that are an answer to the task (`TASK_STATE_REJECTED` on the standard binding): sent again, the same task
 * would be refused again until something else changes. Others (limits, our own absence) are errors of the request.
 */
const REJECTIONS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'insufficient_credits',
  'max_cost_exceeded',
  'mandate_exceeded',
  'credit_cap_exceeded',
  'mandate_invalid',
  'a2a_depth_exceeded',
  'input_schema_mismatch',
]);

export function rejectsTask(code: ErrorCode): boolean {
  return REJECTIONS.has(code);
}

/** What the steps of a task tell its workflow; stored in its history. */
export type TaskStep =
  | { kind: 'ended'; outcome: { status: 'succeeded' | 'failed' | 'disputed'; code?: ErrorCode } }
  | { kind: 'failed'; code: ErrorCode };
