import type { FieldProblem } from '../../../domain/errors';

/**
 * Applies a schema, or one keyword of it, to a value. Reports problems to `run`, and what was evaluated to `seen`,
 * which is undefined where no `unevaluated…` keyword reads it.
 */
export type Check = (value: unknown, run: Run, seen: Seen | undefined) => boolean;

/** One validation. Without a report only the verdict counts, and the first failure ends it. */
export interface Run {
  report: Report | undefined;
}

/** Where the validation is, and what it found there. */
export interface Report {
  /** The path of the value, shared by the reports of branches. */
  at: (string | number)[];
  problems: FieldProblem[];
  /** When nothing more is collected, by `performance.now()`. */
  untilMs: number;
}

/** Which parts of a value were evaluated (core §11): annotations of `properties`, `prefixItems`, `contains`, … */
export interface Seen {
  names: Set<string>;
  /** The first so many items. */
  items: number;
  others: Set<number> | undefined;
}

const MAX_PROBLEMS = 50;
const MAX_PARTS = 32;
const MAX_PART_LENGTH = 128;
const MAX_MESSAGE_LENGTH = 300;

export const newSeen = (): Seen => ({ names: new Set(), items: 0, others: undefined });

/** Adds what a subschema evaluated that the value matches. */
export function mergeSeen(into: Seen, from: Seen): void {
  for (const name of from.names) into.names.add(name);
  into.items = Math.max(into.items, from.items);
  if (from.others) into.others = new Set([...(into.others ?? []), ...from.others]);
}

/** Reports a problem of the value, or of its member `name`. Always false, so that a check can return it. */
export function failed(run: Run, type: string, msg: string, name?: string): false {
  const { report } = run;
  if (!report || report.problems.length >= MAX_PROBLEMS) return false;
  const loc = [...report.at.slice(0, MAX_PARTS), ...(name === undefined ? [] : [name])].map((part) =>
    typeof part === 'string' && part.length > MAX_PART_LENGTH ? `${part.slice(0, MAX_PART_LENGTH)}…` : part,
  );
  report.problems.push({ loc, msg: msg.slice(0, MAX_MESSAGE_LENGTH), type });
  return false;
}

/** Reports whether a failure ends the validation: only the verdict counts, or there are enough problems. */
export function isDone({ report }: Run): boolean {
  if (!report) return true;
  const { length } = report.problems;
  return length >= MAX_PROBLEMS || (length > 0 && performance.now() > report.untilMs);
}

/** Applies a check to a part of the value. */
export function inside(check: Check, part: unknown, name: string | number, run: Run): boolean {
  if (!run.report) return check(part, run, undefined);
  const { at } = run.report;
  at.push(name);
  const isValid = check(part, run, undefined);
  at.pop();
  return isValid;
}

/** Applies a check whose failure is not a problem by itself. */
export function silently(check: Check, value: unknown, run: Run, seen: Seen | undefined): boolean {
  const { report } = run;
  if (!report) return check(value, run, seen);
  run.report = undefined;
  const isValid = check(value, run, seen);
  run.report = report;
  return isValid;
}

/** Returns the problems that a check finds, apart from those of the run. */
export function problemsOf(check: Check, value: unknown, run: Run, report: Report): FieldProblem[] {
  const problems: FieldProblem[] = [];
  run.report = { ...report, problems };
  check(value, run, undefined);
  run.report = report;
  return problems;
}
