import type { Request, Response } from 'express';
import type { MarketError } from '../../domain/errors';
import type { Principal } from '../identity/principal';

/** What the pipeline knows about a request, from its first middleware to its log line. */
export interface RequestContext {
  traceId: string;
  /** How many calls of this service led to the request (`src/domain/calls/hops.ts`). */
  hops: number;
  /** Set once the caller is known. */
  principal: Principal | null;
  /** The operation's path pattern; absent until a route matched. */
  route?: string;
  /** How the errors of this path look; absent: the contract's error body. */
  writeError?: (res: Response, error: MarketError) => void;
  /** Set once the request was counted against a limit. */
  admitted?: boolean;
}

const contexts = new WeakMap<Request | Response, RequestContext>();

export function openContext(req: Request, res: Response, traceId: string): RequestContext {
  const context: RequestContext = { traceId, hops: 0, principal: null };
  contexts.set(req, context);
  contexts.set(res, context);
  return context;
}

/** The context of a request; every request has one, since the trace middleware runs first. */
export function contextOf(target: Request | Response): RequestContext {
  const context = contexts.get(target);
  if (!context) throw new Error('this request did not pass the trace middleware');
  return context;
}
