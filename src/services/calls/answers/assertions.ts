/** Applies the assertions of a buyer to an answer. */
import { type Assertion, valueAt } from '../../../domain/calls/acceptance';
import { isSameValue } from '../../../verification/probes/expected-output';

/** The index of the first assertion that the answer fails; null if it passes. */
export function firstFailed(answer: unknown, assertions: readonly Assertion[]): number | null {
  const at = assertions.findIndex((assertion) => !holds(valueAt(answer, assertion.pointer), assertion));
  return at === -1 ? null : at;
}

/** A value that is not there fails every assertion but `exists: false`. */
function holds(actual: unknown, { op, value, tolerance = 0 }: Assertion): boolean {
  if (op === 'exists') return (actual !== undefined) === value;
  if (actual === undefined) return false;
  switch (op) {
    case 'eq':
      return isSameValue(actual, value, tolerance);
    case 'ne':
      return !isSameValue(actual, value, tolerance);
    case 'in':
      return (value as unknown[]).some((choice) => isSameValue(actual, choice));
    case 'contains':
      if (typeof actual === 'string') return typeof value === 'string' && actual.includes(value);
      return Array.isArray(actual) && actual.some((item) => isSameValue(item, value));
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return typeof actual === 'number' && compares(op, actual, value as number);
  }
}

function compares(op: 'lt' | 'lte' | 'gt' | 'gte', actual: number, value: number): boolean {
  if (op === 'lt') return actual < value;
  if (op === 'lte') return actual <= value;
  return op === 'gt' ? actual > value : actual >= value;
}
