import type { AnswerFlaw } from '../domain/catalogue/agent-notice';
import type { ConnectionCause } from '../domain/calls/connection-cause';
import type { ErrorCode } from '../domain/errors';
import type { UrlRule } from './url-rules';

/**
 * How a call to an untrusted server failed. `aborted`: by the caller's signal. `bad_response`: the server responded,
 * but not acceptably.
 */
export type EgressErrorKind =
  'unsafe_url' | 'unreachable' | 'tls' | 'timeout' | 'redirect' | 'too_large' | 'bad_response' | 'aborted';

/**
 * A failed outgoing call. The message is for logs and the agent's owner, never for buyers, because it may describe
 * the server's behaviour. `rule` names the URL rule that refused the address.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError';

  constructor(
    readonly kind: EgressErrorKind,
    message: string,
    readonly rule?: UrlRule,
    options?: ErrorOptions,
    /** The target of a redirect, as the server wrote it: untrusted. */
    readonly location?: string,
    /** What is wrong with the head of the response, for the owner of the agent. */
    readonly flaw?: AnswerFlaw,
    /** The host name has no address. */
    readonly isUnresolved = false,
  ) {
    super(message, options);
  }
}

/**
 * Error codes for buyers. An address that became unsafe after registration is reported as unreachable, so that errors
 * reveal nothing about name resolution. `aborted` is included for completeness only, because the caller aborted the
 * call itself.
 */
const CODES = {
  unsafe_url: 'agent_unreachable',
  unreachable: 'agent_unreachable',
  tls: 'agent_unreachable',
  timeout: 'agent_timeout',
  redirect: 'agent_error',
  too_large: 'response_too_large',
  bad_response: 'agent_error',
  aborted: 'agent_error',
} as const satisfies Record<EgressErrorKind, ErrorCode>;

/** Maps the kind of a failure to the error code for buyers. */
export function egressErrorToCode(kind: EgressErrorKind): ErrorCode {
  return CODES[kind];
}

/** Codes of the operating system and of TLS, by what they mean for the owner of the server. */
const CAUSE_CODES: readonly [ConnectionCause, RegExp][] = [
  ['refused', /^ECONNREFUSED$/],
  ['no_route', /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/],
  ['connect_timeout', /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/],
  ['certificate_expired', /^CERT_HAS_EXPIRED$/],
  ['certificate_name', /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/],
  ['certificate_untrusted', /^(SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|INVALID_CA)/],
];

/** Why no response came; undefined for a failure with a response, and for a deadline. */
export function connectionCause({
  kind,
  cause,
  rule,
  isUnresolved,
}: EgressError): ConnectionCause | undefined {
  if (isUnresolved || rule === 'url_host_not_public') return 'no_address';
  if (kind !== 'unreachable' && kind !== 'tls') return undefined;
  const code = codeOf(cause);
  const known = CAUSE_CODES.find(([, codes]) => codes.test(code))?.[0];
  return known ?? (kind === 'tls' ? 'tls' : 'broken');
}

const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;
/** What the HTTP client says about a broken response, by its code or by its words. */
const BROKEN_RESPONSES: readonly { by: RegExp; flaw: AnswerFlaw; what: string }[] = [
  {
    by: /^UND_ERR_RES_CONTENT_LENGTH_MISMATCH/,
    flaw: 'content_length',
    what: 'its body is not as long as its Content-Length, or it has two of them',
  },
  { by: /Content-Length/, flaw: 'content_length', what: 'its Content-Length is not a number, or too large' },
  {
    by: /header (?:token|value)/i,
    flaw: 'header_form',
    what: 'a header has characters that HTTP does not allow',
  },
  { by: /Expected HTTP\//, flaw: 'not_http', what: 'it is not HTTP/1.1' },
  { by: /^UND_ERR_HEADERS_OVERFLOW/, flaw: 'headers_size', what: 'its headers are longer than 16 KiB' },
];
const BROKEN_CONNECTION = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_CLOSED']);

/** Classifies an error that occurred before the connection was established. */
export function connectFailure(cause: Error): EgressError {
  const code = codeOf(cause);
  if (TLS_CODE.test(code)) return new EgressError('tls', `TLS failed: ${code}`, undefined, { cause });
  return new EgressError('unreachable', `connecting failed: ${code || cause.message}`, undefined, { cause });
}

/** Classifies an error on an established connection: a broken connection, or a response that is not valid HTTP. */
export function exchangeFailure(cause: unknown, answerBegan: boolean): EgressError {
  if (cause instanceof EgressError) return cause;
  const code = codeOf(cause);
  if (isBroken(code, cause) && !answerBegan) {
    return new EgressError('unreachable', `the connection broke before a response: ${code}`, undefined, {
      cause,
    });
  }
  const known = BROKEN_RESPONSES.find(({ by }) => by.test(`${code} ${messageOf(cause)}`));
  const message = `the response is broken: ${known?.what ?? (code || messageOf(cause))}`;
  return new EgressError('bad_response', message, undefined, { cause }, undefined, known?.flaw);
}

/** undici uses the same code for a closed connection and for an unexpected upgrade. */
function isBroken(code: string, cause: unknown): boolean {
  return (
    BROKEN_CONNECTION.has(code) || (code === 'UND_ERR_SOCKET' && messageOf(cause) === 'other side closed')
  );
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}

/** The failure of a host name without an address. */
export function unresolved(message = 'the host name does not resolve', cause?: unknown): EgressError {
  return new EgressError('unreachable', message, undefined, { cause }, undefined, undefined, true);
}
