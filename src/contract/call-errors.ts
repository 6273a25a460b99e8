import type { ErrorCode } from '../domain/errors';

/** What may refuse a call before its agent is asked, whatever the surface; nothing was written then. */
export const CALL_REFUSALS = [
  'insufficient_credits',
  'max_cost_exceeded',
  'credit_cap_exceeded',
  'mandate_exceeded',
  'mandate_invalid',
  'not_found',
  'invalid_state',
  'idempotency_key_reused',
  'already_disputed',
  'payload_too_large',
  'input_schema_mismatch',
  'concurrency_limited',
  'a2a_depth_exceeded',
] as const satisfies readonly ErrorCode[];

/** How a call may fail that a caller waits for; nothing is charged then. */
export const CALL_FAILURES = [
  'agent_error',
  'agent_unreachable',
  'output_schema_mismatch',
  'response_too_large',
  'agent_timeout',
  'engine_unavailable',
] as const satisfies readonly ErrorCode[];
