import type { OperatorRequest } from '../../services/operations/operators';
import type { HandlerInput } from '../binding/route';

type Input = Pick<HandlerInput<never, never, { reason?: string }>, 'principal' | 'body' | 'traceId'>;

/** Who acts, and why, as the log of operators wants it. */
export function operatorRequestOf({ principal, body, traceId }: Input): OperatorRequest {
  return { operatorUserId: principal.userId, reason: body.reason ?? 'none given', traceId };
}
