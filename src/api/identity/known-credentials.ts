/**
 * The callers of credentials that were valid lately (ADR 0195, ADR 0407). A request with such a credential can be
 * refused, or can wait, as its caller's before a session, a key or a membership is read; a request with any other
 * credential, which may be invented, is its address's. A session acts for the person or for an organisation, so its
 * owners are remembered by what a request says about them.
 */
import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { BoundedMap } from '../../kit/bounded-map';
import { isApiKey } from '../../kit/crypto/api-key-format';
import type { KnownCaller, RequestContext } from './context';
import { OWNER_HEADER } from './owner';
import type { Principal } from './principal';
import { SESSION_COOKIE } from './sessions';

export interface KnownCredentials {
  remember: (
    req: Request,
    context: RequestContext,
    caller: Pick<Principal, 'userId' | 'key' | 'person'>,
  ) => void;
  /** Forgets a credential that is not valid any more, or whose owner changed. */
  forget: (req: Request) => void;
  /**
   * The caller of a credential that was valid lately; undefined for any other. `isGuess`: the request names another
   * owner than requests of the credential before it did, so this is the person.
   */
  callerOf: (req: Request, context: RequestContext) => KnownCaller | undefined;
}

/** Credentials that are remembered, and owners that are remembered for each. */
const MOST_KNOWN = 20_000;
const MOST_OWNERS = 8;

interface Known {
  person: KnownCaller;
  /** By what a request says about its owner. */
  owners: Map<string, KnownCaller>;
}

export function createKnownCredentials(): KnownCredentials {
  const callers = new BoundedMap<string, Known>(MOST_KNOWN);
  return {
    remember(req, context, { userId, key, person }) {
      const name = nameOf(req);
      if (name === undefined) return;
      let known = callers.get(name);
      if (!known) {
        known = {
          person: { userId: key ? userId : (person ?? userId), key },
          owners: new BoundedMap(MOST_OWNERS),
        };
        callers.set(name, known);
      }
      const wish = wishOf(req, context);
      if (wish !== null && known.owners.get(wish)?.userId !== userId) known.owners.set(wish, { userId, key });
    },
    forget(req) {
      const name = nameOf(req);
      if (name !== undefined) callers.delete(name);
    },
    callerOf(req, context) {
      const name = callers.size === 0 ? undefined : nameOf(req);
      const known = name === undefined ? undefined : callers.get(name);
      const wish = wishOf(req, context);
      if (!known || wish === null) return known?.person;
      return known.owners.get(wish) ?? { ...known.person, isGuess: true };
    },
  };
}

/** The owner that a request wants; null for the person, or for the owner of the key, whatever else a request says. */
function wishOf(req: Request, { isOfMembers }: RequestContext): string | null {
  const hasKey = isApiKey(req.get('x-api-key') ?? '') || TOKEN.test(req.headers.authorization ?? '');
  if (hasKey || !isOfMembers) return null;
  return (req.get(OWNER_HEADER) ?? '').slice(0, MOST_OWNER_CHARACTERS);
}

/** Longer than any id of an owner. */
const MOST_OWNER_CHARACTERS = 64;
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
