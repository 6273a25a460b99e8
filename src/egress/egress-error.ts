import type { ErrorCode } from '../domain/errors';
import type { UrlRule } from './url-rules';

/** How a call to a stranger failed. `aborted`: by our own signal; `bad_response`: it answered, but not acceptably. */
export type EgressErrorKind =
  'unsafe_url' | 'unreachable' | 'tls' | 'timeout' | 'redirect' | 'too_large' | 'bad_response' | 'aborted';

/**
 * A failed call. The message is for our own logs and the agent's owner, never for buyers: it may hold what the
 * stranger's server did. `rule` names the URL rule that refused.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError';

  constructor(
    readonly kind: EgressErrorKind,
    message: string,
    readonly rule?: UrlRule,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * What a buyer is told. An address that became unsafe after registration is simply not reachable for the buyer, so
 * that nothing can be learned about names. `aborted` has a code only for completeness: who aborts knows why.
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

export function egressErrorToCode(kind: EgressErrorKind): ErrorCode {
  return CODES[kind];
}

const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;
const BROKEN_CONNECTION = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_CLOSED']);

/** The kind of an error of a connection that was not yet made. */
export function connectFailure(cause: Error): EgressError {
  const code = codeOf(cause);
  if (TLS_CODE.test(code)) return new EgressError('tls', `TLS failed: ${code}`, undefined, { cause });
  return new EgressError('unreachable', `connecting failed: ${code || cause.message}`, undefined, { cause });
}

/** The kind of an error of a connection that was made: it broke, or what came is not HTTP. */
export function exchangeFailure(cause: unknown, answerBegan: boolean): EgressError {
  if (cause instanceof EgressError) return cause;
  const code = codeOf(cause);
  if (isBroken(code, cause) && !answerBegan) {
    return new EgressError('unreachable', `the connection broke before an answer: ${code}`, undefined, {
      cause,
    });
  }
  return new EgressError('bad_response', `the answer is broken: ${code || messageOf(cause)}`, undefined, {
    cause,
  });
}

/** undici has one code for a closed connection and for an upgrade that nobody asked for. */
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
