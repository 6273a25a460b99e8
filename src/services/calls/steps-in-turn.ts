/**
 * The four steps of a call, each of which waits, in this process, for the previous one. They start when the call is
 * accepted (`call-driver.ts`) or, with ENROLMENT=confirmed, when the engine has confirmed the call's start and given this
 * process its first task. The workflow requests them in pairs and joins the running steps; a round trip through the
 * workflow between two steps would take longer than most steps (docs/internals/temporal.md#steps-in-pairs). The hold
 * row still allows or refuses each step. A step returns `skipped` if the previous one failed or the call had ended, and
 * `elsewhere` if this process does not hold the call; in both cases it did nothing.
 */
import type { StepTimes } from '../../domain/calls/call-group';
import type { ForwardStep, HoldStep, SettleStep, ValidateStep } from '../../domain/calls/invocation-steps';
import type { CallResult, InFlightCall } from './agent/in-flight';
import type { InvocationRegistry } from './invocation-registry';

/** How long results are kept for the workflow after the end of a call. Later, the workflow reads the hold row. */
const KEPT_MS = 30_000;

/** One step, running or done. After a fault, it is open until it is repeated. */
interface Turn<S> {
  running: Promise<S> | null;
  ended: Promise<S>;
  end: (step: S) => void;
}

interface Turns {
  call: InFlightCall;
  held: Turn<HoldStep>;
  forwarded: Turn<ForwardStep>;
  validated: Turn<ValidateStep>;
  settled: Turn<SettleStep>;
  times: StepTimes;
  /** Null while the call is running. */
  result: CallResult | null;
}

/** A call of this process, running or ended a moment ago. */
export type CallReport = Pick<Turns, 'times' | 'result'>;

/** The steps themselves, without waiting. */
interface Steps {
  hold(invocationId: string): Promise<HoldStep>;
  holdToForward(call: InFlightCall): Promise<HoldStep>;
  forward(invocationId: string): Promise<ForwardStep>;
  validate(invocationId: string): Promise<ValidateStep>;
  settle(invocationId: string): Promise<SettleStep>;
}

const ELSEWHERE = { kind: 'elsewhere' } as const;
const SKIPPED = { kind: 'skipped' } as const;

export function createStepsInTurn(steps: Steps, registry: Pick<InvocationRegistry, 'find'>) {
  const turns = new Map<string, Turns>();

  function open(call: InFlightCall): Turns {
    const opened = turnsFor(call, () => turns.delete(call.invocationId));
    turns.set(call.invocationId, opened);
    return opened;
  }

  function turnsOf(invocationId: string): Turns | undefined {
    const opened = turns.get(invocationId);
    if (opened) return opened;
    const call = registry.find(invocationId);
    return call && open(call);
  }

  async function hold(invocationId: string): Promise<HoldStep> {
    const of = turnsOf(invocationId);
    if (!of) return steps.hold(invocationId);
    // Most calls were accepted with their hold.
    return take(of.held, async () => (of.call.held ? { kind: 'held' } : steps.holdToForward(of.call)));
  }

  async function forward(invocationId: string): Promise<ForwardStep> {
    const of = turnsOf(invocationId);
    if (!of) return ELSEWHERE;
    return take(of.forwarded, async () => {
      const held = await unlessOver(of.call, of.held.ended);
      return held?.kind === 'held' ? steps.forward(invocationId) : SKIPPED;
    });
  }

  async function validate(invocationId: string): Promise<ValidateStep> {
    const of = turnsOf(invocationId);
    if (!of) return ELSEWHERE;
    return take(of.validated, async () => {
      const forwarded = await unlessOver(of.call, of.forwarded.ended);
      return forwarded?.kind === 'answered' ? steps.validate(invocationId) : SKIPPED;
    });
  }

  async function settle(invocationId: string): Promise<SettleStep> {
    const of = turnsOf(invocationId);
    if (!of) return ELSEWHERE;
    return take(of.settled, async () => {
      const validated = await unlessOver(of.call, of.validated.ended);
      return validated?.kind === 'valid' ? steps.settle(invocationId) : SKIPPED;
    });
  }

  return {
    hold,
    forward,
    validate,
    settle,
    /** True for a call whose steps this process has begun, so that a step waits for the one before it. */
    isLed: (invocationId: string): boolean => Boolean(turns.get(invocationId)?.held.running),
    /** The call with its steps so far; undefined when this process has not seen it lately. */
    report: (invocationId: string): CallReport | undefined => turns.get(invocationId),
    /**
     * Starts the steps of a call whose workflow is running. Faults are ignored, because the workflow repeats the step.
     */
    begin({ invocationId }: InFlightCall): void {
      for (const step of [hold, forward, validate, settle]) step(invocationId).catch(() => undefined);
    },
  };
}

/** The turns of a call, none of them begun. Calls `forget` a while after the call has ended. */
function turnsFor(call: InFlightCall, forget: () => void): Turns {
  const opened: Turns = {
    call,
    held: turn(),
    forwarded: turn(),
    validated: turn(),
    settled: turn(),
    times: {},
    result: null,
  };
  const elapsed = () => Math.round(performance.now() - call.openedAtMs);
  for (const step of ['held', 'forwarded', 'validated', 'settled'] as const) {
    void opened[step].ended.then(({ kind }) => {
      if (kind !== 'skipped') opened.times[step] = elapsed();
    });
  }
  void call.done.then((result) => {
    opened.result = result;
    if (result.ok) opened.times.settled ??= elapsed();
    setTimeout(forget, KEPT_MS).unref();
  });
  return opened;
}

function turn<S>(): Turn<S> {
  let end: (step: S) => void = () => undefined;
  const ended = new Promise<S>((resolve) => (end = resolve));
  return { running: null, ended, end };
}

/** Runs a step once. Callers during or after the run get its result. */
function take<S>(of: Turn<S>, run: () => Promise<S>): Promise<S> {
  of.running ??= run().then(
    (step) => {
      of.end(step);
      return step;
    },
    (fault: unknown) => {
      of.running = null;
      throw fault;
    },
  );
  return of.running;
}

/** Returns the step's result; undefined if the call ended first. */
function unlessOver<S>(call: InFlightCall, step: Promise<S>): Promise<S | undefined> {
  return Promise.race([step, call.done.then(() => undefined)]);
}
