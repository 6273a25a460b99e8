/**
 * Two orders in which an accepted call and its workflow begin (ADR 0065). `enrolled`: the steps begin at once, and the
 * call is enrolled in a workflow beside them. `confirmed`: the engine confirms the call's workflow before its steps.
 */
import { unitsToCredits } from '../domain/ledger/money';
import type { GroupMember } from '../domain/calls/call-group';
import type { Logger } from '../logger';
import type { CallDriver } from '../services/calls/call-driver';
import type { InFlightCall } from '../services/calls/agent/in-flight';
import type { Invocations } from '../services/calls/invocations';
import type { Enrolment } from './enrolment';
import type { InvocationStarter } from './start-invocation';

export interface CallLauncher {
  /** False while the engine is known to be away. Check this before accepting a call. */
  available(): boolean;
  /** Begins an accepted call. Returns false when the call will not run. */
  launch(call: InFlightCall): Promise<boolean>;
}

export interface EnrolledLauncherDeps {
  enrolment: Enrolment;
  driver: CallDriver;
  /** Runs work that must not count as the caller's. */
  apart: <T>(work: () => T) => T;
}

export function createEnrolledLauncher({ enrolment, driver, apart }: EnrolledLauncherDeps): CallLauncher {
  async function lead(call: InFlightCall, member: GroupMember): Promise<void> {
    if (!(await driver.drive(call))) enrolment.addAlone(member);
  }
  return {
    available: enrolment.available,
    async launch(call) {
      const member = memberOf(call);
      apart(() => enrolment.add(member));
      void apart(() => lead(call, member));
      return true;
    },
  };
}

export interface ConfirmedLauncherDeps {
  starter: InvocationStarter;
  ownerQueue: string;
  invocations: Pick<Invocations, 'abandon'>;
  /** Starts the steps of a call whose workflow runs, in this process. */
  beginSteps: (call: InFlightCall) => void;
  logger: Logger;
}

export function createConfirmedLauncher(deps: ConfirmedLauncherDeps): CallLauncher {
  const { starter, ownerQueue } = deps;
  return {
    available: starter.available,
    async launch(call) {
      const { agentId, buyerUserId, priceCredits, ...ids } = memberOf(call);
      try {
        const isHere = await starter.start(
          { ...ids, priceCredits, ownerQueue },
          { agentId, buyerUserId, priceCredits },
        );
        // If another process got the first workflow task, its tasks on the owner's queue would race with these steps.
        if (isHere) deps.beginSteps(call);
      } catch (error) {
        deps.logger.warn(
          { err: error, invocationId: call.invocationId },
          'the engine did not confirm a start',
        );
        // The workflow may or may not run, so the row decides: if the hold was placed first, the call continues.
        return !(await deps.invocations.abandon(call, 'engine_unavailable'));
      }
      return true;
    },
  };
}

function memberOf(call: InFlightCall): GroupMember {
  const { invocationId, version, buyerUserId, traceId, priceUnits } = call;
  return {
    invocationId,
    agentId: version.agentId,
    buyerUserId,
    timeoutMs: version.timeoutMs,
    traceId,
    priceCredits: unitsToCredits(priceUnits),
  };
}
