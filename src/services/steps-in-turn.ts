/**
 * The four steps of a call, asked for in pairs: each waits, in this process, for the one before it. The workflow
 * then need not be asked between two steps, which would take longer than most steps (ADR 0040). Each step is still
 * allowed or refused by the hold row. A step whose predecessor did not end well, or whose call is over, says `skipped`,
 * and `elsewhere` when this process does not hold the call; then it has done nothing.
 */
import type { ForwardStep, HoldStep, SettleStep, ValidateStep } from '../domain/invocation-steps';
import type { InFlightCall, InvocationRegistry } from './invocation-registry';

interface Ended<S> {
  promise: Promise<S>;
  resolve: (step: S) => void;
}

/** How the steps of one call ended; one that a fault broke off is open until it has been repeated. */
interface Turn {
  held: Ended<HoldStep>;
  forwarded: Ended<ForwardStep>;
  validated: Ended<ValidateStep>;
}

/** The steps as they are when nothing waits. */
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
  const turns = new WeakMap<InFlightCall, Turn>();

  function turnOf(call: InFlightCall): Turn {
    const turn = turns.get(call) ?? { held: pending(), forwarded: pending(), validated: pending() };
    turns.set(call, turn);
    return turn;
  }

  async function hold(invocationId: string): Promise<HoldStep> {
    const call = registry.find(invocationId);
    if (!call) return steps.hold(invocationId);
    const held = await steps.holdToForward(call);
    turnOf(call).held.resolve(held);
    return held;
  }

  async function forward(invocationId: string): Promise<ForwardStep> {
    const call = registry.find(invocationId);
    if (!call) return ELSEWHERE;
    const turn = turnOf(call);
    const held = await unlessOver(call, turn.held.promise);
    if (held?.kind !== 'held') return SKIPPED;
    const forwarded = await steps.forward(invocationId);
    turn.forwarded.resolve(forwarded);
    return forwarded;
  }

  async function validate(invocationId: string): Promise<ValidateStep> {
    const call = registry.find(invocationId);
    if (!call) return ELSEWHERE;
    const turn = turnOf(call);
    const forwarded = await unlessOver(call, turn.forwarded.promise);
    if (forwarded?.kind !== 'answered') return SKIPPED;
    const validated = await steps.validate(invocationId);
    turn.validated.resolve(validated);
    return validated;
  }

  async function settle(invocationId: string): Promise<SettleStep> {
    const call = registry.find(invocationId);
    if (!call) return ELSEWHERE;
    const validated = await unlessOver(call, turnOf(call).validated.promise);
    return validated?.kind === 'valid' ? steps.settle(invocationId) : SKIPPED;
  }

  return { hold, forward, validate, settle };
}

/** Undefined when the call ended meanwhile, whoever ended it. */
function unlessOver<S>(call: InFlightCall, step: Promise<S>): Promise<S | undefined> {
  return Promise.race([step, call.done.then(() => undefined)]);
}

function pending<S>(): Ended<S> {
  let resolve: (step: S) => void = () => undefined;
  const promise = new Promise<S>((settle) => (resolve = settle));
  return { promise, resolve };
}
