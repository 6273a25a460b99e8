import type { Rubric } from './rubric';

/** One value that differs between two rubrics; null when one of them lacks it. */
export interface RubricChange {
  /** Path of the value, such as `severities.slow`. */
  path: string;
  from: string | number | null;
  to: string | number | null;
}

/** Lists every value that differs between two rubrics, except the version, sorted by path. */
export function rubricChanges(from: Rubric, to: Rubric): RubricChange[] {
  const [before, after] = [leavesOf(from, ''), leavesOf(to, '')];
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .filter((path) => path !== 'version' && before.get(path) !== after.get(path))
    .map((path) => ({ path, from: before.get(path) ?? null, to: after.get(path) ?? null }));
}

function leavesOf(value: unknown, path: string): Map<string, string | number> {
  const leaves = new Map<string, string | number>();
  if (typeof value === 'string' || typeof value === 'number') return leaves.set(path, value);
  for (const [name, member] of Object.entries(value as object))
    for (const [at, leaf] of leavesOf(member, path === '' ? name : `${path}.${name}`)) leaves.set(at, leaf);
  return leaves;
}
