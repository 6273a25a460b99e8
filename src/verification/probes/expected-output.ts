/** Compares an answer with the output that an example of the manifest expects. */
import { isRecord } from '../../domain/json-value';

/**
 * `exact`: the same JSON value. `subset`: every member of the expected value is in the answer. Numbers may differ by
 * `tolerance`, as decimals: 1.05 is within 0.05 of 1. Texts are equal when a reader sees the same characters (Unicode
 * NFC).
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

/** Whether two JSON values are the same; numbers may differ by `tolerance`. */
export const isSameValue = (actual: unknown, expected: unknown, tolerance = 0): boolean =>
  same(actual, expected, false, tolerance);

/** Recursion is bounded: examples are part of a manifest, whose nesting is limited. */
function same(actual: unknown, expected: unknown, isSubset: boolean, tolerance: number): boolean {
  if (typeof expected === 'number' && typeof actual === 'number')
    return isWithin(actual, expected, tolerance);
  if (typeof expected === 'string' && typeof actual === 'string') return isSameText(actual, expected);
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

/** Normalization takes long for long runs of combining characters; longer texts are compared as they are. */
const LONGEST_NORMALIZED = 20_000;

function isSameText(a: string, b: string): boolean {
  if (a === b) return true;
  if (Math.max(a.length, b.length) > LONGEST_NORMALIZED) return false;
  return a.normalize('NFC') === b.normalize('NFC');
}

/** Compares the decimals that the numbers are written as, because differences of binary fractions are inexact. */
function isWithin(a: number, b: number, tolerance: number): boolean {
  if (a === b) return true;
  const parts = [a, b, tolerance].map(decimalOf);
  const scale = Math.max(...parts.map(({ places }) => places));
  const [first = 0n, second = 0n, most = 0n] = parts.map(
    ({ digits, places }) => digits * 10n ** BigInt(scale - places),
  );
  const difference = first - second;
  return (difference < 0n ? -difference : difference) <= most;
}

/** `-1.5e-7` → -15 with 8 decimal places. Numbers come from JSON, so they are finite. */
function decimalOf(value: number): { digits: bigint; places: number } {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const places = fraction.length - Number(exponent);
  const digits = BigInt(`${whole}${fraction}`);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}
