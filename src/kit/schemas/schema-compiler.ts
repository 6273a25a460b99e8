/**
 * Admits and compiles untrusted schemas; runs in the schema worker, and for small schemas in the process. Compiled
 * schemas share nothing, and a validation never changes the value.
 */
import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import type { FieldProblem } from '../../domain/errors';
import { admitSchema } from './schema-admission';
import { patternSize } from './pattern-size';
import { toFieldProblems } from './schema-problems';
import { linearRegExp } from './schema-regexp';
import { compileValidation } from './validation/validation';

/**
 * Limit for the sum of all patterns of a schema (`pattern-size.ts`). Compiling this much takes about 50 ms. Without it,
 * a schema of 64 KiB could compile for seconds, in steps that cannot be interrupted.
 */
const MAX_PATTERN_SIZE = 10_000;

const TOO_MANY_PATTERNS = `makes the regular expressions of the schema too large: their size may be at most ${MAX_PATTERN_SIZE} in all, where a repeat such as {1000} counts what it repeats so many times`;

const META_SCHEMA = 'https://json-schema.org/draft/2020-12/schema';

let metaValidator: ValidateFunction | undefined;

/** Validator of the draft's meta-schema; compiled once (about 50 ms). */
export function metaSchemaValidator(): ValidateFunction {
  metaValidator ??= new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).getSchema(
    META_SCHEMA,
  );
  if (!metaValidator) throw new Error('ajv has lost its meta-schema');
  return metaValidator;
}

/** Compiles an admitted schema. Throws when it cannot be compiled. */
export function compileSchema(schema: Record<string, unknown>): (value: unknown) => FieldProblem[] {
  const validate = compileValidation(schema);
  return (value) => {
    try {
      return validate(value);
    } catch (error) {
      if (error instanceof RangeError) return [{ loc: [], msg: 'is nested too deeply', type: 'too_deep' }];
      throw error;
    }
  };
}

/** Applies all admission rules: structure, regular expressions, the meta-schema, and compilation. */
export function checkSchema(schema: unknown): FieldProblem[] {
  const { problems, patterns } = admitSchema(schema);
  if (problems.length > 0) return problems;
  let size = 0;
  for (const { loc, pattern } of patterns) {
    size += patternSize(pattern);
    if (size > MAX_PATTERN_SIZE) return [unsafe(loc, TOO_MANY_PATTERNS)];
  }
  for (const { loc, pattern } of patterns) {
    try {
      linearRegExp(pattern);
    } catch (error) {
      problems.push(
        unsafe(loc, `this regular expression has a construct that is not supported: ${shortMessage(error)}`),
      );
    }
  }
  const isSchema = metaSchemaValidator();
  if (!isSchema(schema)) problems.push(...metaProblems(isSchema.errors ?? [], schema));
  if (problems.length > 0) return problems;
  try {
    compileSchema(schema as Record<string, unknown>);
  } catch (error) {
    problems.push(unsafe([], `does not compile: ${shortMessage(error)}`));
  }
  return problems;
}

function metaProblems(errors: ErrorObject[], schema: unknown): FieldProblem[] {
  return toFieldProblems(errors, schema).map(({ loc, msg }) => unsafe(loc, msg));
}

function unsafe(loc: FieldProblem['loc'], msg: string): FieldProblem {
  return { loc, msg, type: 'unsafe_schema' };
}

function shortMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}
