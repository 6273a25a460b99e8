/** Compares an answer with the output that an example of the manifest expects. */
import { isRecord } from '../../domain/json-value';

/**
 * `exact`: the same JSON value. `subset`: every member of the expected value is in the answer. Numbers may differ by
 * `tolerance`.
 */
export interface ExpectedOutput {
  output: unknown;
  match: 'exact' | 'subset';
  tolerance: number;
}

/** True when the answer is as expected. */
export function meets(answer: Buffer, { output, match, tolerance }: ExpectedOutput): boolean {
  return same(JSON.parse(answer.toString()), output, match === 'subset', tolerance);
}

/** Recursion is bounded: examples are part of a manifest, whose nesting is limited. */
function same(actual: unknown, expected: unknown, isSubset: boolean, tolerance: number): boolean {
  if (typeof expected === 'number' && typeof actual === 'number')
    return Math.abs(actual - expected) <= tolerance;
  if (Array.isArray(expected)) {
    const list: unknown[] = expected;
    return (
      Array.isArray(actual) &&
      actual.length === list.length &&
      list.every((item, at) => same((actual as unknown[])[at], item, isSubset, tolerance))
    );
  }
  if (!isRecord(expected)) return actual === expected;
  if (!isRecord(actual)) return false;
  const names = Object.keys(expected);
  if (!isSubset && names.length !== Object.keys(actual).length) return false;
  return names.every(
    (name) => Object.hasOwn(actual, name) && same(actual[name], expected[name], isSubset, tolerance),
  );
}
