/**
 * Lets callers whose requests are refused again and again wait in line (ADR 0180). A refusal costs no credits, and most
 * refusals are decided after a session was read and a body parsed, so an account without credits could keep the event
 * loop busy within its limits. Requests of such callers start one after another, with a pause behind each; those of all
 * other callers start at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { MarketError } from '../../domain/errors';
import { clientNetwork, WIDE_FACTOR, widerNetwork } from '../../kit/client-address';
import { createRecentTimes } from '../../kit/concurrency/recent-times';
import { createTenantTurns } from '../../kit/concurrency/tenant-turns';
import { contextOf, type KnownCaller, type RequestContext, whenClosed } from '../identity/context';
import { createKnownCredentials } from '../identity/known-credentials';
import { withTimeout } from '../../kit/with-timeout';

export interface RefusalLine {
  /**
   * Waits for the caller's turn if its requests were refused too often lately. Watches how the request ends. Does
   * nothing for a request that has passed the line. Throws `concurrency_limited` if too many requests of the caller
   * wait, or if one waits too long.
   */
  enter: (req: Request, res: Response, context?: RequestContext) => Promise<void>;
}

export interface RefusalLineDeps {
  /** From this number of recent refusals on, a caller waits. Half of them are forgotten every ten seconds. */
  most: number;
  now?: () => number;
}

/** A caller waits only if at least this share of its recent requests was refused: busy callers are refused at times. */
const LEAST_SHARE = 0.5;
interface Tenant {
  name: string;
  /** So many times the refusals of others. */
  factor: number;
}

/** A request holds the line until its response ends, but no longer than this: it may wait for an agent or a thread. */
const HOLD_MS = 25;
/** Between two starts, for everybody else. */
const PAUSE_MS = 50;
const MOST_WAITING = 20;
const PATIENCE_MS = 10_000;
/**
 * A request that finds too many waiting is refused after at least this time, so that a client without pauses sends one
 * a second at most.
 */
const DELAY_MS = 1_000;
/** Part of this time that chance adds, so that clients that were refused together do not come back together. */
const DELAY_SPREAD = 1;
/** So many refusals of all callers wait at most; their sockets stay open. */
const MOST_DELAYED = 1_000;

export function createRefusalLine(deps: RefusalLineDeps): RefusalLine {
  const { most, now = () => performance.now() } = deps;
  const credentials = createKnownCredentials();
  const [requests, refusals] = [createRecentTimes(now), createRecentTimes(now)];
  let delayed = 0;
  const limits = { mostWaiting: MOST_WAITING, patienceMs: PATIENCE_MS };
  const turns = createTenantTurns({ slots: 1, ...limits, late: crowded, crowded });

  /** The owner of a credential that was valid lately; the networks of the address for any other, and without one. */
  function tenantsOf(req: Request, caller: KnownCaller | undefined): Tenant[] {
    if (caller) return [{ name: `account/${caller.userId}`, factor: 1 }];
    const network = clientNetwork(req.ip);
    const wide = widerNetwork(network);
    const own = { name: `address/${network}`, factor: 1 };
    return wide === undefined ? [own] : [own, { name: `address/${wide}`, factor: WIDE_FACTOR }];
  }

  function note(req: Request, res: Response, context: RequestContext, before: readonly Tenant[]): void {
    const { principal, asksPayment } = context;
    const isRefused = res.statusCode >= 400 && res.statusCode < 500 && !asksPayment;
    if (context.choseOwner) credentials.forget(req);
    else if (principal) credentials.remember(req, context, principal);
    else if (res.statusCode === 401) credentials.forget(req);
    for (const { name } of principal ? tenantsOf(req, principal) : before) {
      requests.charge(name, 1);
      if (isRefused) refusals.charge(name, 1);
    }
  }

  function waits({ name, factor }: Tenant): boolean {
    const refused = refusals.recentMs(name);
    return refused >= most * factor && refused >= LEAST_SHARE * requests.recentMs(name);
  }

  /** Lets a client that sends its next request after each refusal wait before the refusal. */
  async function held(res: Response): Promise<void> {
    if (delayed >= MOST_DELAYED || res.closed) return;
    delayed += 1;
    const left = new AbortController();
    whenClosed(res, () => left.abort());
    await sleep(DELAY_MS * (1 + DELAY_SPREAD * Math.random()), undefined, { signal: left.signal }).catch(
      () => undefined,
    );
    delayed -= 1;
  }

  return {
    async enter(req, res, context = contextOf(req)) {
      if (context.passedLine) return;
      context.passedLine = true;
      const known = credentials.callerOf(req, context);
      if (known) context.knownCaller = known;
      const tenants = tenantsOf(req, known);
      whenClosed(res, () => note(req, res, context, tenants));
      const tenant = tenants.find(waits)?.name;
      if (tenant === undefined) return;
      context.waitedInLine = true;
      await new Promise<void>((start, refuse) => {
        turns
          .run(tenant, () => heldBy(res, start))
          .catch(async (error: Error) => {
            // A refusal by this line must not use up the points of an address that others share.
            context.counted = true;
            await held(res);
            refuse(error);
          });
      });
    },
  };
}

async function heldBy(res: Response, start: () => void): Promise<void> {
  start();
  if (res.closed) return;
  const ended = new Promise<void>((resolve) => whenClosed(res, resolve));
  await withTimeout(HOLD_MS, ended, () => undefined);
  await sleep(PAUSE_MS);
}

function crowded(): MarketError {
  return new MarketError('concurrency_limited', {
    message:
      'Many of your last requests were refused, so the next ones wait in line, and too many wait already. Correct them, and retry more slowly.',
    retryAfterSeconds: 5,
  });
}
