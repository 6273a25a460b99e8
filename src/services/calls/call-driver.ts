/**
 * Leads an accepted call through its steps in the process that holds it, beside its workflow (ADR 0065). It decides
 * what the `invocation` workflow decides, from the same steps: the hold row allows or refuses each of them, so both may
 * lead a call at the same time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorCode } from '../../domain/errors';
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

  async function refund(invocationId: string, code: ErrorCode): Promise<void> {
    await repeated(() => steps.refund(invocationId, code));
  }

  async function lead({ invocationId }: InFlightCall): Promise<void> {
    const held = await repeated(() => inTurn.hold(invocationId));
    if (held.kind === 'resolved') return;
    const forwarded = await repeated(() => inTurn.forward(invocationId));
    if (forwarded.kind === 'failed') return refund(invocationId, forwarded.code);
    if (forwarded.kind !== 'answered') return;
    const validated = await repeated(() => inTurn.validate(invocationId));
    if (validated.kind === 'failed') return refund(invocationId, validated.code);
    if (validated.kind === 'valid') await repeated(() => inTurn.settle(invocationId));
  }

  return {
    /** Resolves with true when the steps are over, and with false when a workflow must lead the call to its end. */
    async drive(call: InFlightCall): Promise<boolean> {
      try {
        await lead(call);
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
