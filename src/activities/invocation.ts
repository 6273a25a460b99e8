import type { ErrorCode } from '../domain/errors';
import type { ForwardStep, HoldStep, SettleStep, ValidateStep } from '../domain/calls/invocation-steps';
import type { InvocationSteps } from '../services/calls/invocation-steps';

export type InvocationActivities = ReturnType<typeof createInvocationActivities>;

/**
 * The steps of the `invocation` workflow, told to Temporal. Expected outcomes are return values; whatever is thrown
 * is a fault (Postgres away) that the workflow's retry policy handles. A step `inTurn` waits for the one before it.
 */
export function createInvocationActivities(steps: InvocationSteps) {
  const of = (inTurn?: boolean) => (inTurn ? steps.inTurn : steps);
  return {
    holdCredits: (id: string, inTurn?: boolean): Promise<HoldStep> => of(inTurn).hold(id),
    forwardCall: (id: string, inTurn?: boolean): Promise<ForwardStep> => of(inTurn).forward(id),
    validateOutput: (id: string, inTurn?: boolean): Promise<ValidateStep> => of(inTurn).validate(id),
    settle: (id: string, inTurn?: boolean): Promise<SettleStep> => of(inTurn).settle(id),
    refund: (invocationId: string, code: ErrorCode) => steps.refund(invocationId, code),
  };
}
