/**
 * The tests that a buyer sets for the answer of one call (ADR 0425): a JSON Schema, and up to 20 assertions about
 * single values. The agent gets them before it works and may decline. The price is paid only if the answer passes all
 * of them.
 */
import type { FieldProblem } from '../errors';
import { isRecord } from '../json-value';

export const ASSERTION_OPS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'contains', 'exists'] as const;

export type AssertionOp = (typeof ASSERTION_OPS)[number];

export interface Assertion {
  /** JSON pointer (RFC 6901) into the answer; empty for the whole answer. */
  pointer: string;
  op: AssertionOp;
  value: unknown;
  /** By how much numbers may differ, for `eq` and `ne`. */
  tolerance?: number;
}

export interface Acceptance {
  /** JSON Schema draft 2020-12 that the answer must match, besides the output schema of the agent. */
  schema?: Record<string, unknown>;
  assertions?: Assertion[];
}

export const ACCEPTANCE_LIMITS = {
  assertions: 20,
  pointer: 256,
  /** Values of `in`. */
  choices: 50,
  /** Of the header in which the agent gets the tests. */
  bytes: 4_096,
} as const;

/** How many of the last calls with tests count for the share of a buyer whose tests failed, and for how long. */
export const ACCEPTANCE_RECORD = { calls: 100, days: 90, leastCalls: 10 } as const;

/** How many different buyers' tests an agent must have failed before these failures count against it. */
export const BUYERS_WHO_DIFFER = 10;

/** The last calls of a buyer whose answers were tested. */
export interface AcceptanceRecord {
  judged: number;
  failed: number;
}

export const ACCEPTANCE_RULE =
  'takes {"schema"?, "assertions"?}: a JSON Schema, or 1 to 20 assertions {"pointer", "op", "value", "tolerance"?}, or both';

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

const problem = (loc: (string | number)[], msg: string, type = 'value'): FieldProblem => ({ loc, msg, type });

/** What is wrong with tests of untrusted form. `loc` is relative to them. The schema itself is checked elsewhere. */
export function acceptanceProblems(given: unknown): FieldProblem[] {
  if (!isRecord(given)) return [problem([], ACCEPTANCE_RULE, 'type')];
  const { schema, assertions, ...others } = given;
  const unknown = Object.keys(others).slice(0, 10);
  const found = unknown.map((name) =>
    problem([name.slice(0, 80)], 'is not a known field: tests have schema and assertions', 'unknown_field'),
  );
  if (schema !== undefined && !isRecord(schema))
    found.push(problem(['schema'], 'must be a JSON Schema, as an object', 'type'));
  if (schema === undefined && assertions === undefined) found.push(problem([], ACCEPTANCE_RULE, 'required'));
  if (assertions === undefined) return found;
  const { assertions: most } = ACCEPTANCE_LIMITS;
  if (!Array.isArray(assertions) || assertions.length < 1 || assertions.length > most)
    return [...found, problem(['assertions'], `must be a list of 1 to ${most} assertions`, 'type')];
  return [
    ...found,
    ...assertions.flatMap((assertion: unknown, at) =>
      assertionProblems(assertion).map((one) => ({ ...one, loc: ['assertions', at, ...one.loc] })),
    ),
  ];
}

function assertionProblems(given: unknown): FieldProblem[] {
  if (!isRecord(given)) return [problem([], 'must be {"pointer", "op", "value", "tolerance"?}', 'type')];
  const { pointer, op, value, tolerance, ...others } = given;
  const found = Object.keys(others)
    .slice(0, 5)
    .map((name) => problem([name.slice(0, 80)], 'is not a known field', 'unknown_field'));
  if (typeof pointer !== 'string' || pointer.length > ACCEPTANCE_LIMITS.pointer || !POINTER.test(pointer))
    found.push(
      problem(
        ['pointer'],
        `must be a JSON pointer (RFC 6901) of at most ${ACCEPTANCE_LIMITS.pointer} characters`,
      ),
    );
  if (!ASSERTION_OPS.includes(op as AssertionOp))
    return [...found, problem(['op'], `must be one of ${ASSERTION_OPS.join(', ')}`)];
  if (value === undefined) return [...found, problem(['value'], 'is required', 'required')];
  const wrong = valueProblem(op as AssertionOp, value);
  if (wrong !== undefined) found.push(problem(['value'], wrong));
  if (tolerance !== undefined) found.push(...toleranceProblems(op as AssertionOp, value, tolerance));
  return found;
}

function valueProblem(op: AssertionOp, value: unknown): string | undefined {
  const { choices } = ACCEPTANCE_LIMITS;
  switch (op) {
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return typeof value === 'number' ? undefined : `must be a number for ${op}`;
    case 'in':
      return Array.isArray(value) && value.length > 0 && value.length <= choices
        ? undefined
        : `must be a list of 1 to ${choices} values for in`;
    case 'exists':
      return typeof value === 'boolean' ? undefined : 'must be true or false for exists';
    case 'eq':
    case 'ne':
    case 'contains':
      return undefined;
  }
}

function toleranceProblems(op: AssertionOp, value: unknown, tolerance: unknown): FieldProblem[] {
  if (typeof tolerance !== 'number' || !(tolerance >= 0))
    return [problem(['tolerance'], 'must be a number of at least 0')];
  if ((op !== 'eq' && op !== 'ne') || typeof value !== 'number')
    return [problem(['tolerance'], 'is only for eq and ne with a number')];
  return [];
}

/** The value at a pointer; undefined if there is none. Requires a valid pointer. */
export function valueAt(document: unknown, pointer: string): unknown {
  const parts = pointer.split('/').slice(1);
  let value = document;
  for (const part of parts) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value))
      value = /^(?:0|[1-9]\d*)$/.test(name) ? (value[Number(name)] as unknown) : undefined;
    else if (isRecord(value) && Object.hasOwn(value, name)) value = value[name];
    else return undefined;
  }
  return value;
}

/** Whether a buyer may set no tests for now, because too many of its last ones failed. */
export function isBeyondShare({ judged, failed }: AcceptanceRecord, mostPercent: number): boolean {
  return judged >= ACCEPTANCE_RECORD.leastCalls && failed * 100 > judged * mostPercent;
}

/** An assertion in words, for the message of an answer that fails it. */
export function assertionText(at: number, { pointer, op }: Assertion): string {
  return `assertion ${at + 1} (${pointer === '' ? 'the whole answer' : pointer} ${op})`;
}
