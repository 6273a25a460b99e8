/**
 * The course of a call (specification, "Invocation and escrow"): hold → forward → validate → settle, or a refund. A job
 * waits for its answer between forward and validate. Every part that drives a call reads the course: the process that
 * accepted the call, its workflow, and the workflows of a task and of a job. No other file knows the order.
 */
import type { ErrorCode } from '../errors';
import type {
  ForwardStep,
  HoldStep,
  InvocationOutcome,
  SettleStep,
  ValidateStep,
  WaitStep,
} from './invocation-steps';

/** A step that failed with a fault, after its retries. */
export interface Fault {
  kind: 'fault';
  code: ErrorCode;
}

interface StepResults {
  hold: HoldStep;
  forward: ForwardStep | Fault;
  wait: WaitStep | Fault;
  validate: ValidateStep | Fault;
  settle: SettleStep | Fault;
}

export type CallStep = keyof StepResults;

/** The steps of a call that a process holds. Only the workflow of a job waits. */
export type HeldStep = Exclude<CallStep, 'wait'>;

/** `elsewhere`: the step needs what another process holds. */
type Follows = CallStep | 'done' | 'refund' | 'elsewhere';

const COURSE = {
  hold: { held: 'forward', resolved: 'done' },
  forward: {
    answered: 'validate',
    taken: 'wait',
    resolved: 'done',
    failed: 'refund',
    fault: 'refund',
    elsewhere: 'elsewhere',
    skipped: 'elsewhere',
  },
  wait: { answered: 'validate', resolved: 'done', failed: 'refund', fault: 'refund' },
  validate: {
    valid: 'settle',
    failed: 'refund',
    fault: 'refund',
    elsewhere: 'elsewhere',
    skipped: 'elsewhere',
  },
  settle: {
    settled: 'done',
    resolved: 'done',
    fault: 'refund',
    elsewhere: 'elsewhere',
    skipped: 'elsewhere',
  },
} as const satisfies { [S in CallStep]: Record<StepResults[S]['kind'], Follows> };

/**
 * Where a step runs. `here`: in the process of the driver. `owner`: in the process that accepted the call. `worker`: in
 * the worker process that called the agent of a task.
 */
export type Place = 'here' | 'owner' | 'worker';

/** The next step if the place of a step lacks the input of the step. */
const ELSEWHERE = {
  /** The owner has the body and the answer. */
  here: (step) => ({ kind: 'step', step, at: 'owner' }),
  /** The owner has lost the call. */
  owner: () => ({ kind: 'refund', code: 'engine_unavailable' }),
  /** The answer is lost with its worker. The hold decides whether another worker may call the agent again. */
  worker: (step) =>
    step === 'forward'
      ? { kind: 'refund', code: 'engine_unavailable' }
      : { kind: 'step', step: 'forward', at: 'worker' },
} as const satisfies Record<Place, (step: CallStep) => Next>;

/** A step that is due, and where. */
export interface Due {
  step: CallStep;
  at: Place;
}

/** How a call continues: with a step, with a refund, or not at all. */
export type Next =
  | ({ kind: 'step' } & Due)
  | { kind: 'refund'; code: ErrorCode }
  | { kind: 'done'; outcome: InvocationOutcome };

/** The result of a step; `kind` names an entry of the table. */
export type Result<S extends CallStep = CallStep> = StepResults[S];

/** The step whose result makes this one due; undefined for the first. */
export const BEFORE = {
  hold: undefined,
  forward: 'hold',
  validate: 'forward',
  settle: 'validate',
} as const satisfies Record<HeldStep, HeldStep | undefined>;

/** The next step after this result of a step. */
export function after<S extends CallStep>({ step, at }: Due & { step: S }, result: Result<S>): Next {
  const follows = (COURSE[step] as Record<string, Follows>)[result.kind];
  if (follows === undefined) throw new Error(`a ${step} step cannot end as ${result.kind}`);
  if (follows === 'elsewhere') return ELSEWHERE[at](step);
  if (follows === 'refund')
    return { kind: 'refund', code: 'code' in result ? result.code : 'internal_error' };
  if (follows !== 'done') return { kind: 'step', step: follows, at };
  if (!('outcome' in result)) throw new Error(`a ${step} step that ends a call has an outcome`);
  return { kind: 'done', outcome: result.outcome };
}

/** True when a step is due after this result of the step before it. */
export function isDue(step: CallStep, before: CallStep, result: Result): boolean {
  const next = after({ step: before, at: 'here' }, result);
  return next.kind === 'step' && next.at === 'here' && next.step === step;
}

/** The steps as one place performs them. A place without `wait` leaves jobs to their workflow. */
export type StepsAt = { readonly [S in HeldStep]: () => Promise<StepResults[S]> } & {
  readonly wait?: () => Promise<StepResults['wait']>;
};

/**
 * Leads a call from a step that is due until it ends, must be refunded, or needs a step that this place cannot perform.
 */
export async function drive(steps: StepsAt, due: Due): Promise<Next> {
  let next: Next = { kind: 'step', ...due };
  while (next.kind === 'step' && next.at === due.at) {
    const perform: (() => Promise<Result>) | undefined = steps[next.step];
    if (!perform) return next;
    next = after(next, await perform());
  }
  return next;
}
