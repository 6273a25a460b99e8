/**
 * The party at fault for an error of a call. Figures about an agent (success rate, latency, trust) count errors of the
 * agent only. The SQL function `call_fault` has the same table; `test/integration/calls/call-fault.test.ts` compares
 * both.
 */
import type { ErrorCode } from '../errors';

/**
 * `agent`: the agent failed, or its answer was refused. `platform`: this service could not perform the call. `buyer`:
 * the caller left, set too low a ceiling, or sent a request that was refused.
 */
export type CallFault = 'agent' | 'platform' | 'buyer';

const CALL_FAULTS: Record<ErrorCode, CallFault> = {
  agent_error: 'agent',
  agent_unreachable: 'agent',
  agent_timeout: 'agent',
  output_schema_mismatch: 'agent',
  response_too_large: 'agent',
  engine_unavailable: 'platform',
  internal_error: 'platform',
  overloaded: 'platform',
  not_ready: 'platform',
  payment_pending: 'platform',
  malformed_json: 'buyer',
  malformed_request: 'buyer',
  invalid_header: 'buyer',
  not_authenticated: 'buyer',
  second_factor_required: 'buyer',
  email_unconfirmed: 'buyer',
  invalid_credentials: 'buyer',
  payment_required: 'buyer',
  payment_invalid: 'buyer',
  payment_failed: 'buyer',
  insufficient_credits: 'buyer',
  max_cost_exceeded: 'buyer',
  mandate_exceeded: 'buyer',
  credit_cap_exceeded: 'buyer',
  budget_exceeded: 'buyer',
  forbidden: 'buyer',
  registration_required: 'buyer',
  insufficient_scope: 'buyer',
  cross_site_request: 'buyer',
  a2a_not_allowed: 'buyer',
  mandate_invalid: 'buyer',
  not_found: 'buyer',
  method_not_allowed: 'buyer',
  request_timeout: 'buyer',
  email_taken: 'buyer',
  slug_taken: 'buyer',
  version_not_higher: 'buyer',
  idempotency_key_reused: 'buyer',
  invalid_state: 'buyer',
  already_disputed: 'buyer',
  canceled: 'buyer',
  payload_too_large: 'buyer',
  unsupported_media_type: 'buyer',
  validation_failed: 'buyer',
  input_schema_mismatch: 'buyer',
  unsupported_currency: 'buyer',
  unsafe_url: 'buyer',
  unsafe_schema: 'buyer',
  rate_limited: 'buyer',
  concurrency_limited: 'buyer',
  a2a_depth_exceeded: 'buyer',
  // Counts for neither side, until the tests of ten different buyers failed at the agent (`CallTallies`).
  acceptance_failed: 'buyer',
  acceptance_declined: 'buyer',
  acceptance_unsupported: 'buyer',
  acceptance_limited: 'buyer',
  client_closed: 'buyer',
};

/** Returns the party at fault if a call ends with this code. */
export function callFault(code: ErrorCode): CallFault {
  return CALL_FAULTS[code];
}
