import type { Request } from 'express';
import { receiveCallback, receiveTaskNotification } from '../../contract/callbacks';
import type { Operation } from '../../contract/operation';
import { createCallbackTokens } from '../../kit/crypto/callback-token';

/**
 * Returns the function that recognizes the callback address of a call (ADR 0305, 0362): the id of the call if the token
 * behind it is right. A wrong one costs an HMAC and no query.
 */
export function callbackReader(secret: string) {
  const tokensOf = new Map([
    [receiveCallback.id, createCallbackTokens(secret)],
    [receiveTaskNotification.id, createCallbackTokens(secret, 'notification_address')],
  ]);
  return ({ id }: Pick<Operation, 'id'>, { params }: Pick<Request, 'params'>): string | undefined => {
    const tokens = tokensOf.get(id);
    const { invocation_id: invocationId, token } = params;
    if (!tokens || typeof invocationId !== 'string' || typeof token !== 'string') return undefined;
    return tokens.isValid(invocationId, token) ? invocationId : undefined;
  };
}
