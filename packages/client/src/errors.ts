import type { components } from './api-types.d.ts';

/** Stable name of an error of the service, such as `insufficient_credits`. */
export type ErrorCode = components['schemas']['ErrorCode'];
/** What is wrong with one field of a request. */
export type FieldProblem = components['schemas']['FieldProblem'];

/**
 * Why there is no answer: the connection was lost or the answer is not whole (`unreachable`), a time limit of the client
 * has passed (`timeout`), or the caller's signal was aborted (`aborted`).
 */
export type TransportCode = 'unreachable' | 'timeout' | 'aborted';

export interface MarketApiErrorFields {
  status: number;
  code: ErrorCode | TransportCode | 'unknown';
  message: string;
  retryable?: boolean;
  details?: FieldProblem[];
  traceId?: string | undefined;
  invocationId?: string | undefined;
  retryAfterMs?: number | undefined;
  idempotencyKey?: string | undefined;
  cause?: unknown;
}

/**
 * The one error of a request: an error response of the service, or no answer at all (`status: 0` and a `TransportCode`
 * as `code`).
 */
export class MarketApiError extends Error {
  override readonly name = 'MarketApiError';
  readonly status: number;
  readonly code: ErrorCode | TransportCode | 'unknown';
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** One element for each invalid field; empty unless the status is 422. */
  readonly details: readonly FieldProblem[];
  /** Reference for tracing and support. */
  readonly traceId: string | undefined;
  /** The call that failed, if one was accepted. */
  readonly invocationId: string | undefined;
  /** What the service asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /**
   * The idempotency key of the request, also when the client made it. The same request with the same key returns the
   * call that may have been charged, and is never charged again.
   */
  readonly idempotencyKey: string | undefined;

  constructor(fields: MarketApiErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.status = fields.status;
    this.code = fields.code;
    this.retryable = fields.retryable ?? false;
    this.details = fields.details ?? [];
    this.traceId = fields.traceId;
    this.invocationId = fields.invocationId;
    this.retryAfterMs = fields.retryAfterMs;
    this.idempotencyKey = fields.idempotencyKey;
  }
}

const KEYS = new WeakMap<Response, string>();

/** Remembers the idempotency key of the request that got this response, for the errors made from it. */
export function rememberKey(response: Response, request: Request): Response {
  const key = request.headers.get('idempotency-key');
  if (key !== null) KEYS.set(response, key);
  return response;
}

/** The idempotency key of the request that got this response. */
export const keyOf = (response: Response): string | undefined => KEYS.get(response);

type ErrorBody = Partial<components['schemas']['Error']>;

/** The error of a response that is not 2xx. `body` is its parsed body, or its text. */
export function errorOf(response: Response, body: unknown): MarketApiError {
  const { error, detail, trace_id, invocation_id } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as ErrorBody;
  return new MarketApiError({
    status: response.status,
    code: error?.code ?? 'unknown',
    message: error?.message ?? `The marketplace answered with status ${response.status}.`,
    retryable: error?.retryable ?? false,
    details: detail ?? [],
    traceId: trace_id ?? response.headers.get('x-trace-id') ?? undefined,
    invocationId: invocation_id,
    retryAfterMs: retryAfterMs(response),
    idempotencyKey: keyOf(response),
  });
}

/** `Retry-After` of a response in milliseconds: a number of seconds or a date. */
export function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
