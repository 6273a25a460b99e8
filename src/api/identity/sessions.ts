import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import session from 'express-session';
import { MarketError } from '../../domain/errors';
import { fromCallback } from './from-callback';
import { loadedSession, type createSessionStore, type LoadedSession } from './session-store';
import { withTimeout } from '../../kit/with-timeout';

declare module 'express-session' {
  interface SessionData {
    /** Written by passport: the user of the session. */
    passport?: { user?: string };
    /** When the session was last extended, in ms since the epoch. */
    extendedAt?: number;
    /** True if a code of the account's authenticator app was given. */
    secondFactor?: boolean;
    /** When the login was, in ms since the epoch, and from which client. */
    startedAt?: number;
    userAgent?: string;
    network?: string;
  }
}

export const SESSION_COOKIE = 'market_session';
const COOKIE = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([^;]*)`);
const LIFETIME_MS = 14 * 24 * 3_600_000;
/** Minimum interval of extending a session and sending its cookie again. */
const EXTEND_EVERY_MS = 10 * 60_000;
/** Timeout for reading a session; the response is then 503. */
const LOAD_TIMEOUT_MS = 4_000;

export interface Sessions {
  /** Loads the session of the request's cookie. Afterwards `req.session` is usable even if there was none. */
  open: (req: Request, res: Response) => Promise<LoadedSession | undefined>;
  /** Clears the session and its cookie. */
  end: (req: Request, res: Response) => Promise<void>;
}

/**
 * Cookie sessions (contract, "Accounts, sessions, keys"). Only operations that need a session read it, so public
 * endpoints cost no query. Secure cookies are set even though TLS is terminated by a proxy.
 */
export function createSessions(options: {
  store: ReturnType<typeof createSessionStore>;
  secret: string;
  secure: boolean;
}): Sessions {
  const cookie = {
    httpOnly: true,
    sameSite: 'lax',
    secure: options.secure,
    maxAge: LIFETIME_MS,
    path: '/',
  } as const;
  const middleware = session({
    name: SESSION_COOKIE,
    store: options.store,
    secret: options.secret,
    proxy: true,
    resave: false,
    saveUninitialized: false,
    cookie,
  });
  return {
    async open(req, res) {
      if (options.secure) req.headers['x-forwarded-proto'] = 'https';
      await withTimeout(
        LOAD_TIMEOUT_MS,
        fromCallback((done) => void middleware(req, res, done)),
        () => {
          throw new MarketError('not_ready');
        },
      );
      const loaded = loadedSession(req.session);
      if (loaded && isDue(loaded)) req.session.extendedAt = Date.now();
      return loaded;
    },
    async end(req, res) {
      await fromCallback((done) => req.session.destroy(done));
      const { maxAge: _maxAge, ...attributes } = cookie;
      res.clearCookie(SESSION_COOKIE, attributes);
    },
  };
}

/** True if the request's session cookie has a genuine signature: it is, or was, one of this service. Costs no query. */
export function hasSignedSession(req: Request, secret: string): boolean {
  const value = COOKIE.exec(req.headers.cookie ?? '')?.[1];
  const [, sid, signature] = /^s(?::|%3A)([^.]+)\.(.+)$/i.exec(value ?? '') ?? [];
  if (sid === undefined || signature === undefined) return false;
  const wanted = createHmac('sha256', secret).update(sid).digest('base64').replace(/=+$/, '');
  const [given, right] = [Buffer.from(decoded(signature)), Buffer.from(wanted)];
  return given.length === right.length && timingSafeEqual(given, right);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function isDue(loaded: LoadedSession): boolean {
  return loaded.expiresAt.getTime() - Date.now() < LIFETIME_MS - EXTEND_EVERY_MS;
}
