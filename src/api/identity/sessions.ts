import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { types } from 'node:util';
import connectPgSimple from 'connect-pg-simple';
import session, { type SessionData } from 'express-session';
import { MarketError } from '../../domain/errors';
import type { AccountsService } from '../../services/accounts/accounts';
import type { LiveSession } from '../../services/accounts/session-list';
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
    /** The identity provider that began the session, and its organisation; absent for a login by password. */
    provider?: string;
    providerOrg?: string;
    /** The organisation for which requests of the session act unless they name another owner. */
    owner?: string;
  }
}

export const SESSION_COOKIE = 'market_session';
const COOKIE = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([^;]*)`);
const LIFETIME_MS = 14 * 24 * 3_600_000;
/** Minimum interval of extending a session and sending its cookie again. */
const EXTEND_EVERY_MS = 10 * 60_000;
/** Timeout for reading a session; the response is then 503. */
const LOAD_TIMEOUT_MS = 4_000;

/** Whether the request has the cookie of a session, which may have ended. */
export const hasSessionCookie = (req: Request): boolean => COOKIE.test(req.headers.cookie ?? '');

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

/** Data about a session from the query that read it. It is not stored and lives as long as the request. */
export interface LoadedSession {
  user: LiveSession['user'];
  expiresAt: Date;
}

const loadedSessions = new WeakMap<object, LoadedSession>();

/** The stored data of a request's session; undefined for a session that this request created. */
export function loadedSession(target: object | undefined): LoadedSession | undefined {
  return target && loadedSessions.get(target);
}

export interface SessionStoreDeps {
  /** A pg pool, typed loosely because the API must not import pg. */
  pool: unknown;
  accounts: Pick<AccountsService, 'findSession' | 'extendSession'>;
  onError: (message: string, error: unknown) => void;
}

type PgStoreOptions = ConstructorParameters<ReturnType<typeof connectPgSimple>>[0];

/**
 * connect-pg-simple with three differences. A session is read together with its user in one indexed query. An existing
 * session is only updated, never inserted, so that a slow request cannot restore a session that was ended. `touch` does
 * nothing, because `open` extends a session every few minutes instead of at each request.
 */
export function createSessionStore({ pool, accounts, onError }: SessionStoreDeps) {
  const PgStore = connectPgSimple(session);
  class MarketSessionStore extends PgStore {
    override get(sid: string, callback: (error: unknown, data?: SessionData | null) => void): void {
      accounts.findSession(sid).then(
        (found) => {
          if (!found) return callback(null, null);
          const data = found.data as SessionData;
          loadedSessions.set(data, { user: found.user, expiresAt: found.expiresAt });
          callback(null, data);
        },
        (error: unknown) => callback(error),
      );
    }

    override createSession(req: Parameters<session.Store['createSession']>[0], data: SessionData) {
      const created = super.createSession(req, data);
      const loaded = loadedSessions.get(data);
      if (loaded) loadedSessions.set(created, loaded);
      return created;
    }

    override set(sid: string, data: SessionData, callback?: (error?: unknown) => void): void {
      if (!loadedSessions.has(data)) return super.set(sid, data, callback);
      const expiresAt = new Date(data.cookie.expires ?? Date.now());
      accounts.extendSession(sid, data, expiresAt).then(
        () => callback?.(),
        (error: unknown) => callback?.(error),
      );
    }

    override touch(_sid: string, _data: SessionData, callback?: () => void): void {
      callback?.();
    }
  }
  return new MarketSessionStore({
    pool: pool as NonNullable<PgStoreOptions>['pool'],
    tableName: 'sessions',
    createTableIfMissing: false,
    // The loop `session purge` of a worker deletes them in batches; the package would delete all of them in one
    // statement.
    pruneSessionInterval: false,
    errorLog: (message: unknown, error: unknown) => onError(String(message), error),
  });
}

/** Converts a callback-style call into a promise. An error value that is not an `Error` is wrapped in one. */
export function fromCallback<T = void>(
  work: (done: (error?: unknown, value?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    work((error, value) => {
      if (error) reject(types.isNativeError(error) ? error : new Error('the call failed', { cause: error }));
      else resolve(value as T);
    });
  });
}
