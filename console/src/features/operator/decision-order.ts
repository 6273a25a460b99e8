import { eachOnce } from '../../ui/each-once';

interface Waiting {
  id: string;
  /** When it began to wait. */
  since: string;
  deadline?: string | undefined;
}

/**
 * What waits, each case once, the nearest deadline first; then those that wait longest. Of a case that is in two lists, such as
 * a slash that was contested between their readings, the one of the earlier list counts.
 */
export function inOrder<T extends Waiting>(decisions: readonly T[]): T[] {
  return eachOnce(decisions, ({ id }) => id).sort(byUrgency);
}

function byUrgency(a: Waiting, b: Waiting): number {
  return (a.deadline ?? '9').localeCompare(b.deadline ?? '9') || a.since.localeCompare(b.since);
}
