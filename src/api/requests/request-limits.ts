import type { Request, Response } from 'express';
import type { Config } from '../../config';
import type { Operation } from '../../contract/operation';
import { MarketError } from '../../domain/errors';
import { clientNetwork } from '../../kit/client-address';
import {
  consumeAll,
  counterOf,
  type Limit,
  type LimitedKey,
  limitsOfNetwork,
  peekAll,
  type RateLimits,
  type Verdict,
} from '../../services/accounts/rate-limits';
import { contextOf, type KnownCaller, type RequestContext } from '../identity/context';
import { callbackLimitsOf } from './callback-limits';

/** Counts requests against rate limits and sets the RateLimit and X-RateLimit headers of every response. */
export interface RequestLimits {
  /** Sets the headers for the limit of the address, at the start of a request, when the caller is not known yet. */
  announce: (req: Request, res: Response) => void;
  /**
   * Refuses a request before authentication if the caller of its known credential, or else the address of a client that
   * waited in line, has no points left. Throws `rate_limited`.
   */
  refuseEarly: (operation: Operation, req: Request, res: Response, context: RequestContext) => void;
  /** Counts a request after authentication. Throws `rate_limited` if account, key or address has no points left. */
  count: (operation: Operation, req: Request, res: Response, context: RequestContext) => void;
  /** Counts a request that failed before `count`. Returns `rate_limited` instead if its caller has no points left. */
  countFailed: (req: Request, res: Response, error: MarketError) => MarketError;
  /** The headers for the limit of an address, for responses to unreadable requests (src/api/http-server.ts). */
  headersFor: (address: string | undefined) => Record<string, string>;
}

interface RequestLimitsDeps {
  rateLimits: RateLimits;
  config: Config;
}

const WINDOW_MS = 60_000;

/**
 * Creates the rate limits of requests. Requests of an account count against the account; requests with a key also count
 * against the key; anonymous requests count against the address. A callback with the right token counts against its
 * call.
 */
export function createRequestLimits({ rateLimits, config }: RequestLimitsDeps): RequestLimits {
  const limitsOf = (address: string | undefined): LimitedKey[] =>
    limitsOfNetwork('address', clientNetwork(address), limitOf(config.RATE_LIMIT_PER_ADDRESS));

  const countersOf = (
    operation: Operation | undefined,
    req: Request,
    caller: KnownCaller | null,
  ): LimitedKey[] => {
    if (!caller || isRescue(operation)) return limitsOf(req.ip);
    const { userId, key } = caller;
    const counters = [limitedKey('account', userId, config.RATE_LIMIT_PER_ACCOUNT)];
    if (key) counters.push(limitedKey('key', key.keyId, config.RATE_LIMIT_PER_KEY));
    if (!operation || !isInvocation(operation)) return counters;
    counters.push(limitedKey('invocations', userId, config.RATE_LIMIT_INVOCATIONS));
    if (key) counters.push(limitedKey('key-invocations', key.keyId, config.RATE_LIMIT_KEY_INVOCATIONS));
    return counters;
  };

  const consume = (
    operation: Operation | undefined,
    req: Request,
    res: Response,
    { principal, callbackOf }: RequestContext,
  ): MarketError | undefined => {
    const limits =
      callbackOf === undefined ? countersOf(operation, req, principal) : callbackLimitsOf(callbackOf);
    const verdict = consumeAll(rateLimits, limits);
    const nowMs = Date.now();
    show(res, verdict, nowMs);
    return verdict.allowed ? undefined : refusal(verdict, nowMs);
  };

  return {
    announce: (req, res) => show(res, peekAll(rateLimits, limitsOf(req.ip)), Date.now()),
    refuseEarly(operation, req, res, context) {
      if (operation.auth === 'public' || isRescue(operation)) return;
      const caller = context.knownCaller ?? null;
      if (caller?.isGuess) return;
      // A credential that is not known costs a query, which an address without points gets no more once it waits in
      // line.
      if (!caller && context.waitedInLine !== true) return;
      const verdict = peekAll(rateLimits, countersOf(operation, req, caller));
      if (verdict.allowed) return;
      context.counted = true;
      const nowMs = Date.now();
      show(res, verdict, nowMs);
      throw refusal(verdict, nowMs);
    },
    count(operation, req, res, context) {
      context.counted = true;
      if (isProbe(operation)) return;
      const refused = consume(operation, req, res, context);
      if (refused) throw refused;
    },
    countFailed(req, res, error) {
      const context = contextOf(req);
      if (context.counted || res.headersSent) return error;
      context.counted = true;
      return consume(undefined, req, res, context) ?? error;
    },
    headersFor: (address) => headersOf(peekAll(rateLimits, limitsOf(address)), Date.now()),
  };
}

function limitOf(points: number): Limit {
  return { points, windowMs: WINDOW_MS };
}

function limitedKey(policy: string, id: string, points: number): LimitedKey {
  return { policy, key: counterOf(policy, id), limit: limitOf(points) };
}

function isInvocation({ auth, method }: Operation): boolean {
  return typeof auth === 'object' && auth.scope === 'agents:invoke' && method === 'post';
}

/** Liveness and readiness probes are not limited. */
export function isProbe({ auth, tag }: Operation): boolean {
  return auth === 'public' && tag === 'Health';
}

/** Deleting a key counts against the address, so that the owner of a runaway key can always delete it. */
export function isRescue(operation: Operation | undefined): boolean {
  return operation?.id === 'deleteKey';
}

function show(res: Response, verdict: Verdict, nowMs: number): void {
  for (const [name, value] of Object.entries(headersOf(verdict, nowMs))) res.setHeader(name, value);
}

/**
 * The headers of a response: of the limit that decides in `X-RateLimit-*`, and of all limits in the fields of
 * draft-ietf-httpapi-ratelimit-headers-11, which have no partition key, because it would be an id of the caller.
 */
function headersOf({ limit, remaining, resetAt, policies }: Verdict, nowMs: number): Record<string, string> {
  const rules = policies.map(({ policy, limit: q, windowMs }) => `"${policy}";q=${q};w=${windowMs / 1_000}`);
  const states = policies.map(
    (one) => `"${one.policy}";r=${one.remaining};t=${secondsTo(one.resetAt, nowMs)}`,
  );
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(resetAt / 1_000)),
    'RateLimit-Policy': rules.join(', '),
    RateLimit: states.join(', '),
  };
}

function refusal({ resetAt }: Verdict, nowMs: number): MarketError {
  return new MarketError('rate_limited', { retryAfterSeconds: secondsTo(resetAt, nowMs) });
}

/** Whole seconds until a limit has all its points again, at least 1. */
function secondsTo(resetAt: number, nowMs: number): number {
  return Math.max(1, Math.ceil((resetAt - nowMs) / 1_000));
}
