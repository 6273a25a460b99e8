import type { Request, Response } from 'express';
import type { Operation } from '../contract/operation';
import { MarketError } from '../domain/errors';
import { clientNetwork } from '../kit/client-address';
import type { Limit, Quota, RateLimits } from '../services/rate-limits';
import { contextOf } from './context';

/** Counts requests against limits and writes the X-RateLimit headers, which every answer carries. */
export interface Admission {
  /** Shows the limit of the address; for the start of a request, when nobody is known yet. */
  announce: (req: Request, res: Response) => void;
  /** Counts a request whose caller is known (or nobody): 429 when the account or address has no points left. */
  admit: (operation: Operation, req: Request, res: Response) => void;
  /** Counts a request that failed before it could be admitted; the error is 429 when the address has no points left. */
  admitFailed: (req: Request, res: Response, error: MarketError) => MarketError;
}

export interface AdmissionLimits {
  perAccount: number;
  invocationsPerAccount: number;
  perAddress: number;
}

const WINDOW_MS = 60_000;

export function createAdmission(rateLimits: RateLimits, limits: AdmissionLimits): Admission {
  const account = limitOf(limits.perAccount);
  const invocations = limitOf(limits.invocationsPerAccount);
  const address = limitOf(limits.perAddress);
  const addressKey = (req: Request) => `address/${clientNetwork(req.ip)}`;

  const consume = (operation: Operation | undefined, req: Request): Quota => {
    const { principal } = contextOf(req);
    if (!principal) return rateLimits.consume(addressKey(req), address);
    const quota = rateLimits.consume(`account/${principal.userId}`, account);
    if (!quota.allowed || !operation || !isInvocation(operation)) return quota;
    return rateLimits.consume(`invocations/${principal.userId}`, invocations);
  };
  return {
    announce: (req, res) => show(res, rateLimits.peek(addressKey(req), address)),
    admit(operation, req, res) {
      contextOf(req).admitted = true;
      if (isProbe(operation)) return;
      const quota = consume(operation, req);
      show(res, quota);
      if (!quota.allowed) throw refusal(quota);
    },
    admitFailed(req, res, error) {
      const context = contextOf(req);
      if (context.admitted || res.headersSent) return error;
      context.admitted = true;
      const quota = consume(undefined, req);
      show(res, quota);
      return quota.allowed ? error : refusal(quota);
    },
  };
}

function limitOf(points: number): Limit {
  return { points, windowMs: WINDOW_MS };
}

function isInvocation({ auth, method }: Operation): boolean {
  return typeof auth === 'object' && auth.scope === 'agents:invoke' && method === 'post';
}

/** Liveness and readiness are asked by machines that must not be turned away. */
function isProbe({ auth, tag }: Operation): boolean {
  return auth === 'public' && tag === 'Health';
}

function show(res: Response, quota: Quota): void {
  res.setHeader('X-RateLimit-Limit', quota.limit);
  res.setHeader('X-RateLimit-Remaining', quota.remaining);
  res.setHeader('X-RateLimit-Reset', Math.ceil(quota.resetAt / 1_000));
}

function refusal({ resetAt }: Quota): MarketError {
  return new MarketError('rate_limited', {
    retryAfterSeconds: Math.max(1, Math.ceil((resetAt - Date.now()) / 1_000)),
  });
}
