/**
 * Answers the workflow of a group of calls how its members ended (ADR 0065). Members that this process performs are
 * awaited for a few seconds. The rows say how the others ended, and members that ended too long ago for this process to
 * remember their steps.
 */
import type { CallEnding, MemberEnd } from '../../domain/calls/call-group';
import { unitsToCredits } from '../../domain/ledger/money';
import { readRecordedEnds, type RecordedEnd } from '../../stores/calls/invocation-reads';
import type { DbPool } from '../../stores/db';
import type { CallResult } from './agent/in-flight';
import type { InvocationRegistry } from './invocation-registry';
import type { InvocationSteps } from './invocation-steps';
import { withTimeout } from '../../kit/with-timeout';

export interface CallFollowerDeps {
  pool: DbPool;
  registry: Pick<InvocationRegistry, 'find'>;
  /** How a call of this process ended (`createCallEndings`). */
  endingOf: CallEndings;
}

/** Finds how a call of this process ended. Undefined while it runs, a while after its end, and when the rows decide. */
export type CallEndings = (invocationId: string) => CallEnding | undefined;

export function createCallEndings(steps: { inTurn: Pick<InvocationSteps['inTurn'], 'report'> }): CallEndings {
  return (invocationId) => {
    const report = steps.inTurn.report(invocationId);
    if (!report?.result || isGivenUp(report.result)) return undefined;
    return { ...endOf(report.result), stepsMs: { ...report.times } };
  };
}

export function createCallFollower({ pool, registry, endingOf }: CallFollowerDeps) {
  function seenHere(invocationId: string): MemberEnd | undefined {
    const ending = endingOf(invocationId);
    return ending && { invocationId, ...ending };
  }

  async function recorded(invocationIds: string[]): Promise<Map<string, MemberEnd>> {
    if (invocationIds.length === 0) return new Map();
    const ends = await readRecordedEnds(pool, invocationIds);
    return new Map(ends.map((end) => [end.invocationId, toMemberEnd(end)]));
  }

  /** How each call ended, in the order given. `open` for a call that has not ended within `patienceMs`. */
  return async (invocationIds: string[], patienceMs: number): Promise<MemberEnd[]> => {
    const running = invocationIds.flatMap((id) => registry.find(id)?.done ?? []);
    await withTimeout(patienceMs, Promise.all(running), () => undefined);
    const here = invocationIds.map(seenHere);
    const rows = await recorded(invocationIds.filter((_id, at) => here[at] === undefined));
    return invocationIds.map(
      (invocationId, at) => here[at] ?? rows.get(invocationId) ?? { invocationId, status: 'open' },
    );
  };
}

function toMemberEnd({ invocationId, status, errorCode, chargedUnits, ...times }: RecordedEnd): MemberEnd {
  const { heldMs, forwardedMs, settledMs } = times;
  return {
    invocationId,
    status,
    ...(errorCode && { code: errorCode }),
    ...(chargedUnits !== null && { creditsCharged: unitsToCredits(chargedUnits) }),
    stepsMs: {
      ...(heldMs !== null && { held: heldMs }),
      ...(forwardedMs !== null && { forwarded: forwardedMs }),
      ...(status === 'succeeded' && settledMs !== null && { settled: settledMs }),
    },
  };
}

export type CallFollower = ReturnType<typeof createCallFollower>;

/** The process stops and no longer waits for the call, whose hold may still be open. */
const isGivenUp = (result: CallResult) => !result.ok && result.isGivenUp === true;

function endOf(result: CallResult): CallEnding {
  if (result.ok) return { status: 'succeeded', creditsCharged: result.usage.chargedCredits };
  const status = result.code === 'already_disputed' ? 'disputed' : 'failed';
  return { status, code: result.code };
}
