/**
 * The callers of credentials whose requests were refused lately. Their next requests can be refused, or can wait, before a
 * session or a key is read (ADR 0180). A credential that has ended meanwhile still stands for its caller here, which grants
 * nothing.
 */
import { createHash } from 'node:crypto';
import type { Request } from 'express';
import type { Principal } from './principal';
import { SESSION_COOKIE } from './sessions';

type Caller = Pick<Principal, 'userId' | 'key'>;

export interface RefusedCredentials {
  remember: (req: Request, caller: Caller) => void;
  /** The caller of a credential that was refused before; undefined if it was not. */
  callerOf: (req: Request) => Caller | undefined;
  /** Whether a request has a credential at all. */
  isNamed: (req: Request) => boolean;
}

const MOST = 10_000;

export function createRefusedCredentials(most = MOST): RefusedCredentials {
  const callers = new Map<string, Caller>();
  return {
    remember(req, { userId, key }) {
      const name = nameOf(req);
      if (name === undefined) return;
      const [oldest] = callers.keys();
      if (callers.size >= most && oldest !== undefined) callers.delete(oldest);
      callers.set(name, { userId, key });
    },
    callerOf(req) {
      const name = callers.size === 0 ? undefined : nameOf(req);
      return name === undefined ? undefined : callers.get(name);
    },
    isNamed: (req) => partsOf(req).some((part) => part !== ''),
  };
}

const SESSION = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([^;]*)`);

/** A digest of all credentials of a request, so that the memory holds no secrets; undefined if it has none. */
function nameOf(req: Request): string | undefined {
  const parts = partsOf(req);
  if (parts.every((part) => part === '')) return undefined;
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

function partsOf(req: Request): string[] {
  const { authorization = '', cookie = '' } = req.headers;
  return [req.get('x-api-key') ?? '', authorization, SESSION.exec(cookie)?.[1] ?? ''];
}
