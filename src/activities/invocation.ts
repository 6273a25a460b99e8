import type { ErrorCode } from '../domain/errors';
import type { ForwardStep, HoldStep, SettleStep, ValidateStep } from '../domain/invocation-steps';
import type { InvocationSteps } from '../services/invocation-steps';

export type InvocationActivities = ReturnType<typeof createInvocationActivities>;

/**
 * The steps of the `invocation` workflow, told to Temporal. Expected outcomes are return values; whatever is thrown
 * is a fault (Postgres away) that the workflow's retry policy handles.
 */
export function createInvocationActivities(steps: InvocationSteps) {
  return {
    holdCredits: (invocationId: string): Promise<HoldStep> => steps.hold(invocationId),
    forwardCall: (invocationId: string): Promise<ForwardStep> => steps.forward(invocationId),
    validateOutput: (invocationId: string): Promise<ValidateStep> => steps.validate(invocationId),
    settle: (invocationId: string): Promise<SettleStep> => steps.settle(invocationId),
    refund: (invocationId: string, code: ErrorCode) => steps.refund(invocationId, code),
  };
}
