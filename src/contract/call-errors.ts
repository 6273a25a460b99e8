import type { ErrorCode } from '../domain/errors';

/** Errors that refuse a call before it is forwarded to the agent, on every surface. No call is created. */
export const CALL_REFUSALS = [
  'insufficient_credits',
  'max_cost_exceeded',
  'credit_cap_exceeded',
  'budget_exceeded',
  'mandate_exceeded',
  'mandate_invalid',
  'not_found',
  'invalid_state',
  'idempotency_key_reused',
  'already_disputed',
  'payload_too_large',
  'input_schema_mismatch',
  'acceptance_unsupported',
  'acceptance_limited',
  'unsafe_schema',
  'concurrency_limited',
  'a2a_depth_exceeded',
] as const satisfies readonly ErrorCode[];

/** Errors of a call without credentials that is paid by x402. */
export const PAYMENT_ERRORS = [
  'payment_required',
  'payment_invalid',
  'payment_failed',
  'payment_pending',
  'invalid_header',
  'not_ready',
] as const satisfies readonly ErrorCode[];

/** Errors with which a synchronous call can fail after it was accepted. A failed call is not charged. */
export const CALL_FAILURES = [
  'agent_error',
  'agent_unreachable',
  'output_schema_mismatch',
  'acceptance_failed',
  'acceptance_declined',
  'response_too_large',
  'agent_timeout',
  'engine_unavailable',
  'canceled',
] as const satisfies readonly ErrorCode[];
