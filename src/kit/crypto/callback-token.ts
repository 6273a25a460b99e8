import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface CallbackTokens {
  /** The token of a call, 43 characters of base64url. */
  of: (invocationId: string) => string;
  /** Whether a token is that of the call; in a time that does not depend on how much of it is right. */
  isValid: (invocationId: string, token: string) => boolean;
}

/** The uses of the secret. A token of one use is never valid for another. */
const PURPOSES = {
  callback: 'agent-marketplace callback token v1',
  /** The end of the address at which an A2A agent notifies about its task. */
  notification_address: 'agent-marketplace notification address v1',
  /** The token that comes with such a notification, in a header. */
  notification: 'agent-marketplace notification token v1',
} as const;

/**
 * The tokens in the callback addresses of calls (ADR 0305, 0362): an HMAC of the call's id, so that nothing is stored
 * for a call whose agent never calls back. `secret`: the same in all processes.
 */
export function createCallbackTokens(
  secret: string,
  use: keyof typeof PURPOSES = 'callback',
): CallbackTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', PURPOSES[use], 32));
  const of = (invocationId: string) => createHmac('sha256', key).update(invocationId).digest('base64url');
  return {
    of,
    isValid(invocationId, token) {
      const [expected, given] = [Buffer.from(of(invocationId)), Buffer.from(token)];
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
