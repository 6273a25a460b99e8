import type { Rule } from '../../domain/verification/rubric';

/** Something in the evidence that is worth a finding. What it costs and how it is told is the rubric's. */
export interface Observation {
  rule: Rule;
  /** What makes it the same thing in the next run, besides its rule: a path, a package. */
  subject: string;
  /** What the rubric's texts may name. */
  details: Record<string, string | number>;
}

const MAX_DETAIL = 120;
const MAX_NAMED = 5;

/** Text of a stranger as part of a sentence: one line, no control characters, at most 120 characters. */
export function clip(text: string, most = MAX_DETAIL): string {
  const clean = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  const letters = [...clean];
  return letters.length <= most ? clean : `${letters.slice(0, most - 1).join('')}…`;
}

/** The first few names, and how many more there are. */
export function listed(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => clip(name, 60));
  const more = total - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** Groups of `items` by key, in the order in which the keys first came. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups];
}
