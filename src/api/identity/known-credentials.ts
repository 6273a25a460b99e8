/**
 * The callers of credentials that were valid lately. A request with such a credential can be refused, or can wait, as
 * its caller's before a session or a key is read; a request with any other credential, which may be invented, is its
 * address's (ADR 0180, ADR 0195).
 */
import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { isApiKey } from '../../kit/crypto/api-key-format';
import type { Principal } from './principal';
import { SESSION_COOKIE } from './sessions';
import { BoundedMap } from '../../kit/bounded-map';

type Caller = Pick<Principal, 'userId' | 'key'>;

export interface KnownCredentials {
  remember: (req: Request, caller: Caller) => void;
  /** Forgets a credential that is not valid any more. */
  forget: (req: Request) => void;
  /** The caller of a credential that was valid lately; undefined for any other. */
  callerOf: (req: Request) => Caller | undefined;
}

const MOST = 20_000;

export function createKnownCredentials(most = MOST): KnownCredentials {
  const callers = new BoundedMap<string, Caller>(most);
  return {
    remember(req, { userId, key }) {
      const name = nameOf(req);
      if (name === undefined || callers.has(name)) return;
      callers.set(name, { userId, key });
    },
    forget(req) {
      const name = nameOf(req);
      if (name !== undefined) callers.delete(name);
    },
    callerOf(req) {
      const name = callers.size === 0 ? undefined : nameOf(req);
      return name === undefined ? undefined : callers.get(name);
    },
  };
}

const SESSION = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([^;]*)`);
/** An access token, where it has a meaning. */
const TOKEN = /^Bearer +(amt_[A-Za-z0-9_-]{43}) *$/i;

/** A digest of all credentials of a request, so that the memory holds no secrets; undefined if it has none. */
function nameOf(req: Request): string | undefined {
  const { authorization = '', cookie = '' } = req.headers;
  const key = req.get('x-api-key') ?? '';
  const parts = [
    isApiKey(key) ? key : '',
    TOKEN.exec(authorization)?.[1] ?? '',
    SESSION.exec(cookie)?.[1] ?? '',
  ];
  if (parts.every((part) => part === '')) return undefined;
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
