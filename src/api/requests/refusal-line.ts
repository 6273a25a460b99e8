/**
 * Lets callers whose requests are refused again and again wait in line (ADR 0180). A refusal costs no credits, and most
 * refusals are decided after a session was read and a body parsed, so an account without credits could keep the event
 * loop busy within its limits. Requests of such callers start one after another, with a pause behind each; those of all
 * other callers start at once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { MarketError } from '../../domain/errors';
import { clientNetwork } from '../../kit/client-address';
import { createRecentTimes } from '../../kit/concurrency/recent-times';
import { createTenantTurns } from '../../kit/concurrency/tenant-turns';
import { contextOf } from '../binding/context';
import type { RefusedCredentials } from '../identity/refused-credentials';
import { whenClosed } from './when-closed';

export interface RefusalLine {
  /**
   * Waits for the caller's turn if its requests were refused too often lately. Watches how the request ends. Throws
   * `concurrency_limited` if too many requests of the caller wait, or if one waits too long.
   */
  enter: (req: Request, res: Response) => Promise<void>;
}

export interface RefusalLineDeps {
  /** From this number of recent refusals on, a caller waits. Half of them are forgotten every ten seconds. */
  most: number;
  credentials: RefusedCredentials;
  now?: () => number;
}

/** A caller waits only if at least this share of its recent requests was refused: busy callers are refused at times. */
const LEAST_SHARE = 0.5;
/** A request holds the line until its response ends, but no longer than this: it may wait for an agent or a thread. */
const HOLD_MS = 25;
/** Between two starts, for everybody else. */
const PAUSE_MS = 50;
const MOST_WAITING = 20;
const PATIENCE_MS = 10_000;
/** A request that finds too many waiting is refused after this time, so that a client without pauses sends one a second. */
const DELAY_MS = 1_000;
/** So many refusals of all callers wait at most; their sockets stay open. */
const MOST_DELAYED = 1_000;

export function createRefusalLine(deps: RefusalLineDeps): RefusalLine {
  const { most, credentials, now = () => performance.now() } = deps;
  const [requests, refusals] = [createRecentTimes(now), createRecentTimes(now)];
  let delayed = 0;
  const limits = { mostWaiting: MOST_WAITING, patienceMs: PATIENCE_MS };
  const turns = createTenantTurns({ slots: 1, ...limits, late: crowded, crowded });

  /** The account of a credential that was refused before; the address without a credential. */
  function tenantOf(req: Request): string | undefined {
    const caller = credentials.callerOf(req);
    if (caller) return `account/${caller.userId}`;
    return credentials.isNamed(req) ? undefined : `address/${clientNetwork(req.ip)}`;
  }

  function note(req: Request, res: Response): void {
    const isRefused = res.statusCode >= 400 && res.statusCode < 500;
    const { principal } = contextOf(req);
    if (isRefused && principal) credentials.remember(req, principal);
    const tenant = tenantOf(req);
    if (tenant === undefined) return;
    requests.charge(tenant, 1);
    if (isRefused) refusals.charge(tenant, 1);
  }

  function waits(tenant: string): boolean {
    const refused = refusals.recentMs(tenant);
    return refused >= most && refused >= LEAST_SHARE * requests.recentMs(tenant);
  }

  /** Lets a client that sends its next request after each refusal wait before the refusal. */
  async function held(res: Response): Promise<void> {
    if (delayed >= MOST_DELAYED || res.closed) return;
    delayed += 1;
    const left = new AbortController();
    whenClosed(res, () => left.abort());
    await sleep(DELAY_MS, undefined, { signal: left.signal }).catch(() => undefined);
    delayed -= 1;
  }

  return {
    async enter(req, res) {
      whenClosed(res, () => note(req, res));
      const tenant = tenantOf(req);
      if (tenant === undefined || !waits(tenant)) return;
      await new Promise<void>((start, refuse) => {
        turns
          .run(tenant, () => heldBy(res, start))
          .catch(async (error: Error) => {
            // A refusal by this line must not use up the points of an address that others share.
            contextOf(req).admitted = true;
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
  await Promise.race([ended, sleep(HOLD_MS)]);
  await sleep(PAUSE_MS);
}

function crowded(): MarketError {
  return new MarketError('concurrency_limited', {
    message:
      'Many of your last requests were refused, so the next ones wait in line, and too many wait already. Correct them, and retry more slowly.',
    retryAfterSeconds: 5,
  });
}
