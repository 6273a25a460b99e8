/**
 * Leads an accepted call through its steps in the process that holds it, beside its workflow (ADR 0065). Both read the
 * same course (`domain/calls/course.ts`), and the hold row allows or refuses each step, so both may lead a call at the
 * same time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { lead } from '../../domain/calls/course';
import type { Logger } from '../../logger';
import type { InFlightCall } from './agent/in-flight';
import type { InvocationSteps } from './invocation-steps';

/** Pauses before a step that failed with a fault is repeated. After the last, the call's own workflow leads it. */
const PAUSES_MS = [100, 400];

export interface CallDriverDeps {
  steps: Pick<InvocationSteps, 'inTurn' | 'refund'>;
  logger: Logger;
}

export function createCallDriver({ steps, logger }: CallDriverDeps) {
  const { inTurn } = steps;

  /** Another leader ends a call that goes on elsewhere: another process holds it, or it is over already. */
  async function leadToEnd(invocationId: string): Promise<void> {
    const next = await lead(
      {
        hold: () => repeated(() => inTurn.hold(invocationId)),
        forward: () => repeated(() => inTurn.forward(invocationId)),
        validate: () => repeated(() => inTurn.validate(invocationId)),
        settle: () => repeated(() => inTurn.settle(invocationId)),
      },
      { step: 'hold', at: 'here' },
    );
    if (next.kind === 'refund') await repeated(() => steps.refund(invocationId, next.code));
  }

  return {
    /** Resolves with true when the steps are over, and with false when a workflow must lead the call to its end. */
    async drive(call: InFlightCall): Promise<boolean> {
      try {
        await leadToEnd(call.invocationId);
        return true;
      } catch (fault) {
        const { invocationId } = call;
        logger.warn({ err: fault, invocationId }, 'a step of a call failed; its workflow repeats it');
        return false;
      }
    },
  };
}

export type CallDriver = ReturnType<typeof createCallDriver>;

async function repeated<S>(step: () => Promise<S>): Promise<S> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await step();
    } catch {
      await sleep(pauseMs);
    }
  }
  return step();
}
