/**
 * The switch between the two orders in which a call of this process and its workflow begin (ADR 0065). `enrolled`: the
 * statement that accepts a call places its hold, and its steps begin at once, beside its workflow. `confirmed`: the
 * call is accepted, and the engine confirms its workflow before its hold and the other steps. No other file reads
 * ENROLMENT.
 */
import type { Config } from '../../config';

/** What begins calls in one of the orders (`src/engine/launch.ts`). */
interface Launcher {
  /** False while the engine is known to be away. */
  available(): boolean;
}

export function createCallOrder({ ENROLMENT }: Pick<Config, 'ENROLMENT'>) {
  let started: Launcher | undefined;
  return {
    /** The statement that accepts a call places its hold too. */
    holdsAtOnce: ENROLMENT === 'enrolled',
    /** False while the engine is known to be away, and before `start`: new calls are refused. */
    available: (): boolean => started?.available() ?? false,
    /** Starts the launcher of the chosen order. */
    start<L extends Launcher>(launchers: Record<Config['ENROLMENT'], () => L>): L {
      const launcher = launchers[ENROLMENT]();
      started = launcher;
      return launcher;
    },
  };
}

export type CallOrder = ReturnType<typeof createCallOrder>;
