/**
 * The two orders in which an accepted call and its workflow begin (ADR 0065). `enrolled`: the call is accepted with its
 * hold, its steps begin at once, and it is enrolled in a workflow beside them. `confirmed`: the call is accepted, and
 * the engine confirms its workflow before its hold and the other steps. `src/services/calls/call-order.ts` chooses.
 */
import type { Config } from '../config';
import { drive } from '../domain/calls/course';
import type { GroupMember } from '../domain/calls/call-group';
import { unitsToCredits } from '../domain/ledger/money';
import { createFairSlots } from '../kit/concurrency/fair-slots';
import { withoutLane } from '../kit/concurrency/lanes';
import type { InFlightCall } from '../services/calls/agent/in-flight';
import type { CallOrder } from '../services/calls/call-order';
import type { InvocationSteps } from '../services/calls/invocation-steps';
import type { Invocations } from '../services/calls/invocations';
import { repeated } from '../services/calls/steps-in-turn';
import { createEnrolment, type EnrolmentDeps } from './enrolment';
import { createInvocationStarter, type StartCounts, STARTS } from './start-invocation';

/** How long a process that stops waits for the engine to confirm its last calls. */
const LAST_ENROLMENT_MS = 2_000;

/** Begins the calls that this process accepts. */
export interface CallLauncher {
  /** False while the engine is known to be away. Calls are not accepted then. */
  available(): boolean;
  /** Begins an accepted call. Returns false when the call will not run. */
  launch(call: InFlightCall): Promise<boolean>;
  starts(): StartCounts;
  /** True while calls are refused because the engine does not answer. */
  isBreakerOpen(): boolean;
  /** Enrols the calls that still wait, when the process stops. */
  flush(): Promise<void>;
}

export interface LaunchDeps extends Omit<EnrolmentDeps, 'attributeBytes' | 'ownPerSecond'> {
  config: Pick<Config, 'TEMPORAL_SEARCH_ATTRIBUTE_BYTES' | 'OWN_WORKFLOWS_PER_SECOND'>;
  steps: Pick<InvocationSteps, 'inTurn' | 'refund'>;
  invocations: Pick<Invocations, 'abandon'>;
  /** Type name of the workflow of a confirmed call. Only the benchmark sets it. */
  workflowType?: string;
}

/** Starts the launcher of the order of this process. `instead`: what a benchmark replaces of it. */
export const startLauncher = (
  order: CallOrder,
  deps: LaunchDeps,
  instead: Partial<CallLauncher> = {},
): CallLauncher =>
  order.start({
    enrolled: () => ({ ...createEnrolledLauncher(deps), ...instead }),
    confirmed: () => ({ ...createConfirmedLauncher(deps), ...instead }),
  });

function createEnrolledLauncher({ config, steps, ...deps }: LaunchDeps): CallLauncher {
  const enrolment = createEnrolment({
    ...deps,
    attributeBytes: config.TEMPORAL_SEARCH_ATTRIBUTE_BYTES,
    ownPerSecond: config.OWN_WORKFLOWS_PER_SECOND,
  });
  const { inTurn } = steps;

  /**
   * Leads a call through its steps in this process, beside its workflow. Both read the same course, and the hold row
   * allows or refuses each step, so both may drive a call at the same time. A call that goes on elsewhere has another
   * driver. After a fault that lasts, the call's own workflow drives it to its end.
   */
  async function driveHere(call: InFlightCall, member: GroupMember): Promise<void> {
    const { invocationId } = call;
    try {
      const next = await drive(inTurn.ofDriver(call), { step: 'forward', at: 'here' });
      if (next.kind === 'refund') await repeated(() => steps.refund(invocationId, next.code));
    } catch (fault) {
      deps.logger.warn({ err: fault, invocationId }, 'a step of a call failed; its workflow repeats it');
      enrolment.addAlone(member);
    }
  }

  return {
    available: enrolment.available,
    launch(call) {
      const member = memberOf(call);
      // Steps end calls, so they do not wait behind the buyer's further requests.
      withoutLane(() => {
        enrolment.add(member);
        void driveHere(call, member);
      });
      return Promise.resolve(true);
    },
    starts: enrolment.counts,
    isBreakerOpen: enrolment.isBreakerOpen,
    flush: () => enrolment.stop(LAST_ENROLMENT_MS),
  };
}

function createConfirmedLauncher(deps: LaunchDeps): CallLauncher {
  const { ownerQueue, steps, invocations, logger } = deps;
  const starter = createInvocationStarter({ ...deps, slots: createFairSlots(STARTS) });
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
        if (isHere) withoutLane(() => steps.inTurn.begin(call));
      } catch (error) {
        logger.warn({ err: error, invocationId: call.invocationId }, 'the engine did not confirm a start');
        // The workflow may or may not run, so the row decides: if the hold was placed first, the call continues.
        return !(await invocations.abandon(call, 'engine_unavailable'));
      }
      return true;
    },
    starts: starter.counts,
    isBreakerOpen: starter.isBreakerOpen,
    flush: () => Promise.resolve(),
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
