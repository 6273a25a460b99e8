import type { ErrorCode } from '../../src/domain/errors';

/** What brings about each error, and what the caller can do. A code without a line does not compile. */
export const ERROR_HELP: Record<ErrorCode, { cause: string; remedy: string }> = {
  malformed_json: {
    cause: 'The body is not strict JSON: a trailing comma, a name twice, a broken character.',
    remedy: 'Correct the body at the offset that the message names.',
  },
  malformed_request: {
    cause: 'The bytes are not valid HTTP.',
    remedy: 'Use an HTTP library; check what stands between you and the service.',
  },
  invalid_header: {
    cause: 'A header has a value that is not allowed, such as an empty `Idempotency-Key`.',
    remedy: 'Correct the header that the message names.',
  },
  not_authenticated: {
    cause: 'The request has no key and no session, or the key is wrong, deleted or expired.',
    remedy: 'Send a valid `X-API-Key`, or log in.',
  },
  invalid_credentials: {
    cause: 'No account has this email address and this password.',
    remedy: 'Correct them, or reset the password.',
  },
  second_factor_required: {
    cause: 'The account has an authenticator app.',
    remedy: 'Send the current code, or a recovery code, as `totp_code`.',
  },
  payment_required: {
    cause:
      'A call without credentials, where callers without an account may pay by x402. The header `PAYMENT-REQUIRED` says what to pay.',
    remedy:
      'Repeat the request with the payment in `PAYMENT-SIGNATURE`, or authenticate (docs/pay-per-call.md).',
  },
  payment_invalid: {
    cause:
      'The payment in `PAYMENT-SIGNATURE` has other terms than the call, no cover, a wrong signature, or was used.',
    remedy: 'Sign a new payment for what the header `PAYMENT-REQUIRED` of this answer asks.',
  },
  payment_failed: {
    cause: 'The agent answered, and the facilitator refused to settle the payment. Nothing was charged.',
    remedy: 'Look at the balance of the paying address, then pay again.',
  },
  payment_pending: {
    cause: 'The agent answered, and the payment had not arrived on the chain in time. Nothing was charged.',
    remedy:
      'Repeat the request with the same `PAYMENT-SIGNATURE` after a moment. If the payment has arrived by then, its credits buy the call.',
  },
  insufficient_credits: {
    cause: "The wallet cannot hold the call's price, or its maximum for a metered agent.",
    remedy: 'Top up, or set a lower `max_cost_credits` for a metered agent.',
  },
  max_cost_exceeded: {
    cause: "The price, or the metered cost, is above the call's `max_cost_credits`.",
    remedy: 'Raise the ceiling, or send a smaller input.',
  },
  mandate_exceeded: {
    cause: 'The budget or the number of calls of the mandate is used up, or would be by calls in flight.',
    remedy: 'Ask the issuer for another mandate, or wait for calls in flight to end.',
  },
  credit_cap_exceeded: {
    cause: 'The key has spent its `credit_cap`, or would with its calls in flight.',
    remedy: 'Raise the cap, or wait until its window ends; the message says when.',
  },
  budget_exceeded: {
    cause: 'A budget of the account, or of a tag, is spent, or would be with its calls in flight.',
    remedy: 'Raise the budget that the message names, or wait until it begins anew.',
  },
  forbidden: {
    cause: 'The account lacks the role, the second factor or the right for this operation.',
    remedy: 'Use the account that may; the message says what is missing.',
  },
  email_unconfirmed: {
    cause: 'The email address of the account is not confirmed, and this marketplace requires it.',
    remedy: 'Confirm it with the token of the mail (`POST /v1/auth/email/confirm`).',
  },
  registration_required: {
    cause: 'The developer has not paid the registration fee.',
    remedy: 'Top up 1,000 credits, then `POST /v1/users/pay-registration`.',
  },
  insufficient_scope: {
    cause: 'The key does not have the scope of the operation.',
    remedy: 'Create a key with the scope that the message names, or use a session.',
  },
  cross_site_request: {
    cause: 'A page of another origin sent the request with your session.',
    remedy: 'Send it from your own server with a key; an operator can add origins.',
  },
  a2a_not_allowed: {
    cause: 'The agent declares `a2a_invocable: false`.',
    remedy: 'Call it by another surface, such as `invoke`.',
  },
  mandate_invalid: {
    cause: 'A signature, a time, a constraint or the proof of the mandate does not fit this call.',
    remedy: 'Correct what the message names; each call needs a new proof.',
  },
  not_found: {
    cause: 'Nothing has this id, or it belongs to another account.',
    remedy: 'Check the id and the account.',
  },
  method_not_allowed: {
    cause: 'The path exists, and does not take this method.',
    remedy: 'Use a method of the header `Allow`.',
  },
  request_timeout: {
    cause: 'The request did not arrive completely in time.',
    remedy: 'Send it again, over a better connection.',
  },
  email_taken: {
    cause: 'Another account has this address, confirmed or not.',
    remedy: 'Log in to that account, reset its password by mail, or use another address.',
  },
  slug_taken: {
    cause: 'Another developer has an agent with this slug.',
    remedy: 'Choose another `agent_id`.',
  },
  version_not_higher: {
    cause:
      'The version is not above the latest one of its major version that was live or waits for verification.',
    remedy: 'Raise `version`.',
  },
  idempotency_key_reused: {
    cause: 'The same key came with another agent, input or amount.',
    remedy: 'Use a new key for each new request.',
  },
  invalid_state: {
    cause: 'The object has moved on: the dispute is decided, the time is over, the agent is retired.',
    remedy: 'Read the object again; [states](lives.md) says what is possible in each.',
  },
  already_disputed: {
    cause: 'The call was disputed before. A client that waits for a disputed call gets this, too.',
    remedy: 'Read the dispute.',
  },
  canceled: { cause: 'The call or task was canceled by its caller.', remedy: 'None is needed.' },
  payload_too_large: {
    cause: "The body exceeds the operation's limit, or the agent's `max_payload_bytes`.",
    remedy: 'Send less; the message names the limit.',
  },
  unsupported_media_type: {
    cause: 'The body is not `application/json` in UTF-8.',
    remedy: 'Set the header `Content-Type: application/json`.',
  },
  validation_failed: {
    cause: 'Fields of the request break a rule.',
    remedy: 'Correct each field in `detail`.',
  },
  input_schema_mismatch: {
    cause: "The input does not match the agent's `input_schema`, or names a tool that does not exist.",
    remedy: 'Correct each field in `detail`; the listing has the schema.',
  },
  unsupported_currency: { cause: 'The currency is neither INR nor USD.', remedy: 'Use one of the two.' },
  unsafe_url: {
    cause: 'The URL is not HTTPS, or leads to a private address, to a refused port or to this service.',
    remedy: 'Use an HTTPS URL on a public host ([egress](../egress.md)).',
  },
  unsafe_schema: {
    cause: 'The JSON Schema is too large or too deep, has outside references, or a pattern that can be slow.',
    remedy: 'Simplify the schema at the place that `detail` names.',
  },
  rate_limited: {
    cause: 'The account, the key or the address sent too many requests in a minute.',
    remedy: 'Wait for the seconds of `Retry-After` ([limits](../keys-and-limits.md#limits)).',
  },
  concurrency_limited: {
    cause: 'Too many calls of this buyer, or to this agent, are in flight.',
    remedy: 'Wait for some to end, then retry.',
  },
  a2a_depth_exceeded: {
    cause: 'The chain of agents that call agents is longer than five.',
    remedy: 'Shorten the chain; look for agents that call each other in a circle.',
  },
  client_closed: {
    cause: 'The client left before the first piece of the answer.',
    remedy: 'Call again, and stay connected.',
  },
  internal_error: {
    cause: 'A fault of the service.',
    remedy: 'Retry; if it stays, report the `trace_id`.',
  },
  agent_error: {
    cause:
      'The agent answered with another status than 200, or with something that is not an answer, or took a job and gave neither an address nor a sign.',
    remedy: 'Retry later, or ask its developer.',
  },
  agent_unreachable: {
    cause: 'No connection to the agent: DNS, TCP, TLS, or its address is refused.',
    remedy: 'Retry later. As its developer: check the certificate and the address.',
  },
  output_schema_mismatch: {
    cause: "The answer does not match the agent's `output_schema`.",
    remedy: 'Retry. As its developer: `detail` names the fields.',
  },
  acceptance_failed: {
    cause:
      'The answer does not match the schema, or fails an assertion, that the call set for it with `accept`.',
    remedy:
      'The message names the test. Retry, correct the test if it can never pass, or choose another agent. Nothing was charged.',
  },
  acceptance_declined: {
    cause: 'The agent read the tests of the call (`accept`) and declined to work by them.',
    remedy: 'Call without `accept`, set other tests, or choose another agent. Nothing was charged.',
  },
  acceptance_unsupported: {
    cause:
      'The call sets tests for the answer (`accept`), and the agent does not declare `capabilities.accepts_tests`.',
    remedy: 'Leave `accept` out, or choose an agent whose listing has `accepts_tests`.',
  },
  acceptance_limited: {
    cause: 'More of your last 100 tested answers failed your tests than the service allows.',
    remedy: 'Call without `accept`. A failure counts for 90 days.',
  },
  response_too_large: {
    cause: 'The answer exceeds 10 MiB (1 MiB for `per_token`).',
    remedy: 'Ask for less.',
  },
  overloaded: {
    cause: 'All connections or places of the process are busy.',
    remedy: 'Wait a few seconds, then retry.',
  },
  not_ready: {
    cause: 'A part that the request needs is starting or away, such as the payment provider.',
    remedy: 'Retry shortly, with the same idempotency key.',
  },
  engine_unavailable: {
    cause: 'Temporal is away, or the process of the call died. The call was refunded.',
    remedy: 'Retry with a new idempotency key.',
  },
  agent_timeout: {
    cause:
      'The agent did not answer within its `timeout_ms`, or as a job within its `max_seconds`, or fell silent.',
    remedy:
      'Retry with a smaller input. As its developer: raise `endpoint.timeout_ms`, or report a job more often than its `heartbeat_seconds`.',
  },
};
