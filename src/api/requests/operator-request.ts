import type { OperatorRequest } from '../../services/accounts/operator-actions';
import type { Principal } from '../identity/principal';

/** The fields of a handler's input that the audit log needs. */
interface Input {
  principal: Pick<Principal, 'userId'>;
  body: { reason?: string };
  traceId: string;
}

/** The operator and the reason, for the audit log. */
export function operatorRequestOf({ principal, body, traceId }: Input): OperatorRequest {
  return { operatorUserId: principal.userId, reason: body.reason ?? 'none given', traceId };
}
