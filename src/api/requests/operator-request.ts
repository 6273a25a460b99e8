import type { OperatorRequest } from '../../services/accounts/operator-actions';
import type { HandlerInput } from '../binding/route';

type Input = Pick<HandlerInput<never, never, { reason?: string }>, 'principal' | 'body' | 'traceId'>;

/** The operator and the reason, for the audit log. */
export function operatorRequestOf({ principal, body, traceId }: Input): OperatorRequest {
  return { operatorUserId: principal.userId, reason: body.reason ?? 'none given', traceId };
}
