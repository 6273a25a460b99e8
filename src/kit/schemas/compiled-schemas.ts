/** The compiled schemas of a worker thread, and validation with them within its limits. */
import type { FieldProblem } from '../../domain/errors';
import { within } from '../threads/thread-time';
import { compileSchema } from './schema-compiler';

type Validator = (value: unknown) => FieldProblem[];

/** A schema that a thread applies to a value. */
export interface SchemaCheck {
  /** Identifies the schema permanently. */
  key: string;
  schema: string;
  /** Processor time for a validation, in ms. */
  limitMs: number;
}

/** No payload of the service is longer, and the parsed value of this length fits a thread's memory. */
export const MAX_VALUE_LENGTH = 12 * 1_048_576;

/** Compiled schemas take about 30 times the memory of their text. */
const CACHE_LIMITS = { entries: 256, textLength: 1_000_000 };
/**
 * Compile time limit in multiples of the limit of a validation. A schema compiled within the limit at admission; a
 * loaded machine may need longer.
 */
const COMPILE_LIMITS = 2;

/** In least-recently-used order. */
const cache = new Map<string, { validate: Validator; textLength: number }>();
let cachedTextLength = 0;

/** The validator of a schema; undefined if it is not kept and the text is not given. */
export function validatorOf(
  { key, limitMs }: Omit<SchemaCheck, 'schema'>,
  text: string | undefined,
): Validator | undefined {
  const known = cache.get(key);
  if (known) {
    cache.delete(key);
    cache.set(key, known);
    return known.validate;
  }
  if (text === undefined) return undefined;
  const validate = within(limitMs * COMPILE_LIMITS, () =>
    compileSchema(JSON.parse(text) as Record<string, unknown>),
  );
  cache.set(key, { validate, textLength: text.length });
  cachedTextLength += text.length;
  for (const [oldest, { textLength }] of cache) {
    if (cache.size <= CACHE_LIMITS.entries && cachedTextLength <= CACHE_LIMITS.textLength) break;
    cache.delete(oldest);
    cachedTextLength -= textLength;
  }
  return validate;
}

/** The problems of a value. The thread is ended when a step takes longer than its limit. */
export function problemsOf(check: SchemaCheck, value: unknown): FieldProblem[] {
  const validate = validatorOf(check, check.schema);
  return validate ? within(check.limitMs, () => validate(value)) : [];
}
