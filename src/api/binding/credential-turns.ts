/**
 * In whose turn a request is authenticated (ADR 0407). A credential that was valid lately is read in the lane of its
 * owner, which is one lane for all members of an organisation. Credentials that this process does not know yet are read
 * few at a time, and addresses take turns, so that a thousand keys that come at once delay other callers no more than
 * one key does.
 */
import type { Request } from 'express';
import { clientNetwork } from '../../kit/client-address';
import { createFairSlots } from '../../kit/concurrency/fair-slots';
import { inLane, OverloadError } from '../../kit/concurrency/lanes';
import type { RequestContext } from '../identity/context';
import { hasSessionCookie } from '../identity/sessions';

export type CredentialTurns = <T>(
  req: Request,
  context: RequestContext,
  work: () => Promise<T>,
) => Promise<T>;

/** Unknown credentials that are read at once, and how long one waits for its turn. */
const UNKNOWN_AT_ONCE = 4;
const PATIENCE_MS = 5_000;

export function createCredentialTurns(): CredentialTurns {
  const slots = createFairSlots({
    slots: UNKNOWN_AT_ONCE,
    patienceMs: PATIENCE_MS,
    late: () => new OverloadError('too many credentials are read'),
  });
  return (req, { knownCaller: known }, work) => {
    if (known) return inLane(`account/${known.userId}`, work);
    const address = `address/${clientNetwork(req.ip)}`;
    const read = () => inLane(`credential/${address}`, work);
    return hasCredential(req) ? slots.run(address, read) : read();
  };
}

const hasCredential = (req: Request): boolean =>
  req.get('x-api-key') !== undefined || req.headers.authorization !== undefined || hasSessionCookie(req);
