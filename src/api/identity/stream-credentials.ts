/**
 * Checks the credentials of open event streams again and again: a stream whose key was deleted, or whose token or
 * session has ended, is closed within `CHECK_EVERY_MS`. Streams of one credential share a check.
 */
import type { Request } from 'express';
import { contextOf } from './context';
import type { Authentication } from './authentication';

const CHECK_EVERY_MS = 5_000;

export interface StreamCredentials {
  /** Calls `end` once the credential of the request is no longer valid. Returns what ends the watch. */
  watch: (req: Request, end: () => void) => () => void;
}

interface Watched {
  req: Request;
  ends: Set<() => void>;
}

export function createStreamCredentials({
  isStillValid,
}: Pick<Authentication, 'isStillValid'>): StreamCredentials {
  const open = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;

  async function check({ req, ends }: Watched): Promise<void> {
    // A check that fails, such as one without a database, says nothing about the credential.
    if (await isStillValid(req).catch(() => true)) return;
    for (const end of [...ends]) end();
  }

  return {
    watch(req, end) {
      const id = credentialOf(req);
      const watched = open.get(id) ?? { req, ends: new Set() };
      open.set(id, watched);
      watched.ends.add(end);
      timer ??= setInterval(() => {
        for (const one of open.values()) void check(one);
      }, CHECK_EVERY_MS).unref();
      return () => {
        watched.ends.delete(end);
        if (watched.ends.size === 0 && open.get(id) === watched) open.delete(id);
        if (open.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

function credentialOf(req: Request): string {
  const { principal } = contextOf(req);
  return principal?.key ? `key/${principal.key.keyId}` : `session/${req.sessionID}`;
}
