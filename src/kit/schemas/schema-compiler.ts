/**
 * Compiles untrusted schemas with ajv; runs in the schema worker, and for small schemas in the process. Each schema has its own ajv instance, so that
 * tenants share nothing. Options that would modify the value (defaults, coercion, removal) are off.
 */
import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { FieldProblem } from '../../domain/errors';
import { admitSchema } from './schema-admission';
import { patternSize } from './pattern-size';
import { toFieldProblems } from './schema-problems';
import { linearRegExpEngine } from './schema-regexp';

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

/** Compiles an admitted schema. Throws when ajv refuses it. */
export function compileSchema(schema: Record<string, unknown>): (value: unknown) => FieldProblem[] {
  const ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    allErrors: false,
    inlineRefs: false,
    ownProperties: true,
    logger: false,
    // The optimizer is quadratic in the number of properties: 1.5 s for 1,900 of them instead of 0.2 s.
    code: { regExp: linearRegExpEngine, optimize: false },
  });
  addFormats(ajv);
  // References are local, so the schema needs no id, and ids cannot clash.
  const { $id: _id, $schema: _schema, ...anonymous } = schema;
  const validate = ajv.compile(anonymous);
  return (value) => {
    try {
      return validate(value) ? [] : toFieldProblems(validate.errors ?? [], value);
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
      linearRegExpEngine(pattern);
    } catch (error) {
      problems.push(unsafe(loc, `this regular expression is not allowed: ${shortMessage(error)}`));
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
