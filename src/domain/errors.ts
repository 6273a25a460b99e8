/**
 * All error codes in one exhaustive table: default message, and whether a retry can help. The HTTP status of
 * each code is defined in `src/api/answers/http-status.ts`, which does not compile when a code is missing
 * there. Contract: "General", table of statuses and codes.
 */
const ERRORS = {
  malformed_json: { retryable: false, message: 'The request body is not valid JSON.' },
  malformed_request: { retryable: false, message: 'The request is not valid HTTP.' },
  invalid_header: { retryable: false, message: 'A request header is not valid.' },
  second_factor_required: {
    retryable: false,
    message: 'This account has an authenticator app: send its code as totp_code.',
  },
  not_authenticated: {
    retryable: false,
    message: 'Authenticate with an API key in the header X-API-Key, or with a session (POST /v1/auth/login).',
  },
  invalid_credentials: { retryable: false, message: 'Email or password is wrong.' },
  payment_required: {
    retryable: false,
    message:
      'Pay for this call: send the payment that the header PAYMENT-REQUIRED asks for (x402) in PAYMENT-SIGNATURE, or authenticate.',
  },
  payment_invalid: { retryable: false, message: 'The payment does not pay for this call.' },
  payment_failed: {
    retryable: false,
    message: 'The payment was not settled, so the call was not charged and its answer is not given.',
  },
  insufficient_credits: { retryable: false, message: 'The wallet holds too few credits for this call.' },
  max_cost_exceeded: { retryable: false, message: 'The call would cost more than max_cost_credits.' },
  mandate_exceeded: { retryable: false, message: 'The mandate has too little budget left for this call.' },
  credit_cap_exceeded: { retryable: false, message: 'The API key has reached its credit cap.' },
  budget_exceeded: {
    retryable: false,
    message: 'A budget of the account has too little left for this call.',
  },
  forbidden: { retryable: false, message: 'You are not allowed to do this.' },
  email_unconfirmed: {
    retryable: false,
    message:
      'Confirm your email address first, with the token of the mail: POST /v1/auth/email/confirm, or market email confirm.',
  },
  registration_required: { retryable: false, message: 'Pay the seller registration fee first.' },
  insufficient_scope: { retryable: false, message: 'The API key lacks the scope for this operation.' },
  cross_site_request: { retryable: false, message: 'Cross-site requests are refused.' },
  a2a_not_allowed: { retryable: false, message: 'This agent is not invocable by other agents.' },
  mandate_invalid: { retryable: false, message: 'The mandate is not valid for this call.' },
  not_found: { retryable: false, message: 'The resource does not exist, or you have no access to it.' },
  method_not_allowed: {
    retryable: false,
    message:
      'This path does not support this method; the header Allow of the answer lists those that it does.',
  },
  request_timeout: { retryable: true, message: 'The request did not arrive in time.' },
  email_taken: {
    retryable: false,
    message:
      'An account with this email already exists. Log in to it, or reset its password; an address that was never confirmed is free again after a day.',
  },
  slug_taken: { retryable: false, message: 'This slug belongs to another developer.' },
  version_not_higher: {
    retryable: false,
    message: 'The version must be higher than the latest published version.',
  },
  idempotency_key_reused: {
    retryable: false,
    message: 'This idempotency key was already used for another agent or input.',
  },
  invalid_state: { retryable: false, message: 'The current state does not allow this operation.' },
  already_disputed: { retryable: false, message: 'This invocation is already disputed.' },
  payload_too_large: { retryable: false, message: 'The payload is larger than allowed.' },
  unsupported_media_type: { retryable: false, message: 'Send application/json in UTF-8.' },
  validation_failed: { retryable: false, message: 'The request failed validation.' },
  input_schema_mismatch: { retryable: false, message: "The input does not match the agent's input schema." },
  unsupported_currency: { retryable: false, message: 'This currency is not supported.' },
  unsafe_url: { retryable: false, message: 'This address is not allowed.' },
  unsafe_schema: { retryable: false, message: 'This JSON Schema is not allowed.' },
  rate_limited: { retryable: true, message: 'Too many requests. Wait and retry.' },
  concurrency_limited: { retryable: true, message: 'Too many calls in flight. Wait and retry.' },
  a2a_depth_exceeded: { retryable: false, message: 'The chain of agents is too deep.' },
  internal_error: {
    retryable: true,
    message: 'Something failed on our side. The trace id helps us find it.',
  },
  agent_error: { retryable: true, message: 'The agent answered with an error.' },
  agent_unreachable: { retryable: true, message: 'The agent could not be reached.' },
  output_schema_mismatch: {
    retryable: true,
    message: "The agent's answer does not match its output schema.",
  },
  acceptance_failed: {
    retryable: true,
    message: 'The answer fails a test of the call (accept). Nothing was charged.',
  },
  acceptance_declined: {
    retryable: false,
    message: 'The agent declined the tests of the call (accept). Nothing was charged.',
  },
  acceptance_unsupported: { retryable: false, message: 'This agent takes no tests of its answer (accept).' },
  acceptance_limited: {
    retryable: false,
    message: 'Too many of your last tested answers failed your tests. Call without accept.',
  },
  response_too_large: { retryable: false, message: "The agent's answer is too large." },
  overloaded: { retryable: true, message: 'The service is busy. Wait and retry.' },
  not_ready: { retryable: true, message: 'The service is not ready. Retry shortly.' },
  payment_pending: {
    retryable: true,
    message:
      'The payment was sent and has not arrived yet. Retry with the same payment, and sign no other: a payment that arrives is yours to spend.',
  },
  engine_unavailable: {
    retryable: true,
    message: 'The workflow engine is unavailable. Nothing was charged.',
  },
  client_closed: {
    retryable: true,
    message: 'The client left before the answer was complete. Nothing was charged.',
  },
  canceled: { retryable: false, message: 'The call was canceled. Nothing was charged.' },
  agent_timeout: { retryable: true, message: 'The agent did not answer in time.' },
} as const satisfies Record<string, { retryable: boolean; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

/**
 * One invalid field of a 422 response: its location (`['body','input','n']`), a message, and a stable type
 * (`required`, `maximum`, …).
 */
export interface FieldProblem {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/**
 * The call that a payment would have permitted, for the x402 form of a 402 (`src/domain/calls/payment-required.ts`).
 */
export interface UnpaidCall {
  agentId: string;
  displayName: string;
  /** Whole credits that the call needs. */
  creditsNeeded: number;
  /** The agent's timeout. */
  timeoutMs: number;
  /** Set for agents with a USD price. */
  x402: { priceUsd: string; payTo: string } | null;
}

/** The headers of x402 for an answer to a caller without an account. */
export interface X402Answer {
  /** `PAYMENT-REQUIRED`. */
  required?: Record<string, unknown>;
  /** `PAYMENT-RESPONSE`. */
  settlement?: Record<string, unknown>;
}

export interface MarketErrorOptions {
  message?: string | undefined;
  /** For 422: one element for each invalid field. */
  detail?: FieldProblem[] | undefined;
  /** The invocation that failed; shown to the caller. */
  invocationId?: string | undefined;
  /** Seconds after which a retry can succeed (429). */
  retryAfterSeconds?: number | undefined;
  /** For 402 of a call. */
  payment?: UnpaidCall | undefined;
  /** Why an agent refused the request, in its own words; untrusted. */
  agentMessage?: string | undefined;
  /** For a caller who pays by x402. */
  x402?: X402Answer | undefined;
  cause?: unknown;
}

/** An expected failure with a stable code. Every other thrown error is an internal error. */
export class MarketError extends Error {
  override readonly name = 'MarketError';
  readonly detail: FieldProblem[] | undefined;
  readonly invocationId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly payment: UnpaidCall | undefined;
  readonly agentMessage: string | undefined;
  readonly x402: X402Answer | undefined;

  constructor(
    readonly code: ErrorCode,
    options: MarketErrorOptions = {},
  ) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.detail = options.detail;
    this.invocationId = options.invocationId;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.payment = options.payment;
    this.agentMessage = options.agentMessage;
    this.x402 = options.x402;
  }
}

/** The same error with the headers of x402. */
export function withX402(error: MarketError, x402: X402Answer): MarketError {
  const { code, message, detail, invocationId, retryAfterSeconds, payment, agentMessage, cause } = error;
  const rest = { message, detail, invocationId, retryAfterSeconds, payment, agentMessage, cause };
  return new MarketError(code, { ...rest, x402 });
}

/** True when a retry of the same request can succeed. */
export function isRetryable(code: ErrorCode): boolean {
  return ERRORS[code].retryable;
}

/** The message that is sent when the error has none of its own. */
export function defaultMessage(code: ErrorCode): string {
  return ERRORS[code].message;
}

/** Why a call failed. A job may be charged for the milestones that it reached before. */
export function failureMessage(code: ErrorCode, chargedCredits: number): string {
  if (chargedCredits === 0) return defaultMessage(code);
  const what = `${chargedCredits} ${chargedCredits === 1 ? 'credit was' : 'credits were'} charged`;
  return `${defaultMessage(code).replace(' Nothing was charged.', '')} ${what} for the milestones that were reached.`;
}
