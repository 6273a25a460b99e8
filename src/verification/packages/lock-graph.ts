/**
 * The graph of a lockfile: which packages need which. A package belongs to production when a walk from the production
 * dependencies of a manifest reaches it; all others are for development only.
 */
import type { LockedPackage, LockGraph } from './package-facts';

/** The separator of name and range in `needs`. */
export function need(name: string, range: string): string {
  return `${name}@${range.replace(/^npm:(?!@?[^@]+@)/, '')}`;
}

/**
 * Marks the packages that no production dependency reaches. `roots`: production dependencies of the manifests. Without
 * roots nothing is marked, because nothing proves that a package is for development only.
 */
export function markDevelopment(
  packages: readonly LockedPackage[],
  graph: LockGraph,
  roots: readonly string[] | undefined,
): void {
  if (roots === undefined) return;
  const reached = new Set<string>();
  const expanded = new Set<string>();
  const queue: string[] = [];
  const follow = (one: string, from: string | undefined) => {
    const found = graph.find(one, from);
    if (found !== undefined) queue.push(found);
    else for (const key of othersOf(graph, one, expanded)) queue.push(key);
  };
  for (const one of roots) follow(one, undefined);
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if (reached.has(key)) continue;
    reached.add(key);
    for (const one of graph.nodes.get(key)?.needs ?? []) follow(one, key);
  }
  const production = new Set<string>();
  for (const key of reached) {
    const node = graph.nodes.get(key);
    if (node) production.add(`${node.name} ${node.version}`);
  }
  for (const entry of packages) entry.isDev = !production.has(`${entry.name} ${entry.version}`);
}

/**
 * The nodes of a dependency whose range the lockfile overrides: every version of that name. Each name is expanded once,
 * because all of its versions are reached from then on.
 */
function othersOf(graph: LockGraph, one: string, expanded: Set<string>): readonly string[] {
  const end = one.indexOf('@', 1);
  const name = end < 0 ? one : one.slice(0, end);
  if (expanded.has(name)) return [];
  expanded.add(name);
  return byName(graph).get(name) ?? [];
}

const NAMES = new WeakMap<LockGraph, Map<string, string[]>>();

function byName(graph: LockGraph): Map<string, string[]> {
  const known = NAMES.get(graph);
  if (known) return known;
  const names = new Map<string, string[]>();
  for (const [key, { name }] of graph.nodes) {
    const keys = names.get(name);
    if (keys) keys.push(key);
    else names.set(name, [key]);
  }
  NAMES.set(graph, names);
  return names;
}
