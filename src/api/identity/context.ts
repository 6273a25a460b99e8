import type { Request, Response } from 'express';
import type { ErrorCode, MarketError } from '../../domain/errors';
import type { SchemaCheck } from '../../kit/schemas/compiled-schemas';
import type { Principal } from './principal';

/**
 * The caller of a credential that was valid lately, as far as it is known before authentication. `userId`: the owner
 * for whom the request acts.
 */
export interface KnownCaller extends Pick<Principal, 'userId' | 'key'> {
  /** The person of a session that has not acted for the owner of this request before. */
  isGuess?: boolean;
}

/** The state of a request in the pipeline, from the first middleware to its log line. */
export interface RequestContext {
  traceId: string;
  /** When the request arrived, by `performance.now()`. */
  arrivedAt: number;
  /** Number of calls of this service that led to the request (`src/domain/calls/hops.ts`). */
  hops: number;
  /** Set once the caller is known. */
  principal: Principal | null;
  /** Path pattern of the operation; undefined until a route matched. */
  route?: string;
  /** Writes the errors of this path; undefined for the contract's error body. */
  writeError?: (res: Response, error: MarketError) => void;
  /**
   * Authentication schemes of this path that come before those of every path, for `WWW-Authenticate` on 401 and on 403
   * `insufficient_scope`.
   */
  challenges?: (code: ErrorCode) => readonly string[];
  /** True once the request has passed the line of refused callers, and if it had to wait there. */
  passedLine?: boolean;
  waitedInLine?: boolean;
  /** True for an operation that members perform for their organisation. */
  isOfMembers?: boolean;
  /** Set by the line of refused callers for a credential that was valid lately. */
  knownCaller?: KnownCaller;
  /** True if the session acts for another owner from now on. */
  choseOwner?: boolean;
  /** The call whose callback address the request has; its token is then right. */
  callbackOf?: string;
  /** Who pays for the processor time of a request without a principal; undefined for its address. */
  payer?: string;
  /** The agent's schema, for the thread that parses a large body. */
  inputCheck?: SchemaCheck;
  /** True for an answer that asks for a payment, which is no refusal of a caller without an account. */
  asksPayment?: boolean;
  /** True once the request was counted against a limit. */
  counted?: boolean;
}

const contexts = new WeakMap<Request | Response, RequestContext>();

export function createContext(req: Request, res: Response, traceId: string): RequestContext {
  const context: RequestContext = { traceId, arrivedAt: performance.now(), hops: 0, principal: null };
  contexts.set(req, context);
  contexts.set(res, context);
  return context;
}

/** The context of a request. Every request has one, because the trace middleware runs first. Throws otherwise. */
export function contextOf(target: Request | Response): RequestContext {
  const context = contexts.get(target);
  if (!context) throw new Error('this request did not pass the trace middleware');
  return context;
}

/**
 * Calls `act` once when the response ends or its client disconnects: at once, if that has happened already. A client
 * can disconnect while its credentials are checked or its body is parsed, and `close` is emitted only once.
 */
export function whenClosed(res: Response, act: () => void): void {
  if (res.closed) act();
  else res.once('close', act);
}

/** Aborts when the client disconnects before the complete response was written to its connection. */
export function clientGone(res: Response): AbortSignal {
  const gone = new AbortController();
  whenClosed(res, () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}
