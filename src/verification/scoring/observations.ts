import type { SourcePlace } from '../../domain/evidence/evidence-facts';
import type { Rule } from '../../domain/verification/rubric';

/** Something in the evidence that becomes a finding. The rubric determines its severity and text. */
export interface Observation {
  rule: Rule;
  /** Identifies the same observation across runs, together with the rule: a path, a package. */
  subject: string;
  /** Values for the placeholders in the rubric's texts. */
  details: Record<string, string | number>;
  /** What the owner does, in place of the rubric's text. */
  remedy?: string;
  /** What was found, if the subject does not say it: a digest of each value, the ids of the advisories. */
  marks?: readonly string[];
  /** The first place in the bundle to which it refers. */
  place?: SourcePlace;
  /** The probe that shows it, so that the owner finds it in the agent's log. */
  invocationId?: string;
}

const MAX_DETAIL = 120;
const MAX_NAMED = 5;

/** Prepares untrusted text for a sentence: one line, no control characters, at most 120 characters. */
export function clip(text: string, most = MAX_DETAIL): string {
  const clean = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  const letters = [...clean];
  return letters.length <= most ? clean : `${letters.slice(0, most - 1).join('')}…`;
}

/** Lists the first few names and the number of further ones. */
export function listed(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => clip(name, 60));
  const more = total - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** Groups `items` by key, in the order in which keys first occur. */
export function groupBy<T, K = string>(items: readonly T[], keyOf: (item: T) => K): [K, T[]][] {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups];
}
