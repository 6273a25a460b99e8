/** The calls of a stage, one after another, or several at once for an agent that answers slowly. */
import type { Place } from './call-order';

/** Slots at once, and the mean time of an answer from which there are several. */
const SLOTS_AT_ONCE = 4;
const SLOW_MS = 3_000;
/** An agent is known to be slow after so many answers. */
const LEAST_ANSWERS = 2;

export interface SlotTask {
  slot: number;
  work(): Promise<unknown>;
}

/** A call that was made: until the agent answered or took it as a job, and how long the job took. */
interface Made {
  fact: { durationMs: number; jobMs?: number };
}

/** The calls of a stage so far. */
export interface MadeCalls {
  exchanges: readonly Made[];
  attacks: readonly { exchange: Made | null }[];
}

/** Runs the tasks in their slots while `goesOn`. */
export async function runInSlots(
  place: Place,
  tasks: readonly SlotTask[],
  made: MadeCalls,
  goesOn: () => boolean,
): Promise<void> {
  const open = new Set<Promise<unknown>>();
  const faults: unknown[] = [];
  let isSlow = false;
  for (const { slot, work } of tasks) {
    while (open.size >= (isSlow ? SLOTS_AT_ONCE : 1)) await Promise.race(open);
    if (faults.length > 0 || !goesOn()) break;
    if (!isSlow && isSlowAgent(made)) {
      isSlow = true;
      place.widen(SLOTS_AT_ONCE);
    }
    const { done } = await place.begin(slot, work);
    const over: Promise<unknown> = done
      .catch((fault: unknown) => faults.push(fault))
      .finally(() => open.delete(over));
    open.add(over);
  }
  await Promise.all(open);
  if (faults.length > 0) throw faults[0];
}

function isSlowAgent({ exchanges, attacks }: MadeCalls): boolean {
  const all = [...exchanges, ...attacks.flatMap(({ exchange }) => exchange ?? [])];
  if (all.length < LEAST_ANSWERS) return false;
  const sum = all.reduce((total, { fact }) => total + Math.max(fact.durationMs, fact.jobMs ?? 0), 0);
  return sum >= SLOW_MS * all.length;
}
