/**
 * The steps of a call in the process that holds it, each of which runs once and after the one before it
 * (`domain/calls/course.ts`). They start when the call is accepted (`engine/launch.ts`) or, with ENROLMENT=confirmed,
 * when the engine has confirmed the call's start and given this process its first task. The workflow requests them in
 * pairs and joins the running steps; a round trip through the workflow between two steps would take longer than most
 * steps (docs/internals/temporal.md#steps-in-pairs). The hold row still allows or refuses each step. A step returns
 * `skipped` if the previous one failed or the call had ended, and `elsewhere` if this process does not hold the call;
 * in both cases it did nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StepTimes } from '../../domain/calls/call-group';
import { BEFORE, type HeldStep, isDue, type StepsAt } from '../../domain/calls/course';
import type { ForwardStep, HoldStep, SettleStep, ValidateStep } from '../../domain/calls/invocation-steps';
import type { CallResult, InFlightCall } from './agent/in-flight';
import type { InvocationRegistry } from './invocation-registry';

/** How long results are kept for the workflow after the end of a call. Later, the workflow reads the hold row. */
const KEPT_MS = 30_000;
/** Pauses before a step that failed with a fault is repeated. After the last, the call's own workflow drives it. */
const PAUSES_MS = [100, 400];

interface Results {
  hold: HoldStep;
  forward: ForwardStep;
  validate: ValidateStep;
  settle: SettleStep;
}

type AnyStep = Results[HeldStep];

/** A call with its steps so far. */
interface Progress {
  call: InFlightCall;
  /** Steps that run or are done. A step that failed with a fault is open again. */
  running: { [S in HeldStep]?: Promise<AnyStep> };
  done: { [S in HeldStep]?: AnyStep };
  /** Steps of the workflow that wait for the end of an earlier one. */
  waiting: { [S in HeldStep]?: ((result: AnyStep) => void)[] };
  times: StepTimes;
  /** Null while the call is running. */
  result: CallResult | null;
}

/** A call of this process, running or ended a moment ago. */
export type CallReport = Pick<Progress, 'times' | 'result'>;

/** The steps themselves, without waiting. */
interface Steps {
  /** For a call that this process does not hold. */
  hold(invocationId: string): Promise<HoldStep>;
  holdToForward(call: InFlightCall): Promise<HoldStep>;
  forward(call: InFlightCall): Promise<ForwardStep>;
  validate(call: InFlightCall): Promise<ValidateStep>;
  settle(call: InFlightCall): Promise<SettleStep>;
}

const ELSEWHERE = { kind: 'elsewhere' } as const;
const SKIPPED = { kind: 'skipped' } as const;
const TIME_OF = { hold: 'held', forward: 'forwarded', validate: 'validated', settle: 'settled' } as const;

export function createStepsInTurn(steps: Steps, registry: Pick<InvocationRegistry, 'find'>) {
  const calls = new Map<string, Progress>();
  const runs = createRuns(steps);

  function progressOf(invocationId: string): Progress | undefined {
    const known = calls.get(invocationId);
    if (known) return known;
    const call = registry.find(invocationId);
    return call && opened(call);
  }

  /** The progress of a call that this process holds. */
  function opened(call: InFlightCall): Progress {
    const { invocationId } = call;
    const progress = calls.get(invocationId) ?? progressFor(call, () => calls.delete(invocationId));
    calls.set(invocationId, progress);
    return progress;
  }

  /** The result of a step here; `elsewhere` if this process has not seen the call lately. */
  const result = <S extends HeldStep>(
    step: S,
    invocationId: string,
    otherwise: () => Promise<Results[S]>,
  ) => {
    const of = progressOf(invocationId);
    return of ? (runs.inTurn(step, of) as Promise<Results[S]>) : otherwise();
  };

  const hold = (id: string) => result('hold', id, () => steps.hold(id));
  const forward = (id: string) => result('forward', id, () => Promise.resolve(ELSEWHERE));
  const validate = (id: string) => result('validate', id, () => Promise.resolve(ELSEWHERE));
  const settle = (id: string) => result('settle', id, () => Promise.resolve(ELSEWHERE));
  return {
    hold,
    forward,
    validate,
    settle,
    /**
     * The steps for the driver of a call in this process, which begins each of them when it is due. A step that failed
     * with a fault is repeated after a pause.
     */
    ofDriver(call: InFlightCall): StepsAt {
      const of = opened(call);
      const due =
        <S extends HeldStep>(step: S) =>
        () =>
          repeated(() => runs.due(step, of) as Promise<Results[S]>);
      return { hold: due('hold'), forward: due('forward'), validate: due('validate'), settle: due('settle') };
    },
    /** True for a call whose steps this process has begun, so that a step waits for the one before it. */
    isDriven: (invocationId: string): boolean => {
      const running = calls.get(invocationId)?.running;
      return Boolean(running?.hold ?? running?.forward);
    },
    /** The call with its steps so far; undefined when this process has not seen it lately. */
    report: (invocationId: string): CallReport | undefined => calls.get(invocationId),
    /**
     * Starts the steps of a call whose workflow is running. Faults are ignored, because the workflow repeats the step.
     */
    begin({ invocationId }: InFlightCall): void {
      for (const step of [hold, forward, validate, settle]) step(invocationId).catch(() => undefined);
    },
  };
}

/** Runs steps of calls that this process holds. */
function createRuns(steps: Steps) {
  async function perform(step: HeldStep, call: InFlightCall): Promise<AnyStep> {
    if (step === 'hold') return steps.holdToForward(call);
    return call.ended.aborted ? ELSEWHERE : steps[step](call);
  }

  /**
   * Runs a step of a call that this process holds, once. Callers during or after the run get its result. `begin`: how
   * the step is performed.
   */
  function run(step: HeldStep, of: Progress, begin: typeof performInTurn): Promise<AnyStep> {
    of.running[step] ??= begin(step, of).then(
      (result) => ended(of, step, result),
      (fault: unknown) => {
        delete of.running[step];
        throw fault;
      },
    );
    return of.running[step];
  }

  async function performInTurn(step: HeldStep, of: Progress): Promise<AnyStep> {
    const before = BEFORE[step];
    if (before === undefined) return perform(step, of.call);
    const result = of.done[before] ?? (await endOf(of, before));
    return result && !of.result && isDue(step, before, result) ? perform(step, of.call) : SKIPPED;
  }

  /** Performs a step that its driver knows to be due. */
  const performDue = async (step: HeldStep, of: Progress): Promise<AnyStep> =>
    of.result ? SKIPPED : perform(step, of.call);

  return {
    /** Runs a step when the one before it has ended. */
    inTurn: (step: HeldStep, of: Progress) => run(step, of, performInTurn),
    due: (step: HeldStep, of: Progress) => run(step, of, performDue),
  };
}

/** Repeats a step that fails with a fault. Throws the last fault. */
export async function repeated<S>(step: () => Promise<S>): Promise<S> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await step();
    } catch {
      await sleep(pauseMs);
    }
  }
  return step();
}

const elapsedMs = ({ openedAtMs }: InFlightCall) => Math.round(performance.now() - openedAtMs);

/**
 * The progress of a call that begins; most calls were accepted with their hold. Calls `forget` a while after its end.
 */
function progressFor(call: InFlightCall, forget: () => void): Progress {
  const opened: Progress = { call, running: {}, done: {}, waiting: {}, times: {}, result: null };
  if (call.held) {
    opened.done.hold = { kind: 'held' };
    opened.running.hold = Promise.resolve(opened.done.hold);
    opened.times.held = 0;
  }
  void call.done.then((result) => {
    opened.result = result;
    if (result.ok) opened.times.settled ??= elapsedMs(call);
    setTimeout(forget, KEPT_MS).unref();
  });
  return opened;
}

function ended<S extends AnyStep>({ call, done, waiting, times }: Progress, step: HeldStep, result: S): S {
  done[step] = result;
  if (result.kind !== 'skipped') times[TIME_OF[step]] ??= elapsedMs(call);
  for (const proceed of waiting[step] ?? []) proceed(result);
  delete waiting[step];
  return result;
}

/** The result of a step that has not ended yet; undefined if the call ends first. */
function endOf({ call, waiting }: Progress, step: HeldStep): Promise<AnyStep | undefined> {
  return new Promise((resolve) => {
    (waiting[step] ??= []).push(resolve);
    void call.done.then(() => resolve(undefined));
  });
}
