/** Findings of observations: their texts, the waivers that hold for them, and the points that they cost. */
import { toStorable } from '../../domain/json-value';
import type { Rubric } from '../../domain/verification/rubric';
import { type FindingWaiver, type JudgedFinding, worstFirst } from '../../domain/verification/trust';
import { sha256Hex } from '../../kit/json/canonical-json';
import type { Observation } from './observations';
import { THOUSAND } from './points';

/** A waiver that holds while a run is concluded. */
export interface WaiverInEffect extends FindingWaiver {
  fingerprint: string;
  mark: string;
}

/** A finding before its costs. */
export type Uncharged = Omit<JudgedFinding, 'points_lost'>;

/** A finding before its costs and waivers; `marks` become one mark for all observations of a fingerprint. */
type Drafted = Omit<JudgedFinding, 'mark' | 'points_lost' | 'waiver'> & { marks: readonly string[] };

export function toFinding(observation: Observation, rubric: Rubric): Drafted {
  const { rule, subject, details, place, invocationId, remedy, marks = [] } = observation;
  const { category, description, risk, remediation } = rubric.texts[rule];
  return {
    fingerprint: toStorable(`${rule}:${subject}`.slice(0, 500)),
    marks,
    severity: rubric.severities[rule],
    category: fill(category, details),
    description: fill(description, details),
    risk: fill(risk, details),
    remediation: remedy ?? fill(remediation, details),
    place: place ? { path: toStorable(place.path), line: place.line } : null,
    invocation_id: invocationId ?? null,
  };
}

/** The texts of a rubric are written for several inputs, and never change: reports name the rubric that they used. */
function inSingular(template: string): string {
  return template
    .replace('all {count} inputs that were made', 'the only input that was made')
    .replace('{count} inputs that were made', '{count} input that was made')
    .replace('They count as', 'It counts as');
}

/** Replaces `{name}` in a single pass, so that placeholders in untrusted values are not replaced. */
function fill(template: string, details: Observation['details']): string {
  const words = details['count'] === 1 ? inSingular(template) : template;
  return words.replace(/\{([a-z0-9_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(details, name) ? String(details[name]) : whole,
  );
}

/** Unites the findings of each fingerprint, and adds the waivers of those that are still what was waived. */
export function waive(findings: readonly Drafted[], waivers: readonly WaiverInEffect[]): Uncharged[] {
  return worstOfEach(findings).map(({ marks, ...finding }) => {
    const mark = markOf(marks);
    const held = waivers.find((waiver) => waiver.fingerprint === finding.fingerprint && waiver.mark === mark);
    const waiver = held
      ? { waiver_id: held.waiver_id, reason: held.reason, expires_at: held.expires_at }
      : null;
    return { ...finding, mark, waiver };
  });
}

function markOf(marks: readonly string[]): string {
  return marks.length === 0 ? '' : sha256Hex([...new Set(marks)].sort().join('\n')).slice(0, 32);
}

/**
 * Keeps the worst finding per fingerprint; sorted worst first, then in an order that is independent of the scanner.
 */
function worstOfEach(findings: readonly Drafted[]): Drafted[] {
  const byPrint = new Map<string, Drafted>();
  for (const finding of findings) {
    const known = byPrint.get(finding.fingerprint);
    const worst = !known || worstFirst(finding.severity, known.severity) < 0 ? finding : known;
    byPrint.set(finding.fingerprint, { ...worst, marks: [...(known?.marks ?? []), ...finding.marks] });
  }
  return [...byPrint.values()].sort(
    (a, b) => worstFirst(a.severity, b.severity) || compare(a.fingerprint, b.fingerprint),
  );
}

/**
 * Deducts each finding from the earned points of its stage, worst first, down to 0. `earned` and `left` are thousandths
 * of points.
 */
export function charge(
  findings: readonly Uncharged[],
  earned: number,
  max: number,
  rubric: Rubric,
): { findings: JudgedFinding[]; left: number } {
  let left = earned;
  const charged = findings.map((finding) => {
    const deduction = finding.waiver ? 0 : rubric.deductions[finding.severity] * max * (THOUSAND / 100);
    const lost = Math.min(left, deduction);
    left -= lost;
    return { ...finding, points_lost: lost / THOUSAND };
  });
  return { findings: charged, left };
}

/** Compares by code units, independent of the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
