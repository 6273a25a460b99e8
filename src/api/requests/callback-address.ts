import type { Request } from 'express';
import { receiveCallback } from '../../contract/callbacks';
import type { Operation } from '../../contract/operation';
import { createCallbackTokens } from '../../kit/crypto/callback-token';

/**
 * Returns the function that recognizes the callback address of a call (ADR 0305): the id of the call if the token
 * behind it is right. A wrong one costs an HMAC and no query.
 */
export function callbackReader(secret: string) {
  const tokens = createCallbackTokens(secret);
  return ({ id }: Pick<Operation, 'id'>, { params }: Pick<Request, 'params'>): string | undefined => {
    if (id !== receiveCallback.id) return undefined;
    const { invocation_id: invocationId, token } = params;
    if (typeof invocationId !== 'string' || typeof token !== 'string') return undefined;
    return tokens.isValid(invocationId, token) ? invocationId : undefined;
  };
}
