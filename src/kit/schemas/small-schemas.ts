/**
 * Validates small values against small untrusted schemas in this process (docs/internals/queues.md#tokens-and-schemas).
 * A round trip to a thread costs more than most validations. Invariant: what runs here ends soon by its structure,
 * because nothing interrupts it. Everything else runs in threads, under a deadline (`schema-pool.ts`).
 */
import type { FieldProblem } from '../../domain/errors';
import { createTimeBudget } from '../concurrency/time-budget';
import { compileSchema } from './schema-compiler';
import { schemaWeight } from './schema-weight';
import { BoundedMap } from '../bounded-map';

export const SMALL = {
  /** Length of a schema's text. */
  schemaLength: 8_192,
  /** Length of a value's text. */
  valueLength: 16_384,
  /** `schemaWeight`: about the number of JSON values in the schema. */
  weight: 1_000,
  /** Weight times length of the value: a few milliseconds at most. */
  work: 250_000,
} as const;

/** A schema that takes longer again and again runs in threads, whatever its structure promises. */
const MAX_RUN_MS = 10;
/** Compiling takes at most this share of the process; meanwhile other schemas run in threads. */
const COMPILE_SHARE = 1 / 20;
const MAX_KEPT = 1_000;

interface Small {
  weight: number;
  /** Undefined until the schema is compiled here. */
  validate: ((value: unknown) => FieldProblem[]) | undefined;
}

/** Returns the problems of a value, or undefined if a thread has to validate it. */
export type SmallValidation = (
  key: string,
  schemaJson: string,
  valueJson: string | Buffer,
) => FieldProblem[] | undefined;

export function createSmallSchemas(now: () => number = () => performance.now()): SmallValidation {
  /** In least-recently-used order. */
  const kept = new BoundedMap<string, Small>(MAX_KEPT);
  const budget = createTimeBudget(MAX_RUN_MS, now);
  let compileFrom = -Infinity;

  function keep(key: string, small: Small): Small {
    kept.set(key, small);
    return small;
  }

  function compiled(small: Small, schemaJson: string): Small['validate'] {
    if (small.validate || now() < compileFrom) return small.validate;
    const startedAt = now();
    try {
      small.validate = compileSchema(JSON.parse(schemaJson) as Record<string, unknown>);
    } catch {
      small.weight = Infinity;
    }
    compileFrom = now() + (now() - startedAt) / COMPILE_SHARE;
    return small.validate;
  }

  return (key, schemaJson, valueJson) => {
    if (schemaJson.length > SMALL.schemaLength || valueJson.length > SMALL.valueLength) return undefined;
    const small = keep(key, kept.get(key) ?? { weight: weightOf(schemaJson), validate: undefined });
    if (small.weight > SMALL.weight || small.weight * valueJson.length > SMALL.work) return undefined;
    const validate = budget.isOver(key) ? undefined : compiled(small, schemaJson);
    return validate && budget.run(key, () => problemsOf(valueJson, validate));
  };
}

/** True if compiling and checking the schema takes some milliseconds at most, by its structure. */
export function isLightSchema(schemaJson: string): boolean {
  return schemaJson.length <= SMALL.schemaLength && weightOf(schemaJson) <= SMALL.weight;
}

function weightOf(schemaJson: string): number {
  try {
    return schemaWeight(JSON.parse(schemaJson));
  } catch {
    return Infinity;
  }
}

function problemsOf(
  valueJson: string | Buffer,
  validate: (value: unknown) => FieldProblem[],
): FieldProblem[] {
  let value: unknown;
  try {
    value = JSON.parse(valueJson.toString());
  } catch {
    return [{ loc: [], msg: 'is not JSON', type: 'malformed_json' }];
  }
  return validate(value);
}
