import type { MemberEnd } from '../domain/calls/call-group';
import type { ErrorCode } from '../domain/errors';
import type { ForwardStep, HoldStep, SettleStep, ValidateStep } from '../domain/calls/invocation-steps';
import type { CallFollower } from '../services/calls/call-follower';
import type { InvocationSteps } from '../services/calls/invocation-steps';

export type InvocationActivities = ReturnType<typeof createInvocationActivities>;
export type OwnerActivities = ReturnType<typeof createOwnerActivities>;
export type GroupActivities = ReturnType<typeof createGroupActivities>;
export type RefundActivities = ReturnType<typeof createRefundActivities>;

/**
 * The local activities of the `invocation` workflow. Each waits, in this process, for the step before it. Expected
 * outcomes are return values; an error is a fault (Postgres is away), which the workflow's retry policy handles.
 */
export function createInvocationActivities(steps: InvocationSteps) {
  const { inTurn } = steps;
  return {
    holdCredits: (id: string): Promise<HoldStep> => inTurn.hold(id),
    forwardCall: (id: string): Promise<ForwardStep> => inTurn.forward(id),
    validateOutput: (id: string): Promise<ValidateStep> => inTurn.validate(id),
    settle: (id: string): Promise<SettleStep> => inTurn.settle(id),
    ...createRefundActivities(steps),
  };
}

/**
 * The activities on the queue of the owner. The workflow schedules them one after the other. They join the steps of a
 * call that this process leads: asking for the permit beside them would refuse one of the two.
 */
export function createOwnerActivities(steps: InvocationSteps) {
  const { inTurn } = steps;
  const of = (id: string) => (inTurn.isDriven(id) ? inTurn : steps);
  return {
    forwardCall: (id: string): Promise<ForwardStep> => of(id).forward(id),
    validateOutput: (id: string): Promise<ValidateStep> => of(id).validate(id),
    settle: (id: string): Promise<SettleStep> => of(id).settle(id),
  };
}

/** The refund of a call, also of one that a worker carries out as a task. */
export function createRefundActivities(steps: Pick<InvocationSteps, 'refund'>) {
  return {
    refund: (invocationId: string, code: ErrorCode) => steps.refund(invocationId, code),
  };
}

/** The local activity of the `callGroup` workflow. */
export function createGroupActivities(follow: CallFollower) {
  return {
    followCalls: (invocationIds: string[], patienceMs: number): Promise<MemberEnd[]> =>
      follow(invocationIds, patienceMs),
  };
}
