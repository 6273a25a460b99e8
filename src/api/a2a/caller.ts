import type { Request } from 'express';
import type { User } from '@a2a-js/sdk/server';
import type { MarketError } from '../../domain/errors';
import type { HoldOutput } from '../../services/a2a/a2a-task-views';
import type { Principal } from '../identity/principal';
import type { DividedA2a } from '../bodies/divided-a2a';

/** A request of the standard binding, with facts that the protocol library's own types do not carry. */
export interface A2aRequest {
  agentId: string;
  traceId: string;
  hops: number;
  req: Request;
  /** Whether the request uses JSON-RPC. */
  isRpc: boolean;
  /** Whether it speaks A2A 0.3. */
  isLegacy: boolean;
  /** The input of the request's message; undefined for a request without a body. */
  divided: DividedA2a | undefined;
  /** Stores large JSON for the response. */
  hold: HoldOutput;
  /** Aborts when the client disconnects. */
  closed: AbortSignal;
  /** Ends the request with one of our errors, in the form of its binding. The library's handler is abandoned. */
  refuse: (error: MarketError) => void;
}

/** The caller of the standard binding. */
export interface A2aCaller extends A2aRequest, User {
  principal: Principal;
}

/** A caller without credentials, who may pay for a call by x402. */
export type A2aVisitor = A2aRequest & User;

const callers = new WeakMap<Request, A2aCaller>();
const visitors = new WeakMap<Request, A2aVisitor>();

/** Remembers the caller of a request for the library's handlers, which get only the request. */
export function knowCaller(caller: Omit<A2aCaller, 'isAuthenticated' | 'userName'>): void {
  callers.set(caller.req, { ...caller, isAuthenticated: true, userName: caller.principal.userId });
}

export function callerOf(req: Request): A2aCaller {
  const caller = callers.get(req);
  if (!caller) throw new Error('this request was not authenticated');
  return caller;
}

/** Remembers a request without credentials. */
export function knowVisitor(visitor: A2aRequest): void {
  visitors.set(visitor.req, { ...visitor, isAuthenticated: false, userName: '' });
}

export function visitorOf(req: Request): A2aVisitor {
  const visitor = visitors.get(req);
  if (!visitor) throw new Error('this request was not let in');
  return visitor;
}
