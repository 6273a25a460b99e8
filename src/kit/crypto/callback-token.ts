import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface CallbackTokens {
  /** The token of a call, 43 characters of base64url. */
  of: (invocationId: string) => string;
  /** Whether a token is that of the call; in a time that does not depend on how much of it is right. */
  isValid: (invocationId: string, token: string) => boolean;
}

/** Tokens of other uses of the same secret must never be valid here. */
const PURPOSE = 'agent-marketplace callback token v1';

/**
 * The tokens in the callback addresses of calls (ADR 0305): an HMAC of the call's id, so that nothing is stored for a
 * call whose agent never calls back. `secret`: the same in all processes.
 */
export function createCallbackTokens(secret: string): CallbackTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32));
  const of = (invocationId: string) => createHmac('sha256', key).update(invocationId).digest('base64url');
  return {
    of,
    isValid(invocationId, token) {
      const [expected, given] = [Buffer.from(of(invocationId)), Buffer.from(token)];
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
