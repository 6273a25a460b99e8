/**
 * Estimates how much work the validation of a value by an untrusted schema can be, from the structure of the schema
 * alone. `small-schemas.ts` decides by it which schemas run in the process. Estimates are too high rather than too low:
 * data inside `const` or `examples` is read like a schema.
 */
import { isRecord } from '../../domain/json-value';
import { patternSize } from './pattern-size';

/** A step of RE2's simulation takes about ten times as long as a step of compiled code. */
const PATTERN_STEP = 10;
/** Decimals of 300 digits are divided by others. */
const DECIMAL_STEP = 100;

/**
 * Returns an upper bound for the checks that `schema` makes for each place of a value: its JSON values, references
 * expanded, and the sizes of its patterns. `Infinity` for schemas that recur, that use anchors or `uniqueItems`: their
 * work can grow faster than the value.
 */
export function schemaWeight(schema: unknown): number {
  const known = new Map<string, number>();
  const open = new Set<string>();

  function refWeight(ref: unknown): number {
    if (typeof ref !== 'string' || open.has(ref)) return Infinity;
    const before = known.get(ref);
    if (before !== undefined) return before;
    const target = pointedAt(schema, ref);
    if (target === undefined) return Infinity;
    open.add(ref);
    const weight = weightOf(target);
    open.delete(ref);
    known.set(ref, weight);
    return weight;
  }

  function memberWeight(name: string, value: unknown): number {
    if (name === '$ref') return refWeight(value);
    if (name === 'uniqueItems' || name.startsWith('$dynamic')) return Infinity;
    if (name === 'multipleOf') return DECIMAL_STEP;
    if (name === 'pattern' && typeof value === 'string') return PATTERN_STEP * patternSize(value);
    if (name === 'patternProperties' && isRecord(value))
      return Object.keys(value).reduce(
        (sum, pattern) => sum + PATTERN_STEP * patternSize(pattern),
        weightOf(value),
      );
    return weightOf(value);
  }

  function weightOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 1;
    if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + weightOf(item), 1);
    return Object.entries(value).reduce((sum, [name, member]) => sum + memberWeight(name, member), 1);
  }

  return weightOf(schema);
}

/** The value at a JSON pointer (`#/$defs/a`), or undefined. */
function pointedAt(root: unknown, ref: string): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const raw of ref.split('/').slice(1)) {
    const name = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}
