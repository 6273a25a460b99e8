import connectPgSimple from 'connect-pg-simple';
import session, { type SessionData } from 'express-session';
import type { AccountsService, LiveSession } from '../../services/accounts/accounts';

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
 * nothing, because src/api/identity/sessions.ts extends a session every few minutes instead of at each request.
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
